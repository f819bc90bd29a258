"""`biographer episodes`."""

from pathlib import Path

import click

from biographer.ops.options import config_option, json_option, settings_of, state_option, stream_option
from biographer.ops.reading import episode_row, reader_of
from biographer.ops.tables import show
from biographer.state.episode import LOCAL
from biographer.state.windows import SCALES


@click.command()
@stream_option
@click.option("--scale", type=click.Choice([LOCAL, *SCALES]), default=LOCAL, show_default=True, help="Of which length.")
@config_option
@state_option
@json_option
def episodes(*, stream: str | None, scale: str, config: Path | None, state: Path | None, as_json: bool) -> None:
    """List the episodes of a stream; those coarser than local once they are closed."""
    with reader_of(Path(settings_of(config, state).state.folder), stream) as reader:
        rows = [episode_row(episode, reader.zone) for episode in reader.episodes(scale)]
        hidden = ("scale", "known") if scale == LOCAL else ("scale", "known", "clip")
        show("episodes", rows, as_json=as_json, head={"stream": reader.stream}, hidden=hidden)
