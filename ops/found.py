"""What a demo found: a table of biographies, and where their crops lie."""

from collections.abc import Sequence
from datetime import tzinfo
from pathlib import Path

import click

from biographer.ops.album import album, entity_folder
from biographer.ops.local_time import LocalTime
from biographer.ops.reading import reader_of
from biographer.ops.tables import Row, show
from biographer.state.listing import EntityRow, ObservationRow
from biographer.state.reader import Reader


def show_found(state: Path, stream: str) -> None:
    """Print the biographies of a stream, and link their crops below the state folder's `album`."""
    pictures = state / "album"
    with reader_of(state, stream) as reader:
        album(reader, pictures)
        show("biographies", found(reader), as_json=False)
    click.echo(f"crops: {pictures}/<entity>-<label>/<clip>-<track>-<n>.jpg")


def found(reader: Reader) -> list[Row]:
    """Return a row an entity: what it is, when and how often it was seen, in which clips, and apart from whom.

    Clips go by the last part of their names.
    """
    return [_row(entity, reader.biography(entity.entity), reader.zone) for entity in reader.entities()]


def _row(entity: EntityRow, biography: Sequence[ObservationRow], zone: tzinfo) -> Row:
    return {
        "entity": entity_folder(entity),
        "looks": biography[0].text.partition(",")[0],
        "seen": entity.observations,
        "first": LocalTime(entity.first_us, zone),
        "last": LocalTime(entity.last_us, zone),
        "clips": list(dict.fromkeys(one.clip.rpartition("-")[2] for one in biography)),
        "apart_from": [f"e{other}" for other in entity.apart],
    }
