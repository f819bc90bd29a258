"""A real week's words for a memory of a week or a month: embedded once, and put where ingest would have put them.

The texts are those of the week's clips, over and over for a month; entities are seen again as in GEB's week
(`population`). Each observation is described by a narration of its clip.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biographer.bench.embedded import embedded
from biographer.bench.population import PER_CLIP, WEEK_OBSERVATIONS, population
from biographer.bench.questions import read_clips
from biographer.bench.report import Say, paced
from biographer.bench.sample import Sample
from biographer.bench.seeding import Recording
from biographer.models.roles import TextEmbedder
from biographer.state.change import Change
from biographer.state.clip import Clip
from biographer.state.episode import local_text
from biographer.state.index import Index
from biographer.state.learned import Learned, Seen
from biographer.state.line import LineKind
from biographer.state.observation import Embedding
from biographer.state.perceived import Perceived
from biographer.state.texts import Vectors
from biographer.state.times import SECOND_US
from biographer.state.wording import ordered, segments, spoken

SCALES = {"week": WEEK_OBSERVATIONS, "month": 1_300_000}
WEEK_US = 7 * 86_400 * SECOND_US
_NOTHING = "nothing is told"


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """The week's clips, and the vectors of all their texts by an embedder."""

    clips: Sequence[Clip]
    embedder: str
    vectors: dict[str, NDArray[np.float32]]

    @classmethod
    def of(cls, clips: Path, embedder: TextEmbedder, say: Say) -> "Told":
        """Embed every line once; a segment's vector is here the mean of its lines', to spare the bench's own time."""
        week = list(read_clips(clips, "week"))
        lines = list(dict.fromkeys(spoken(line) for clip in week for line in ordered(clip.lines)))
        matrix = embedded(lines, embedder, say)
        vectors = dict(zip(lines, matrix, strict=True))
        for clip in week:
            for segment in segments([spoken(line) for line in ordered(clip.lines)]):
                if segment not in vectors:
                    mean = np.mean([vectors[line] for line in segment.split("\n") if line in vectors], axis=0)
                    vectors[segment] = (mean / np.linalg.norm(mean)).astype(np.float32)
        nothing = np.full(matrix.shape[1], matrix.shape[1] ** -0.5, np.float32)
        every = {text: vectors.get(text, nothing) for clip in week for text in texts(clip)}
        return cls(week, embedder.name, every)

    def given(self, wanted: Sequence[str]) -> dict[str, Embedding]:
        """Return the vectors of some of the texts."""
        return {text: Embedding(self.embedder, self.vectors[text]) for text in wanted}

    def index(self, scale: str, seed: int, say: Say) -> Index:
        """Return an index of the scale's observations; the week's clips come again as often as is needed."""
        count = -(-SCALES[scale] // PER_CLIP)
        people = population(count, np.random.default_rng(seed))
        index, known = Index(), set[str]()
        for number in paced(range(count), count, "clips", say):
            clip = self.clips[number % len(self.clips)]
            fresh = self.given([text for text in texts(clip) if text not in known])
            known.update(fresh)
            turn = number // len(self.clips)
            index.grow(_learned(clip, number, turn, people.entities[number].tolist(), Vectors.of(fresh)))
        return index


class ToldRecording(Recording):
    """A recording as `seeding` makes them, with the week's words in place of made-up ones."""

    def __init__(self, told: Told, sample: Sample, clips: int, seed: int) -> None:
        super().__init__(sample, clips, seed, PER_CLIP)
        self._told = told
        self._known: set[str] = set()

    def perceived(self, clip: int) -> Perceived:
        """Return a clip as perception would, its texts with their vectors."""
        made = super().perceived(clip)
        heard = self._told.clips[clip % len(self._told.clips)]
        shift_us, end_us = made.clip.start_us - heard.start_us, made.clip.end_us
        lines = tuple(
            replace(line, start_us=line.start_us + shift_us, end_us=min(line.end_us + shift_us, end_us))
            for line in heard.lines
            if line.start_us + shift_us < end_us
        )
        narrated = narrations(heard)
        observations = tuple(
            replace(one, text=narrated[slot % len(narrated)]) for slot, one in enumerate(made.observations)
        )
        return Perceived(
            replace(made.clip, lines=lines), observations, made.media, self._told.given(list(texts(heard)))
        )

    def change(self, clip: int, entities_before: int, aparts: set[tuple[int, int]]) -> Change:
        """Return a clip as a change, with the vectors of the texts that no earlier one had."""
        made = super().change(clip, entities_before, aparts)
        heard = self._told.clips[clip % len(self._told.clips)]
        fresh = self._told.given([text for text in texts(heard) if text not in self._known])
        self._known.update(fresh)
        return replace(made, vectors=Vectors.of(fresh))


def texts(clip: Clip) -> Iterator[str]:
    """Yield the texts of a clip that want a vector."""
    lines = ordered(clip.lines)
    yield from segments([spoken(line) for line in lines])
    yield from (spoken(line) for line in lines)
    yield from narrations(clip)


def narrations(clip: Clip) -> list[str]:
    """Return what describes a clip's observations: its narrations, or that there is none."""
    return [line.text for line in ordered(clip.lines) if line.kind is LineKind.NARRATION] or [_NOTHING]


def _learned(clip: Clip, number: int, turn: int, entities: Sequence[int], vectors: Vectors) -> Learned:
    start_us, end_us = clip.start_us + turn * WEEK_US, clip.end_us + turn * WEEK_US
    told = narrations(clip)
    seen = [
        Seen(f"kind {entity % 80}", told[slot % len(told)], start_us, start_us + 2 * SECOND_US, entity, slot)
        for slot, entity in enumerate(entities)
    ]
    name = f"{number:06}-{clip.name}"
    return Learned(name, start_us, end_us, end_us, end_us, local_text(clip, ()), clip.lines, seen, vectors, number + 1)
