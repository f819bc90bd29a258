"""Who is whom in a snapshot, for readers that cannot work it out: entities that bear a name, or are part of another.

Nothing of it is a record: users' words and castings are, and whoever reads these anew finds the same. So an import
leaves it be.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import tzinfo
from typing import Literal, NamedTuple

import apsw

from biographer.state.database import fetch
from biographer.state.recalled_people import people_recalled
from biographer.state.ruling_rows import rulings
from biographer.state.snapshot_tables import SnapshotTable, TableColumn
from biographer.state.standing import Standing

PEOPLE = SnapshotTable(
    "people",
    (
        TableColumn("entity", "INTEGER", nullable=False),
        TableColumn("name", "TEXT", nullable=False),
        TableColumn("named_by", "TEXT", nullable=False),
        TableColumn("part_of", "INTEGER", nullable=True),
    ),
)

_END = 2**62


class Named(NamedTuple):
    """A row of it: what an entity is called and by whose word; `part_of` is the one that castings say it is."""

    entity: int
    name: str
    named_by: Literal["user", "castings"]
    part_of: int | None


def standing_of(cursor: apsw.Cursor, zone: tzinfo, as_of_us: int | None) -> Standing:
    """Return what users said, and whom castings name, of the records that a cursor sees: those of an event time."""
    ruled = rulings(cursor)
    ((clips,),) = fetch(cursor, "SELECT count(*) FROM clip")
    bounds = {"clips": clips, "v": _END, "t": _END if as_of_us is None else as_of_us}
    return replace(ruled, people=people_recalled(cursor, bounds, zone, ruled))


def people_of(standing: Standing) -> Iterator[Named]:
    """Yield them by number; a part goes by the name of what it is part of."""
    cast = standing.people
    for entity in sorted({*standing.names, *cast.owners}):
        owner = cast.owners.get(entity)
        is_cast = owner is not None or entity in cast.names
        name = standing.names[entity if owner is None else owner]
        yield Named(entity, name, "castings" if is_cast else "user", owner)
