"""Reading a stream's records straight from its store, beside a daemon that writes: one consistent read a call.

For the command line and exports. What is live (search, as-of) reads the memory instead.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zoneinfo import ZoneInfo

import apsw

from biographer.state.closing import WindowVersion
from biographer.state.coarse import Coarse
from biographer.state.cut import Cut
from biographer.state.database import Database, fetch
from biographer.state.episode import LOCAL
from biographer.state.errors import RefusedError
from biographer.state.folder import refuse_missing, stream_names
from biographer.state.listing import EntityRow, EpisodeRow, ObservationRow, StreamRow
from biographer.state.observation import Crop
from biographer.state.recalled_clips import with_heard
from biographer.state.recalled_remarks import described, text_of
from biographer.state.ruling_rows import apart_pairs
from biographer.state.standing import Standing
from biographer.state.wording import with_caption

_ENTITIES = """
WITH latest AS (SELECT observation, entity, max(version) FROM membership GROUP BY observation),
seen AS (
  SELECT entity, label, clip, start_us, end_us, score FROM latest JOIN observation ON number = observation),
named AS (
  SELECT entity, label, row_number() OVER (PARTITION BY entity ORDER BY count(*) DESC, label) AS place
  FROM seen GROUP BY entity, label)
SELECT seen.entity, named.label, count(*), count(DISTINCT clip), min(start_us), max(end_us)
FROM seen JOIN named ON named.entity = seen.entity AND place = 1
GROUP BY seen.entity ORDER BY count(*) DESC, seen.entity
"""

_OBSERVATIONS = """
SELECT o.number, c.name, o.track, m.entity, o.label, o.score, o.start_us, o.end_us, o.known_us, m.similarity, m.cause,
  o.flaw, o.text
FROM observation o JOIN clip c ON c.number = o.clip
LEFT JOIN membership m ON m.observation = o.number
  AND m.version = (SELECT max(version) FROM membership WHERE observation = o.number)
"""


_COUNTS = """
WITH latest AS (SELECT observation, entity, max(version) FROM membership GROUP BY observation)
SELECT (SELECT count(*) FROM observation), (SELECT count(DISTINCT entity) FROM latest),
  (SELECT count(*) FROM observation WHERE embedder IS NULL)
"""

_EPISODES = """
SELECT e.number, e.scale, c.name, e.start_us, e.end_us, e.known_us, c.late, e.text
FROM episode e JOIN clip c ON c.number = e.number
WHERE e.version = (SELECT max(version) FROM episode WHERE number = e.number)
ORDER BY e.start_us, e.end_us, e.number
"""

_IN_ORDER = " ORDER BY o.start_us, o.end_us, o.number"


class Reader:
    """Reads one stream. Raises RefusedError for a stream or an entity that is not there."""

    def __init__(self, state: Path, stream: str) -> None:
        self.stream = stream
        self.folder = refuse_missing(state, stream)
        self._database = Database(self.folder / "memory.db", stream, write=False)

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    @property
    def zone(self) -> ZoneInfo:
        """The zone of the stream's days. Raises RefusedError where it is unknown here."""
        return self._database.zone

    @contextmanager
    def _reading(self) -> Iterator[tuple[apsw.Cursor, Cut]]:
        """Yield a cursor that reads one state, in which whoever castings name is one, and all of it as a cut."""
        with self._database.reading() as cursor:
            yield cursor, Cut(cursor, self.stream, None, None)

    def summary(self) -> StreamRow:
        """Return the stream in numbers."""
        with self._reading() as (cursor, cut):
            now = cut.snapshot
            ((observations, entities, unidentified),) = fetch(cursor, _COUNTS)
        return StreamRow(
            self.stream,
            now.version,
            now.start_us,
            now.watermark_us,
            now.clips,
            now.late,
            observations,
            entities,
            unidentified,
            str(self.zone),
        )

    def entities(self, label: str | None = None) -> list[EntityRow]:
        """Return the entities, those seen most often first; only those of a label where one is given."""
        with self._reading() as (cursor, cut):
            apart, names = _apart(cursor, cut.standing), cut.standing.names
            rows = fetch(cursor, _ENTITIES)
        found = [EntityRow(*(*row, apart.get(row[0], ()), names.get(row[0]))) for row in rows]
        return [one for one in found if label is None or one.label == label]

    def entity(self, number: int) -> EntityRow:
        """Return one entity."""
        for one in self.entities():
            if one.entity == number:
                return one
        raise RefusedError(f"entity e{number} is unknown in stream {self.stream!r}; `biographer entities` lists them")

    def biography(self, entity: int) -> list[ObservationRow]:
        """Return an entity's observations in order of event time (GEB section 3.1)."""
        self.entity(entity)
        return self._observations("WHERE m.entity = ?", (entity,))

    def observations(self, clip: str | None = None) -> list[ObservationRow]:
        """Return all observations in order of event time, or those of one clip."""
        return self._observations("") if clip is None else self._observations("WHERE c.name = ?", (clip,))

    def episodes(self, scale: str = LOCAL) -> list[EpisodeRow]:
        """Return the episodes of a scale, in the words that are known last, in order of event time."""
        with self._reading() as (cursor, cut):
            if scale != LOCAL:
                return [_window_row(cut, one) for one in Coarse.of_cut(cut).of_scale(scale)]
            rows = fetch(cursor, _EPISODES)
            return [EpisodeRow(*(*row[:6], bool(row[6]), _captioned(cut, row[0], row[7]))) for row in rows]

    def _observations(self, where: str, bindings: tuple[object, ...] = ()) -> list[ObservationRow]:
        with self._reading() as (cursor, cut):
            rows = fetch(cursor, _OBSERVATIONS + where + _IN_ORDER, bindings)
            return [
                ObservationRow(*(*row[:-1], _described(cut, row[0], row[-1]), _crops(cursor, row[0]))) for row in rows
            ]


def _window_row(cut: Cut, one: WindowVersion) -> EpisodeRow:
    span = (one.start_us, one.end_us, one.known_us)
    text = text_of(cut, "summary", one.scale, one.start_us) or one.text
    return EpisodeRow(one.window, one.scale, "", *span, one.late, text)


def _captioned(cut: Cut, number: int, text: str) -> str:
    return with_caption(text_of(cut, "caption", LOCAL, number), with_heard(cut, number, text))


def _described(cut: Cut, number: int, text: str) -> str:
    said = described(cut, number)
    return text if said is None else said.text


def streams(state: Path) -> list[StreamRow]:
    """Return every stream of a state folder in numbers."""
    found = []
    for name in stream_names(state):
        reader = Reader(state, name)
        found.append(reader.summary())
        reader.close()
    return found


def _apart(cursor: apsw.Cursor, standing: Standing) -> dict[int, tuple[int, ...]]:
    pairs: dict[int, list[int]] = {}
    for low, high in apart_pairs(cursor, standing):
        pairs.setdefault(low, []).append(high)
        pairs.setdefault(high, []).append(low)
    return {entity: tuple(sorted(others)) for entity, others in pairs.items()}


def _crops(cursor: apsw.Cursor, observation: int) -> tuple[Crop, ...]:
    rows = fetch(
        cursor, "SELECT at_us, x0, y0, x1, y1, sha256 FROM crop WHERE observation = ? ORDER BY n", (observation,)
    )
    return tuple(Crop(row[0], row[1:5], row[5]) for row in rows)
