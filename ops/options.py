"""Options that several commands share, and the settings that they lead to."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from biographer.daemon.settings import CONFIG, Settings, read_settings

F = TypeVar("F", bound=Callable[..., Any])


def config_option(command: F) -> F:
    """Add --config."""
    return click.option(
        "--config",
        type=click.Path(path_type=Path, dir_okay=False),
        envvar=CONFIG,
        help=f"TOML file of settings; {CONFIG} names it too. Without one: defaults and environment.",
    )(command)


def state_option(command: F) -> F:
    """Add --state."""
    return click.option(
        "--state",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder of the memory, instead of the one in the settings.",
    )(command)


def json_option(command: F) -> F:
    """Add --json."""
    return click.option("--json", "as_json", is_flag=True, help="One JSON document instead of tables.")(command)


def stream_option(command: F) -> F:
    """Add --stream."""
    return click.option("--stream", help="Name of the stream; may be left out where there is only one.")(command)


def settings_of(config: Path | None, state: Path | None = None) -> Settings:
    """Return the settings of a file and the environment; `state` overrides the folder. Raises RefusedError."""
    settings = read_settings(config, os.environ)
    if state is None:
        return settings
    return msgspec.structs.replace(settings, state=msgspec.structs.replace(settings.state, folder=str(state)))
