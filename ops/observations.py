"""`biographer observations`."""

from pathlib import Path

import click

from biographer.ops.options import config_option, json_option, settings_of, state_option, stream_option
from biographer.ops.reading import media_of, observation_row, reader_of
from biographer.ops.tables import show

HIDDEN = ("similarity", "track", "known", "crops")


@click.command()
@stream_option
@click.option("--clip", help="Only the observations of this clip.")
@config_option
@state_option
@json_option
def observations(
    *, stream: str | None, clip: str | None, config: Path | None, state: Path | None, as_json: bool
) -> None:
    """List the sightings of a stream.

    An observation without an entity carries no evidence of identity; `flaw` says why.
    """
    with reader_of(Path(settings_of(config, state).state.folder), stream) as reader:
        rows = [observation_row(one, media_of(reader), reader.zone) for one in reader.observations(clip)]
        show("observations", rows, as_json=as_json, head={"stream": reader.stream}, hidden=HIDDEN)
