"""`biographer episodes`."""

from pathlib import Path

import click

from biographer.ops.options import config_option, json_option, settings_of, state_option, stream_option
from biographer.ops.reading import episode_row, reader_of
from biographer.ops.tables import show


@click.command()
@stream_option
@config_option
@state_option
@json_option
def episodes(*, stream: str | None, config: Path | None, state: Path | None, as_json: bool) -> None:
    """List the episodes of a stream."""
    with reader_of(Path(settings_of(config, state).state.folder), stream) as reader:
        rows = [episode_row(episode) for episode in reader.episodes()]
        show("episodes", rows, as_json=as_json, head={"stream": reader.stream}, hidden=("scale", "known"))
