"""A cut through one stream's log: which of its records one reader may see, in one state of the store.

A cut is bounded by a version, so that the pages of a list agree with each other, and, if asked, by an event time: then
it holds what the log cut at that time would hold. What is read through a cut is in the `recalled_*` files.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import apsw

from biographer.state.cast_people import NOBODY, CastPeople
from biographer.state.database import Database, fetch
from biographer.state.errors import RefusedError
from biographer.state.recalled_people import join_people, people_recalled
from biographer.state.ruling_rows import rulings
from biographer.state.standing import Standing
from biographer.state.zones import UTC_ZONE, zone_of

_END_US = 2**62

_CLIPS = "SELECT coalesce((SELECT number + 1 FROM clip WHERE version <= ? ORDER BY number DESC LIMIT 1), 0)"

_EXTENT = """
SELECT count(*), max(coalesce(max(version), 0), coalesce((
  SELECT made FROM piece WHERE made <= :v AND known_us <= :t ORDER BY made DESC LIMIT 1), 0), coalesce((
  SELECT made FROM ruling WHERE made <= :v AND known_us <= :t ORDER BY made DESC LIMIT 1), 0)),
  min(start_us), max(end_us), coalesce(sum(late), 0)
FROM clip WHERE number < :clips AND known_us <= :t
"""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Which state of memory an answer was drawn from; times in microseconds, None where there is nothing yet."""

    stream: str
    version: int
    clips: int
    late: int
    start_us: int | None
    watermark_us: int | None
    as_of_us: int | None


class Cut:
    """Records up to a version that were known by a time; valid within `cut_of` only.

    Queries are bound by `clips` (numbers of clips below it), `v` (versions that pieces made) and `t` (known since).
    """

    def __init__(
        self,
        cursor: apsw.Cursor,
        stream: str,
        as_of_us: int | None,
        version: int | None,
        people: "Callable[[Cut], CastPeople] | None" = None,
    ) -> None:
        """Make a cut; `people` says whom castings name in it, by default those that they do."""
        self._cursor = cursor
        clips = _END_US if version is None else fetch(cursor, _CLIPS, (version,))[0][0]
        self.bounds: dict[str, int] = {
            "clips": clips,
            "v": _END_US if version is None else version,
            "t": _END_US if as_of_us is None else as_of_us,
        }
        clips, newest, start_us, end_us, late = self.rows(_EXTENT)[0]
        self.snapshot = Snapshot(stream, newest, clips, late, start_us, end_us, as_of_us)
        self.people = (people or Cut.cast)(self)
        join_people(cursor, self.people)

    @property
    def zone(self) -> ZoneInfo:
        """Where the stream's midnight is."""
        told = self.rows("SELECT value FROM meta WHERE key = 'timezone'")
        return zone_of(told[0][0] if told else UTC_ZONE)

    def parts(self, entity: int) -> str:
        """Return an entity and the fragments that are read as it, as JSON: what `main.membership` knows it by."""
        return json.dumps(self.people.parts(entity))

    def cast(self) -> CastPeople:
        """Return whom castings name, read from the records."""
        return people_recalled(self._cursor, self.bounds, self.zone, self.ruled)

    @cached_property
    def standing(self) -> Standing:
        """What users said about who is who, and whom castings name."""
        return replace(self.ruled, people=self.people)

    @cached_property
    def ruled(self) -> Standing:
        """What users said alone."""
        return rulings(self._cursor, self.bounds["v"], self.bounds["t"])

    def standing_at(self, version: int) -> Standing:
        """Return what users had said when a version was made."""
        return rulings(self._cursor, version) if self.ruled.rulings else self.ruled

    def ruled_after(self, version: int) -> bool:
        """Whether users said anything after a version was made."""
        return bool(fetch(self._cursor, "SELECT 1 FROM ruling WHERE made > ? LIMIT 1", (version,)))

    def rows(self, query: str, **bindings: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query of ours; what comes from outside goes into `bindings` only."""
        return fetch(self._cursor, query, {**self.bounds, **bindings})


def nobody(_: Cut) -> CastPeople:
    """Return nobody, for who reads entities as association and users have them."""
    return NOBODY


@contextmanager
def cut_of(
    path: Path,
    stream: str,
    as_of_us: int | None = None,
    version: int | None = None,
    people: Callable[[Cut], CastPeople] | None = None,
) -> Iterator[Cut]:
    """Open the database of a stream and yield a cut, `people` as for it; the writer goes on meanwhile. Blocks.

    Raises RefusedError where there is no such stream or it lacks the version, TransientError, FatalError.
    """
    database = Database(path, stream, write=False)
    try:
        with database.reading() as cursor:
            cut = Cut(cursor, stream, as_of_us, version, people)
            if version is not None and as_of_us is None and cut.snapshot.version < version:
                raise RefusedError(f"version {version} of stream {stream!r} is not here yet; ask without the cursor")
            yield cut
    finally:
        database.close()
