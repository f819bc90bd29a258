"""`biographer streams`."""

from pathlib import Path

import click

from biographer.ops.options import config_option, json_option, settings_of, state_option
from biographer.ops.reading import stream_row
from biographer.ops.tables import show
from biographer.state.reader import streams as read_streams


@click.command()
@config_option
@state_option
@json_option
def streams(*, config: Path | None, state: Path | None, as_json: bool) -> None:
    """List the streams that are remembered."""
    folder = Path(settings_of(config, state).state.folder)
    show("streams", [stream_row(stream) for stream in read_streams(folder)], as_json=as_json)
