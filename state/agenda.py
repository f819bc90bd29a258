"""What is to be written about a stream and is not: found in its store, so that a restart finds the same again.

A thing is due once all that it is to be written from is there, by the stream's own watermark: then is when it is known,
however late a model answers. The newest comes first. Nothing is asked here; one thread at a time.
"""

import heapq
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import apsw

from biographer.state.caption import MADE_FROM
from biographer.state.closing import Closing, WindowVersion
from biographer.state.database import Database, fetch
from biographer.state.episode import LOCAL
from biographer.state.people import PEOPLE
from biographer.state.piece import ENDED, OBSERVATION, Piece
from biographer.state.stretch import Stretch
from biographer.state.times import SECOND_US

REACH_US = 40 * SECOND_US
"""How far behind an observation the lines are read that it is described with (GEB appendix: 40 s)."""

LOCAL_WRITINGS = ("hearing", "caption", "relations", "cast")
"""What is written about each local episode; what is heard is read by all others, the caption by the relations."""

WINDOW_WRITINGS = {"summary": tuple(MADE_FROM), "names": ("3min",), "chains": ("3min",), "profiles": ("10min",)}
"""What is written about closed windows, and of which scales.

Chains read the names, and all chains before them; profiles who was cast in the window, and all profiles before them.
Of a window that was closed before, chains are written about what has come to it since.
"""

_HEARD_BACK = 64
"""So many clips back it is looked for what a description waits to be heard."""

_CLIPS = """
SELECT number, name, start_us, end_us, known_us, watermark_us,
  media IS NOT NULL AND NOT EXISTS (SELECT 1 FROM line WHERE clip = number AND kind = 'speech')
FROM clip WHERE number >= ? ORDER BY number
"""
_OBSERVATIONS = "SELECT number, clip, start_us, end_us, label FROM observation WHERE clip >= ? ORDER BY number"
_PIECES = "SELECT number, clip, known_us, writing, scale, place, version FROM piece WHERE number > ? ORDER BY number"

_CHAINED = ("chains", "profiles")
"""Written one after the other."""

_Seen = list[tuple[int, int, int]]
"""Observations of one clip: number, start and end."""


@dataclass(frozen=True, slots=True)
class Due:
    """One piece to be written, known since `known_us`, about clips by number, of which `reads` is the last to look at.

    `needs` are the pieces whose texts it is made from; `stretch` is what it is about, None for an observation.
    """

    piece: Piece
    known_us: int
    clips: tuple[int, ...]
    reads: int
    stretch: Stretch | None = None
    needs: tuple[Piece, ...] = ()


class Agenda:
    """Of one stream: `wanted` names the writings that somebody can do."""

    def __init__(self, path: Path, stream: str, wanted: Collection[str]) -> None:
        self._path, self._stream, self._wanted = path, stream, frozenset(wanted)
        self._names: list[str] = []
        self._known_us = 0
        self._last_piece = -1
        self._done: set[Piece] = set()
        self._open: list[tuple[int, int]] = []
        self._clip_of: dict[int, tuple[int, int, int]] = {}
        self._observations = 0
        self._ready: dict[str, list[tuple[int, Piece]]] = defaultdict(list)
        self._due: dict[Piece, Due] = {}
        self._versions: dict[tuple[str, int], int] = {}
        self._chained: dict[str, Piece] = {}
        self._heard: deque[tuple[int, int, Piece]] = deque(maxlen=_HEARD_BACK)
        self._to_hear: set[int] = set()
        self._peopled: set[int] = set()
        self._waived: set[str] = set()
        self._waiting_for: dict[Piece, list[Piece]] = defaultdict(list)
        self._closing: Closing | None = None

    @property
    def waiting(self) -> Counter[str]:
        """How many pieces are due and not taken, by what is to be written."""
        return Counter(piece.writing for piece in self._due)

    @property
    def is_waiting(self) -> bool:
        """Whether something waits for lines that clips to come may bring, or for the end of a window."""
        windows = self._closing is not None and self._closing.is_open
        return bool(self._open) or (windows and not self._wanted.isdisjoint(WINDOW_WRITINGS))

    @property
    def names(self) -> list[str]:
        """The clips' names, by number."""
        return self._names

    def look(self) -> None:
        """Read what came since. Blocks; raises TransientError or FatalError where the store cannot be read."""
        database = Database(self._path, self._stream, write=False)
        try:
            if self._closing is None:
                self._closing = Closing(database.zone)
            with database.reading() as cursor:
                self._read(cursor, self._closing)
        finally:
            database.close()

    def take(self, allowed: Collection[str]) -> Due | None:
        """Return the newest that is due and allowed, and hand it out; None where there is nothing."""
        first = min((top for writing in allowed if (top := self._top(writing)) is not None), default=None)
        if first is None:
            return None
        heapq.heappop(self._ready[first[1].writing])
        return self._due.pop(first[1])

    def _top(self, writing: str) -> tuple[int, Piece] | None:
        """Return the first of a kind that can be written now; what waits for others is set aside until they are."""
        ready = self._ready[writing]
        while ready:
            due = self._due.get(ready[0][1])
            missing = None if due is None else next((one for one in due.needs if self._is_missing(one)), None)
            if due is not None and missing is None:
                return ready[0]
            heapq.heappop(ready)
            if due is not None and missing is not None:
                self._waiting_for[missing].append(due.piece)
        return None

    def _is_missing(self, piece: Piece) -> bool:
        return piece not in self._done and piece.writing not in self._waived

    def waive(self, writing: str) -> None:
        """Let what waits for pieces of a kind go on without them, until one of them is settled."""
        self._waived.add(writing)
        for missing in [one for one in self._waiting_for if one.writing == writing]:
            self._go_on(missing)

    def put_back(self, due: Due) -> None:
        """Take back what could not be written for now."""
        self._add(due)

    def settle(self, pieces: Iterable[Piece]) -> None:
        """Note that pieces are written: nobody is asked for them again, and what waited for them goes on."""
        for piece in pieces:
            if not self._is_past(piece):
                self._done.add(piece)
            self._due.pop(piece, None)
            self._waived.discard(piece.writing)
            self._go_on(piece)

    def _go_on(self, missing: Piece) -> None:
        for waiting in self._waiting_for.pop(missing, ()):
            if waiting in self._due:
                self._push(self._due[waiting])

    def _is_past(self, piece: Piece) -> bool:
        """Whether nothing asks again if a piece is written: an observation is due once, and nothing is made of it."""
        number = piece.place
        return piece.scale == OBSERVATION and number < self._observations and number not in self._clip_of

    def _read(self, cursor: apsw.Cursor, closing: Closing) -> None:
        pieces = fetch(cursor, _PIECES, (self._last_piece,))
        self.settle(Piece(*row[3:]) for row in pieces)
        self._last_piece = pieces[-1][0] if pieces else self._last_piece
        ends = {clip: known_us for _, clip, known_us, writing, *_ in pieces if writing == ENDED}
        first = len(self._names)
        self._end([clip for clip in ends if clip < first], ends, closing)
        seen: dict[int, _Seen] = defaultdict(list)
        for number, clip, start_us, end_us, label in fetch(cursor, _OBSERVATIONS, (first,)):
            seen[clip].append((number, start_us, end_us))
            self._observations = number + 1
            if label.casefold() in PEOPLE:
                self._peopled.add(clip)
        for number, name, start_us, end_us, known_us, watermark_us, to_hear in fetch(cursor, _CLIPS, (first,)):
            self._names.append(name)
            self._known_us = max(self._known_us, known_us, watermark_us)
            if to_hear and "hearing" in self._wanted:
                self._to_hear.add(number)
            self._add_local(number, name, start_us, end_us, known_us)
            self._add_observations(number, known_us, watermark_us, seen[number])
            self._add_windows(number, closing.grow(number, start_us, "", watermark_us, self._known_us))
            self._end([number] if number in ends else [], ends, closing)
        if not first:
            self._done = {piece for piece in self._done if not self._is_past(piece)}

    def _add_observations(self, clip: int, known_us: int, watermark_us: int, seen: _Seen) -> None:
        if "description" not in self._wanted:
            return
        for number, start_us, end_us in seen:
            heapq.heappush(self._open, (max(known_us, end_us + REACH_US), number))
            self._clip_of[number] = clip, start_us, end_us
        while self._open and self._open[0][0] <= watermark_us:
            self._describe(clip, self._known_us)

    def _end(self, clips: Collection[int], ends: Mapping[int, int], closing: Closing) -> None:
        """Describe what waits for lines that will not come, and close the windows: a recording is over, or rests."""
        for clip in sorted(clips):
            while self._open:
                self._describe(clip, ends[clip])
            self._add_windows(clip, closing.rest(ends[clip]))

    def _describe(self, reads: int, known_us: int) -> None:
        """Make the next open observation due; it reads the lines of clips up to one."""
        _, number = heapq.heappop(self._open)
        clip, start_us, end_us = self._clip_of.pop(number)
        around = (start_us - REACH_US, end_us + REACH_US)
        needs = tuple(piece for start, end, piece in self._heard if start <= around[1] and end >= around[0])
        self._add(Due(Piece.of_observation("description", number), known_us, (clip,), reads, needs=needs))

    def _add_local(self, clip: int, name: str, start_us: int, end_us: int, known_us: int) -> None:
        stretch = Stretch(LOCAL, start_us, end_us, known_us, (name,))
        if clip in self._to_hear:
            self._heard.append((start_us, end_us, Piece.of_stretch("hearing", stretch, clip)))
        for writing in LOCAL_WRITINGS:
            if writing in self._wanted and self._is_asked(writing, clip):
                piece = Piece.of_stretch(writing, stretch, clip)
                self._add(Due(piece, known_us, (clip,), clip, stretch, self._needed(self._read_by(writing, clip))))

    def _is_asked(self, writing: str, clip: int) -> bool:
        """Whether a clip gives rise to it: somebody to cast, or a sound to hear that nobody wrote down."""
        return {"cast": clip in self._peopled, "hearing": clip in self._to_hear}.get(writing, True)

    def _read_by(self, writing: str, clip: int) -> list[Piece]:
        """Return what is to be there before something is written about a local episode."""
        if writing == "hearing":
            return []
        read = [Piece("hearing", LOCAL, clip)] if clip in self._to_hear else []
        if writing == "relations":
            read.append(Piece("caption", LOCAL, clip))
        if writing == "cast" and "profiles" in self._chained:
            read.append(self._chained["profiles"])
        return read

    def _add_windows(self, clip: int, closed: list[WindowVersion]) -> None:
        for one in closed:
            self._versions[one.scale, one.start_us] = one.version
        for one in closed:
            names = tuple(self._names[number] for number in one.clips)
            stretch = Stretch(one.scale, one.start_us, one.end_us, one.known_us, names, one.version)
            for writing, scales in WINDOW_WRITINGS.items():
                if writing in self._wanted and one.scale in scales and self._is_told(writing, one):
                    piece = Piece.of_stretch(writing, stretch, clip)
                    needs = self._needed([*self._parts(writing, one), *self._before(piece)])
                    about = one.fresh if writing == "chains" else one.clips
                    self._add(Due(piece, one.known_us, about, clip, stretch, needs))

    def _is_told(self, writing: str, window: WindowVersion) -> bool:
        """Whether there is something to make it from: of nobody there is no profile."""
        return writing != "profiles" or not self._peopled.isdisjoint(window.clips)

    def _before(self, piece: Piece) -> list[Piece]:
        """Return what else is to be there first: links are numbered in the order in which windows closed."""
        if piece.writing not in _CHAINED:
            return []
        before = self._chained.get(piece.writing)
        self._chained[piece.writing] = piece
        named = [replace(piece, writing="names")] if piece.writing == "chains" else []
        return [*named, *([before] if before else [])]

    def _parts(self, writing: str, window: WindowVersion) -> list[Piece]:
        """Return what a window's writing is made from: the texts of the scale below it, or of its local episodes."""
        if writing == "profiles":
            return [Piece("cast", LOCAL, clip) for clip in window.clips if clip in self._peopled]
        below = MADE_FROM[window.scale] if writing == "summary" else LOCAL
        if below == LOCAL:
            heard = [Piece("hearing", LOCAL, clip) for clip in window.clips if clip in self._to_hear]
            return [*heard, *(Piece("caption", LOCAL, clip) for clip in window.clips)]
        return [
            Piece("summary", scale, start_us, version)
            for (scale, start_us), version in self._versions.items()
            if scale == below and window.start_us <= start_us < window.end_us
        ]

    def _needed(self, pieces: list[Piece]) -> tuple[Piece, ...]:
        return tuple(piece for piece in pieces if piece.writing in self._wanted)

    def _add(self, due: Due) -> None:
        if due.piece not in self._done:
            self._due[due.piece] = due
            self._push(due)

    def _push(self, due: Due) -> None:
        heapq.heappush(self._ready[due.piece.writing], (-due.known_us, due.piece))
