"""What each piece is written from: pictures, lines and texts of one stream, as they were known when it was due.

Read from the store and the media beside the writer; nothing later than the piece's own time is looked at.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from biographer.daemon.writing_cast import ensemble, notes
from biographer.daemon.writing_pictures import ClipPictures
from biographer.models.captioning import Moment
from biographer.models.casting import Ensemble
from biographer.models.chaining import MOST_EVENTS, Chapter
from biographer.models.describing import Encounter, lines_around
from biographer.models.lines_shown import line_told
from biographer.models.relating import Scene, rows_of
from biographer.models.told_texts import TimedText
from biographer.state.agenda import REACH_US, Due
from biographer.state.chains import Chains
from biographer.state.cut import Cut, cut_of, nobody
from biographer.state.description import Mode
from biographer.state.episode import LOCAL, sightings
from biographer.state.errors import FatalError
from biographer.state.line import Line, LineKind
from biographer.state.media import MediaFolder
from biographer.state.observation import Observation
from biographer.state.piece import Piece
from biographer.state.recalled_clips import ClipRecord, clip, heard, lines, with_heard
from biographer.state.recalled_observations import sighting, sightings_of_clip, trail_of
from biographer.state.recalled_remarks import links_after, mentions, text_of
from biographer.state.sound import Sound
from biographer.state.stretch import Stretch
from biographer.state.windows import SCALES, window_text

_AROUND = """
SELECT l.start_us, l.end_us, l.kind, l.text, l.speaker FROM clip c JOIN line l ON l.clip = c.number
WHERE c.number <= :reads AND c.known_us >= :begin AND c.start_us <= :until
  AND l.end_us >= :begin AND l.start_us <= :until
ORDER BY l.start_us, l.end_us, c.number, l.n
"""

_HEARD_AROUND = """
SELECT c.number FROM clip c JOIN remark r ON r.kind = 'heard' AND r.clip = c.number
WHERE c.number <= :reads AND c.known_us >= :begin AND c.start_us <= :until AND c.end_us >= :begin ORDER BY c.number
"""

_LOCAL = """
SELECT c.name, e.start_us, e.end_us, e.text FROM clip c JOIN episode e ON e.number = c.number AND e.version = 0
WHERE c.number = :number
"""


class Material:
    """Of one stream; blocks. `views` and `clip_views` bound what a describer and a captioner are shown."""

    def __init__(self, path: Path, stream: str, media: MediaFolder, views: int, clip_views: int) -> None:
        self._path, self._stream = path, stream
        self._pictures = ClipPictures(media)
        self._views, self._clip_views = views, clip_views
        self._chains, self._last_linked = Chains(), -1

    def encounter(self, due: Due) -> Encounter:
        """Return what an observation is described from."""
        with self._cut(due) as cut:
            record, seen = _clip(cut, due.clips[0]), _observation(cut, due.piece.place)
            around = _lines(cut, due, seen.start_us - REACH_US, seen.end_us + REACH_US)
        crops = self._pictures.crops(seen.crops)
        views = self._pictures.views_of(record, seen, self._views)
        told = lines_around(around, seen, record.known_us, Mode.DEFERRED)
        return Encounter(record.name, seen, crops, views, told, due.known_us, Mode.DEFERRED)

    def moment(self, due: Due) -> Moment:
        """Return what a local episode is captioned from."""
        with self._cut(due) as cut:
            record = _clip(cut, due.clips[0])
            told, found = (
                tuple(lines(cut, record.number)),
                sightings(one.label for one in sightings_of_clip(cut, record.number)),
            )
        return Moment(_stretch(due), self._pictures.views(record, self._clip_views), told, found)

    def scene(self, due: Due) -> Scene:
        """Return what a clip's relations are read from."""
        with self._cut(due) as cut:
            record = _clip(cut, due.clips[0])
            own = text_of(cut, "caption", LOCAL, record.number)
            caption = TimedText(record.start_us, record.end_us, own, (record.name,)) if own else None
            heard = [one for one in lines(cut, record.number) if one.end_us <= due.known_us and one.text.strip()]
            told = [TimedText(one.start_us, one.end_us, line_told(one), (record.name,)) for one in heard]
            subjects = {one.track: one.label for one in sightings_of_clip(cut, record.number)}
        return Scene(_stretch(due), rows_of(caption, told), subjects)

    def sound(self, due: Due) -> Sound | str | None:
        """Return a clip's sound, None where it has none, or why it can't be had."""
        with self._cut(due) as cut:
            record = _clip(cut, due.clips[0])
        return self._pictures.sound(record)

    def ensemble(self, due: Due) -> Ensemble:
        """Return what a clip's people are cast from."""
        with self._cut(due) as cut:
            return ensemble(cut, due, _stretch(due), self._pictures)

    def notes(self, due: Due) -> tuple[int, Mapping[str, list[str]]]:
        """Return the start of a window's day, and what its people wore by then, by name."""
        with self._cut(due) as cut:
            return notes(cut, due, _stretch(due))

    def texts(self, due: Due) -> tuple[TimedText, ...]:
        """Return the texts that a window's is made from, in order of time: those of the scale below."""
        with self._cut(due) as cut:
            local = [_local_text(cut, number) for number in due.clips]
            below = [piece for piece in due.needs if piece.writing == "summary"]
            return tuple(_window_text(cut, piece, local) for piece in below) if below else tuple(local)

    def chapter(self, due: Due, texts: tuple[TimedText, ...]) -> Chapter:
        """Return what chains are extended from: the topics are the window's names, those told of most often first."""
        with self._cut(due) as cut:
            self._read_links(cut)
            names = mentions(cut, due.piece.scale, due.piece.place, due.piece.version)
        topics = tuple(one.name for one in sorted(names, key=lambda one: (-len(one.clips), one.key)))
        return Chapter(_stretch(due), texts, topics, self._open_events())

    def _open_events(self) -> dict[int, str]:
        """Return the events that were gone on with last, with their title and last step: those may go on."""
        steps = self._chains.steps
        last = {chain: row for row, chain in enumerate(steps.chains[:].tolist())}
        newest = sorted(last, key=lambda chain: (-steps.ends[last[chain]], chain))[:MOST_EVENTS]
        return {chain: f"{self._chains.events[chain]}: {steps.records[last[chain]].text}" for chain in newest}

    def _read_links(self, cut: Cut) -> None:
        """Read the links of chains that were written since; none is written before all of them are."""
        for piece, link in links_after(cut, self._last_linked):
            self._chains.add(link, 0)
            self._last_linked = piece

    def _cut(self, due: Due) -> AbstractContextManager[Cut]:
        # Whom castings name is another's reading of what is read here.
        return cut_of(self._path, self._stream, due.known_us, people=nobody)


def _stretch(due: Due) -> Stretch:
    if due.stretch is None:
        raise FatalError(f"{due.piece} is about no stretch; report this")
    return due.stretch


def _clip(cut: Cut, number: int) -> ClipRecord:
    found = clip(cut, number)
    if found is None:
        raise FatalError(f"clip {number} is due and not in the store; run `biographer verify`")
    return found


def _observation(cut: Cut, number: int) -> Observation:
    seen, trail = sighting(cut, number), trail_of(cut, number)
    if seen is None or trail is None:
        raise FatalError(f"observation {number} is due and not in the store; run `biographer verify`")
    return Observation(
        seen.track, seen.label, seen.score, trail.times_us, trail.boxes, None, seen.text, seen.crops, seen.flaw
    )


def _lines(cut: Cut, due: Due, begin_us: int, until_us: int) -> tuple[Line, ...]:
    bounds = {"reads": due.reads, "begin": begin_us, "until": until_us}
    came = [Line(row[0], row[1], LineKind(row[2]), row[3], row[4]) for row in cut.rows(_AROUND, **bounds)]
    for (number,) in cut.rows(_HEARD_AROUND, **bounds):
        said = (line for one in heard(cut, number) for line in one.lines)
        came += [line for line in said if line.end_us >= begin_us and line.start_us <= until_us]
    return tuple(sorted(came, key=lambda line: (line.start_us, line.end_us)))


def _local_text(cut: Cut, number: int) -> TimedText:
    ((name, start_us, end_us, extract),) = cut.rows(_LOCAL, number=number)
    own = text_of(cut, "caption", LOCAL, number) or with_heard(cut, number, extract)
    return TimedText(start_us, end_us, own, (name,))


def _window_text(cut: Cut, piece: Piece, local: list[TimedText]) -> TimedText:
    """Return the text of a window's version, or an extract of its local ones where none could be written.

    Late clips make versions that are known since the same time, and which of them is written by now is a model's mood.
    """
    end_us = piece.place + SCALES[piece.scale]
    inside = [one for one in local if piece.place <= one.start_us < end_us]
    names = tuple(name for one in inside for name in one.clips)
    own = text_of(cut, "summary", piece.scale, piece.place, piece.version) or window_text([one.text for one in inside])
    return TimedText(piece.place, end_us, own, names)
