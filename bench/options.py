"""Options that several benches have, once each.

What a bench does with them is in its own file.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from biographer.daemon.settings import read_settings

F = TypeVar("F", bound=Callable[..., Any])


def output_option(command: F) -> F:
    """Add --output."""
    return click.option(
        "--output",
        type=click.Path(path_type=Path, dir_okay=False),
        help="File to write the JSON object to as well.",
    )(command)


def work_option(command: F) -> F:
    """Add --work-folder."""
    return click.option(
        "--work-folder",
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        help="Folder for what is made up meanwhile, gigabytes; default: the system's temporary one.",
    )(command)


def broker_option(command: F) -> F:
    """Add --broker."""
    return click.option(
        "--broker", default="auto", show_default=True, help="kafka, embedded, auto (the first there is), or host:port."
    )(command)


def models_option(command: F) -> F:
    """Add --models."""
    return click.option(
        "--models",
        type=click.Path(path_type=Path, file_okay=False),
        default=None,
        help="Folder of weights; default: where `biographer models pull` puts them.",
    )(command)


def text_embedder_option(command: F) -> F:
    """Add --text-embedder."""
    return click.option(
        "--text-embedder", default="minilm-l6-int8", show_default=True, help="A name of the catalogue."
    )(command)


def weights_folder() -> Path:
    """Return the folder of weights that the environment and the defaults name."""
    from biographer.daemon.parts import models_folder  # noqa: PLC0415 - networks are imported when asked for

    return models_folder(read_settings(None, os.environ))
