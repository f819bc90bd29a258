"""Clips, their lines and their local episodes as a cut shows them; and the log of changes, one a clip."""

from dataclasses import dataclass
from typing import Any

from biographer.state.authorship import Authorship
from biographer.state.cut import Cut
from biographer.state.heard import Heard
from biographer.state.line import Line, LineKind
from biographer.state.remark import remark_of

_CLIPS = """
SELECT number, name, start_us, end_us, known_us, late, version, watermark_us, media, media_type FROM clip
WHERE number < :clips AND known_us <= :t
"""

_CLIPS_BETWEEN = (
    _CLIPS
    + """
  AND end_us > :begin AND start_us < :until AND (start_us, end_us, number) > (:start, :end, :number)
ORDER BY start_us, end_us, number LIMIT :limit
"""
)

_CLIPS_BACKWARDS = (
    _CLIPS
    + """
  AND end_us > :begin AND start_us < :until AND (start_us, end_us, number) < (:start, :end, :number)
ORDER BY start_us DESC, end_us DESC, number DESC LIMIT :limit
"""
)

_EPISODES = """
SELECT e.number, e.scale, e.number, c.name, e.start_us, e.end_us, e.known_us, c.late, e.text
FROM episode e JOIN clip c ON c.number = e.number
WHERE c.number < :clips AND c.known_us <= :t AND e.version = (
  SELECT max(version) FROM episode WHERE number = e.number AND known_us <= :t)
  AND e.end_us > :begin AND e.start_us < :until AND (e.start_us, e.end_us, e.number) > (:start, :end, :number)
ORDER BY e.start_us, e.end_us, e.number LIMIT :limit
"""

_SEEN = """
SELECT o.number, m.entity, m.cause FROM observation o LEFT JOIN main.membership m
  ON m.observation = o.number AND m.version = 0 WHERE o.clip = :clip ORDER BY o.number
"""

_HEARD = """
SELECT r.body FROM remark r JOIN piece p ON p.number = r.piece
WHERE r.kind = 'heard' AND r.clip = :clip AND p.made <= :v AND r.known_us <= :t ORDER BY r.piece, r.n
"""

_END_US = 2**62

LAST = (_END_US, _END_US, _END_US)
"""The place behind all clips."""

Place = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class ClipRecord:
    """One clip; `media` is the SHA-256 of its kept file, `version` the one that it made."""

    number: int
    name: str
    start_us: int
    end_us: int
    known_us: int
    late: bool
    version: int
    watermark_us: int
    media: str | None
    media_type: str | None

    @property
    def place(self) -> Place:
        """Where it stands in the order of event time."""
        return self.start_us, self.end_us, self.number


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """One episode in the words that the cut knows: of a clip where it is local, else of the local ones it holds."""

    number: int
    scale: str
    clip: int | None
    clip_name: str | None
    start_us: int
    end_us: int
    known_us: int
    late: bool
    text: str
    holds: tuple[int, ...] = ()
    author: Authorship | None = None
    """Who wrote the text, or its beginning where a local episode's own lines follow it."""

    @property
    def place(self) -> Place:
        """Where it stands in the order of event time."""
        return self.start_us, self.end_us, self.number


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """What one clip brought: its observations' numbers, the entities they belong to, and those that are new."""

    clip: ClipRecord
    observations: tuple[int, ...]
    entities: tuple[int, ...]
    new_entities: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """A page of what overlaps a stretch of event time: from behind `after`, at most `limit`."""

    begin_us: int | None
    until_us: int | None
    after: Place
    limit: int

    def takes(self, place: Place) -> bool:
        """Whether it takes what has that place in the order of event time."""
        b = self.bindings()
        return place[1] > b["begin"] and place[0] < b["until"] and place > self.after

    def bindings(self) -> dict[str, int]:
        """Return it as a query's bindings."""
        start, end, number = self.after
        begin = -1 if self.begin_us is None else self.begin_us
        until = _END_US if self.until_us is None else self.until_us
        return {"begin": begin, "until": until, "start": start, "end": end, "number": number, "limit": self.limit}


def clips(cut: Cut, span: Span) -> list[ClipRecord]:
    """Return clips in order of event time."""
    return [_clip(row) for row in cut.rows(_CLIPS_BETWEEN, **span.bindings())]


def clips_backwards(cut: Cut, span: Span) -> list[ClipRecord]:
    """Return clips from the newest back, from before the span's `after`."""
    return [_clip(row) for row in cut.rows(_CLIPS_BACKWARDS, **span.bindings())]


def clip(cut: Cut, number: int) -> ClipRecord | None:
    """Return one clip, or None where the cut does not hold it."""
    rows = cut.rows(_CLIPS + " AND number = :number", number=number)
    return _clip(rows[0]) if rows else None


def clip_named(cut: Cut, name: str) -> ClipRecord | None:
    """Return the clip that was sent under a name, or None where the cut does not hold it."""
    rows = cut.rows(_CLIPS + " AND name = :name", name=name)
    return _clip(rows[0]) if rows else None


def lines(cut: Cut, number: int) -> list[Line]:
    """Return a clip's lines as they came, then those that were heard in it."""
    rows = cut.rows("SELECT start_us, end_us, kind, text, speaker FROM line WHERE clip = :clip ORDER BY n", clip=number)
    came = [Line(row[0], row[1], LineKind(row[2]), row[3], row[4]) for row in rows]
    return [*came, *(line for one in heard(cut, number) for line in one.lines)]


def heard(cut: Cut, number: int) -> list[Heard]:
    """Return what was heard in a clip."""
    found = [remark_of("heard", body) for (body,) in cut.rows(_HEARD, clip=number)]
    return [one for one in found if isinstance(one, Heard)]


def with_heard(cut: Cut, number: int, text: str) -> str:
    """Return a local episode's own text, and what was heard in its clip."""
    return "\n".join(part for part in (text, *(one.text for one in heard(cut, number))) if part)


def episodes(cut: Cut, span: Span) -> list[EpisodeRecord]:
    """Return local episodes in order of event time."""
    return [EpisodeRecord(*(*row[:7], bool(row[7]), row[8])) for row in cut.rows(_EPISODES, **span.bindings())]


def changes_after(cut: Cut, version: int, limit: int) -> list[ChangeRecord]:
    """Return what was applied after a version, in order, at most `limit` changes."""
    rows = cut.rows(_CLIPS + " AND version > :version ORDER BY version LIMIT :limit", version=version, limit=limit)
    return [_change(cut, _clip(row)) for row in rows]


def _change(cut: Cut, record: ClipRecord) -> ChangeRecord:
    seen = cut.rows(_SEEN, clip=record.number)
    owner = cut.standing_at(record.version).owner
    return ChangeRecord(
        record,
        tuple(row[0] for row in seen),
        tuple(sorted({owner(row[1]) for row in seen if row[1] is not None})),
        tuple(sorted({row[1] for row in seen if row[2] == "new"})),
    )


def _clip(row: tuple[Any, ...]) -> ClipRecord:
    number, name, start_us, end_us, known_us, late, *rest = row
    return ClipRecord(number, name, start_us, end_us, known_us, bool(late), *rest)
