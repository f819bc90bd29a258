"""`biographer entities`."""

from pathlib import Path

import click

from biographer.ops.options import config_option, json_option, settings_of, state_option, stream_option
from biographer.ops.reading import entity_row, reader_of
from biographer.ops.tables import show


@click.command()
@stream_option
@click.option("--label", help="Only entities of this label.")
@config_option
@state_option
@json_option
def entities(*, stream: str | None, label: str | None, config: Path | None, state: Path | None, as_json: bool) -> None:
    """List the physical things of a stream.

    Those seen most often come first. `apart from` names the entities that were seen at another place in the same
    frames; where it is empty nothing is proven either way.
    """
    with reader_of(Path(settings_of(config, state).state.folder), stream) as reader:
        rows = [entity_row(entity, reader.zone) for entity in reader.entities(label)]
        show("entities", rows, as_json=as_json, head={"stream": reader.stream})
