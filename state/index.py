"""The search index of one stream: texts, postings, windows and biographies in append-only columns.

Derived from the records, grown by one writer; readers take a `View` of it. Local episodes have their clips' numbers,
observations the memory's. Nothing here ranks.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, tzinfo

import numpy as np

from biographer.state.amendment import FiledPiece
from biographer.state.biographies import Biographies
from biographer.state.closed_windows import ClosedWindows
from biographer.state.closing import Closing, WindowVersion
from biographer.state.column import Column
from biographer.state.delta import Columns, Delta, Names, mark, refill, since
from biographer.state.extent import Extent
from biographer.state.learned import Learned, Seen
from biographer.state.membership import Membership
from biographer.state.piece import ENDED
from biographer.state.postings import Postings
from biographer.state.relations import NOBODY
from biographer.state.ruling import Ruling
from biographer.state.rulings import Rulings
from biographer.state.spans import Spans
from biographer.state.texts import NO_VECTOR, Texts, Vectors
from biographer.state.tokens import Tokens
from biographer.state.told import Told
from biographer.state.windows import SCALES, window_start
from biographer.state.wording import description, ordered, segments, spoken


class Index:
    """Columns of clips, of their segments and lines, of observations and their phrases, and of window versions."""

    def __init__(self, zone: tzinfo = UTC) -> None:
        self.texts = Texts()
        self.names: list[str] = []
        self.episode_texts: list[str] = []
        self.episodes = Postings()
        self.clips = Spans()
        self.known = Column(np.int64)
        self.made = Column(np.int64)
        """The version of the memory that each clip made."""
        self.rested = Column(np.int8)
        """Whether the stream came to rest before each clip: its windows closed then."""
        self.hours = Column(np.int64)
        self.first_observation = _counting()
        self.first_segment = _counting()
        self.first_line = _counting()
        self.first_phrase = _counting()
        self.segment_texts = Column(np.int32)
        self.line_texts = Column(np.int32)
        self.line_speakers = Column(np.int32)
        self.speakers: dict[str, int] = {}
        self.speaker_names: list[str] = []
        self.observations = Spans()
        self.clip_of, self.track_of = Column(np.int32), Column(np.int64)
        self.label_of = Column(np.int32)
        self.labels: dict[str, int] = {}
        self.label_names: list[str] = []
        # This and `phrase_of` as numpy takes indices: it would convert another type with each search.
        self.entity_of = Column(np.int64)
        self.member_known = Column(np.int64)
        self.aparts = Column(np.int64, (2,))
        """Pairs of observations that show two entities apart; both of one clip."""
        self.phrases = Postings()
        self.phrase_texts = Column(np.int32)
        self.phrase_of = Column(np.int64)
        self._phrases: dict[str, int] = {}
        self.biographies = Biographies()
        self.windows = ClosedWindows()
        self.told, self.rulings = Told(), Rulings()
        self.zone = zone
        self._version = 0
        self._closing = Closing(zone)
        self._tokens = Tokens()
        self._entities = 0
        self._in_order = True
        self._rests = False
        self._known_us = 0
        """Since when everything so far is known: so long does what is decided of it wait (`Memory.known_us`)."""
        self._mark = mark(self._columns(), self._names())
        """How far what was told of in deltas reaches: what a rest adds goes with the next clip's."""
        self.extent = self._reach()

    def grow(self, learned: Learned) -> Delta:
        """Add the next clip, and let readers see it once all of it is there; return what it added."""
        if learned.rested:
            self._rest()
        self.texts.learn(learned.vectors)
        self._in_order &= not len(self.known) or learned.known_us >= int(self.known[-1])
        self._known_us = max(self._known_us, learned.known_us, learned.watermark_us)
        clip = len(self.clips)
        self._add_lines(learned)
        self._add_observations(clip, learned)
        for pair in learned.aparts:
            self.aparts.append(pair)
        self._add_clip(learned)
        self.rulings.add((), learned.ruled)
        times = (learned.watermark_us, self._known_us)
        for version in self._closing.grow(clip, learned.start_us, learned.text, *times):
            self._add_window(version)
        self.biographies.grow(self.entity_of.view())
        self.extent = self._reach()
        start, self._mark = self._mark, mark(self._columns(), self._names())
        return since(start, self._columns(), self._names(), self._postings())

    def amend(
        self, version: int, pieces: Iterable[FiledPiece], each: Callable[[FiledPiece], None] = lambda _: None
    ) -> None:
        """Add what was written about clips that are here, and let readers see it once all of it is there.

        `each` is told of every piece once it is learned.
        """
        for piece in pieces:
            if piece.piece.writing == ENDED and piece.clip == len(self.clips) - 1:
                self._rest()
            self.told.grow(piece, self._closing.windows.number, self._sighting, self.names)
            each(piece)
        self._version = max(self._version, version)
        self.extent = self._reach()

    def obey(self, version: int, rulings: Iterable[Ruling], memberships: Iterable[Membership]) -> None:
        """Add what users said about who is who, and let readers see it once all of it is there."""
        self.rulings.add(rulings, memberships)
        self._version = max(self._version, version)
        self.extent = self._reach()

    def refill(self, deltas: Sequence[Delta], vectors: Iterable[Vectors]) -> None:
        """Make of an empty index what clips made of another: what each added, and the vectors of their texts.

        Raises ValueError or IndexError where they do not fit together.
        """
        for one in vectors:
            self.texts.encoded(one)
        if any("window codes" in delta.rows for delta in deltas):
            self.windows.encode(self.texts.codes.dim)
        refill(deltas, self._columns(), self._names(), self._postings())
        self.texts.renumber()
        self._phrases = {self.texts.strings[text]: n for n, text in enumerate(self.phrase_texts.view().tolist())}
        self.labels = {label.casefold(): number for number, label in enumerate(self.label_names)}
        self.speakers = {speaker: number for number, speaker in enumerate(self.speaker_names)}
        self._entities = int(self.entity_of.view().max(initial=-1)) + 1
        self._version = int(self.made.view().max(initial=0))
        self._in_order = bool(np.all(np.diff(self.known.view()) >= 0))
        self._close_again()
        self.biographies.grow(self.entity_of.view())
        self._mark = mark(self._columns(), self._names())
        self.extent = self._reach()

    def _rest(self) -> None:
        """Close all windows, for nothing follows the last clip for now; where they are closed, nothing changes."""
        self._rests = True
        for version in self._closing.rest(self._known_us):
            self._add_window(version)

    def _close_again(self) -> None:
        """Let the windows of all clips close as they did."""
        self.windows.joined.lengthen(len(self.clips), -1)
        watermarks = np.maximum.accumulate(self.clips.ends.view())
        known = np.maximum.accumulate(np.maximum(self.known.view(), watermarks))
        columns = (self.clips.starts.view(), watermarks, known, self.rested.view())
        for clip, (start_us, watermark_us, known_us, rested) in enumerate(
            zip(*(one.tolist() for one in columns), strict=True)
        ):
            closed = self._closing.rest(self._known_us) if rested else []
            self._known_us = known_us
            closed += self._closing.grow(clip, start_us, self.episode_texts[clip], watermark_us, known_us)
            for version in closed:
                self.windows.join(version)

    def _columns(self) -> Columns:
        """Return the columns that grow at their ends alone, but for texts' vectors, which the store holds."""
        columns: Columns = {name: one for name, one in vars(self).items() if isinstance(one, Column)}
        spans = {"clips": self.clips, "observations": self.observations}
        columns |= {f"{name} from": one.starts for name, one in spans.items()}
        columns |= {f"{name} to": one.ends for name, one in spans.items()}
        columns["text rows"] = self.texts.rows
        return columns | self.windows.columns()

    def _names(self) -> Names:
        return {
            "clips": self.names,
            "episodes": self.episode_texts,
            "labels": self.label_names,
            "speakers": self.speaker_names,
            "texts": self.texts.strings,
        }

    def _postings(self) -> dict[str, Postings]:
        return {"episodes": self.episodes, "phrases": self.phrases, "windows": self.windows.postings}

    def _add_clip(self, learned: Learned) -> None:
        self._post(self.episodes, learned.text)
        self.names.append(learned.name)
        self.episode_texts.append(learned.text)
        self.known.append(learned.known_us)
        self.made.append(learned.version)
        self.rested.append(self._rests)
        self._rests = False
        self._version = max(self._version, learned.version)
        self.hours.append(window_start(learned.start_us, SCALES["1h"], self.zone))
        self.windows.joined.append((-1, -1, -1))
        self.first_observation.append(len(self.clip_of))
        self.first_segment.append(len(self.segment_texts))
        self.first_line.append(len(self.line_texts))
        self.first_phrase.append(len(self.phrases))
        self.clips.append(learned.start_us, learned.end_us)

    def _add_lines(self, learned: Learned) -> None:
        lines = ordered(learned.lines)
        texts = [spoken(line) for line in lines]
        self.segment_texts.extend([self.texts.number(text) for text in segments(texts)])
        self.line_texts.extend([self.texts.number(text) for text in texts])
        self.line_speakers.extend([self._speaker((line.speaker or "").casefold()) for line in lines])

    def _add_observations(self, clip: int, learned: Learned) -> None:
        for one in learned.seen:
            self.observations.append(one.start_us, one.end_us)
            self.label_of.append(self._label(one.label))
            self.phrase_of.append(self._phrase(one))
            self.entity_of.append(one.entity)
            self.member_known.append(self._known_us)
            self.track_of.append(one.track)
            self.clip_of.append(clip)
            self._entities = max(self._entities, one.entity + 1)

    def _sighting(self, clip: int, track: int) -> int:
        first = int(self.first_observation[clip])
        found = np.flatnonzero(self.track_of[first : int(self.first_observation[clip + 1])] == track)
        return first + int(found[0]) if len(found) else NOBODY

    def _speaker(self, speaker: str) -> int:
        number = self.speakers.setdefault(speaker, len(self.speakers))
        if number == len(self.speaker_names):
            self.speaker_names.append(speaker)
        return number

    def _label(self, label: str) -> int:
        number = self.labels.setdefault(label.casefold(), len(self.labels))
        if number == len(self.label_names):
            self.label_names.append(label)
        return number

    def _phrase(self, one: Seen) -> int:
        text = description(one.label, one.text)
        number = self._phrases.get(text)
        if number is None:
            self.phrase_texts.append(self.texts.number(text))
            number = self._phrases[text] = self._post(self.phrases, text)
        return number

    def _add_window(self, version: WindowVersion) -> None:
        parts = [self.segment_texts[self.first_segment[clip] : self.first_segment[clip + 1]] for clip in version.clips]
        rows = self.texts.rows[np.concatenate(parts)]
        rows = rows[rows != NO_VECTOR]
        terms = self._tokens.terms(version.text)
        mean = self.texts.codes.mean(rows) if len(rows) else None
        self.windows.add(version, terms, self._tokens.length(terms), mean)

    def _post(self, postings: Postings, text: str) -> int:
        terms = self._tokens.terms(text)
        return postings.add(terms, self._tokens.length(terms))

    def _reach(self) -> Extent:
        return Extent(
            version=self._version,
            clips=len(self.names),
            observations=len(self.clip_of),
            entities=max(self._entities, self.rulings.extent().entities),
            texts=len(self.texts),
            vectors=len(self.texts.codes),
            phrases=len(self.phrases),
            windows=len(self._closing.windows),
            window_versions=len(self.windows),
            base=self.biographies.base,
            recent=self.biographies.recent,
            told=self.told.extent(),
            rulings=self.rulings.extent(),
            in_order=self._in_order,
        )


def _counting() -> "Column[np.int64]":
    column: Column[np.int64] = Column(np.int64)
    column.append(0)
    return column
