"""Small recordings that tests make up and search: clips of lines and observations, with vectors of words."""

from collections.abc import Container, Sequence
from dataclasses import replace

import numpy as np
from sightings import STREAM, seen, unit, us

from biographer.state.amendment import Amended, FiledPiece
from biographer.state.clip import Clip
from biographer.state.episode import LOCAL
from biographer.state.line import Line, LineKind
from biographer.state.memory import Memory
from biographer.state.observation import Embedding
from biographer.state.perceived import Perceived
from biographer.state.piece import ENDED, Piece
from biographer.state.rule import Rule, Thresholds
from biographer.state.texts import Vectors
from biographer.state.wording import wording

WORDS = ("cup", "table", "door", "milk", "phone", "garden", "red", "Anna", "opens", "walks")
DIM = 16


def meaning(text: str) -> Embedding:
    """A vector that follows from a text's letters and words alone."""
    values = np.full(DIM, 0.05)
    for word in text.lower().split():
        values[sum(map(ord, word)) % DIM] += 1.0
    return Embedding.of("words", values)


def told(
    name: str,
    start: float,
    *lines: str | tuple[str, str],
    seconds: float = 30.0,
    things: Sequence[tuple[int, int, str]] = (),
    vectors: bool = True,
    outlasts: float = 0.0,
) -> Perceived:
    """A clip from `start` with lines, some as (speaker, text), and things as (track, axis of looks, label).

    The last line ends `outlasts` seconds after the clip.
    """
    spoken = [line if isinstance(line, tuple) else (None, line) for line in lines]
    step = seconds / (len(spoken) + 1)
    made = tuple(
        Line(us(start + n * step), us(start + (n + 1) * step), LineKind.SPEECH, text, speaker)
        for n, (speaker, text) in enumerate(spoken)
    )
    if made and outlasts:
        made = (*made[:-1], replace(made[-1], end_us=us(start + seconds + outlasts)))
    axes = np.eye(6)
    observations = tuple(
        seen(track, unit(*axes[axis]), start, label=label, box=(track / 8, 0.0, (track + 0.5) / 8, 0.5))
        for track, axis, label in things
    )
    clip = Clip(STREAM, name, us(start), us(start + seconds), made)
    texts = {text: meaning(text) for text in wording(clip, observations)} if vectors else {}
    return Perceived(clip, observations, {}, texts)


def remembered(recording: Sequence[Perceived], rests: Container[int] = ()) -> Memory:
    """The memory after a recording, without a store; the stream rests after clips of these numbers."""
    memory = Memory(STREAM, Rule(thresholds={"": Thresholds(0.5, 0.75)}), older_trail=no_trail)
    for number, perceived in enumerate(recording):
        memory.adopt(memory.plan(perceived))
        if number in rests:
            rest(memory)
    return memory


def rest(memory: Memory) -> None:
    """Note that nothing follows the last clip for now, as `Stream.end` does."""
    last, number = len(memory.clips) - 1, memory.index.told.last_piece + 1
    ended = FiledPiece(number, Piece(ENDED, LOCAL, last), memory.known_us, last, (), Vectors())
    memory.amend(Amended(memory.version + 1, (ended,)))


def no_trail(observation: int) -> None:
    raise KeyError(observation)
