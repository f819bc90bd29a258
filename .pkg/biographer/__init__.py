"""Biographer: a memory for wearable video, built while it records.

The one import name of the distribution. Its subpackages are the folders at the top of the repository,
reached through relative links beside this file. `Client` and `AsyncClient` ask a running daemon; they are imported when
they are first named, so that `import biographer` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from biographer.daemon.client import Client
    from biographer.daemon.client_async import AsyncClient

__all__ = ["AsyncClient", "Client", "__version__"]

__version__ = "0.1.0"

_ELSEWHERE = {"Client": "biographer.daemon.client", "AsyncClient": "biographer.daemon.client_async"}


def __getattr__(name: str) -> object:
    """Import what is named for the first time."""
    if name not in _ELSEWHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ELSEWHERE[name]), name)
