"""Options that several commands share, and the settings that they lead to."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from biographer.daemon.settings import CONFIG, Settings, read_settings
from biographer.state.line import Line

F = TypeVar("F", bound=Callable[..., Any])

WITHOUT_OFFSET = "Without an offset it is in the stream's zone, as times are printed."
"""What the help of an option says that takes a time of a stream."""


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


def url_option(command: F) -> F:
    """Add --url."""
    return click.option("--url", help="Address of the daemon, instead of the one in the settings.")(command)


def as_of_option(command: F) -> F:
    """Add --as-of."""
    return click.option(
        "--as-of", metavar="RFC3339", help=f"Only what the memory knew by this event time. {WITHOUT_OFFSET}"
    )(command)


def lines_option(command: F) -> F:
    """Add --lines."""
    return click.option(
        "--lines",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        metavar="FILE.srt|FILE.jsonl",
        help="What was said, in times from --start on; JSON lines: {'start': 1.5, 'end': 3, 'text': ..., 'speaker': "
        "'Bob'}. In SRT <v Bob> before the words names who speaks.",
    )(command)


def tell_outside(lines: Iterable[Line]) -> None:
    """Name the lines that no clip holds, on standard error: nothing is dropped in silence."""
    for line in lines:
        click.echo(f"outside the recording, left out: {line.text[:60]!r}", err=True)


def settings_of(config: Path | None, state: Path | None = None) -> Settings:
    """Return the settings of a file and the environment; `state` overrides the folder. Raises RefusedError."""
    settings = read_settings(config, os.environ)
    if state is None:
        return settings
    return msgspec.structs.replace(settings, state=msgspec.structs.replace(settings.state, folder=str(state)))
