"""Voice activity: where in a sound somebody may be speaking, by loudness over the background and zero crossings.

Small on purpose. It is there so that a transcriber is not asked about silence, in which such models hear words that
nobody said; what is not speech but sounds like it, the transcriber's own doubt has to sort out.
"""

import numpy as np
from numpy.typing import NDArray

from biographer.state.sound import Sound
from biographer.state.times import SECOND_US

STEP_S = 0.02
"""Length of the pieces that are judged."""

_QUIET_DB = -62.0
"""Of differences between samples: loud speech has about -37, and nobody near the microphone is softer than this."""
_OVER_DB = 9.0
"""How far above the background speech is."""
_CROSSINGS_MAX = 0.3
"""Crossings a sample: hiss has 0.5, vowels under 0.15, fricatives more, but those are short."""
_JOIN_S, _LEAST_S, _MARGIN_S = 0.5, 0.2, 0.2
"""Pauses up to the first are part of it, what is shorter than the second is a knock, the third is added around."""


def voiced(sound: Sound) -> tuple[tuple[int, int], ...]:
    """Return where somebody may be speaking: (start, end) in microseconds of event time, in order, none touching."""
    step = int(STEP_S * sound.rate)
    count = len(sound.samples) // step
    if not count:
        return ()
    wave = sound.samples[: count * step].astype(np.float32) / 32768
    # Differences, by which high notes count more: wind and rumble are loud only below where voices are.
    sharp = np.diff(wave, prepend=wave[:1]).reshape(count, step)
    pieces = wave.reshape(count, step)
    level = 10 * np.log10((sharp**2).mean(axis=1) + 1e-12)
    crossings = (np.diff(np.signbit(pieces - pieces.mean(axis=1, keepdims=True)), axis=1) != 0).mean(axis=1)
    background = float(np.percentile(level, 15))
    loud = (level > _QUIET_DB) & (level > background + _OVER_DB) & (crossings < _CROSSINGS_MAX)
    return tuple(_span(sound, first, last, count) for first, last in _runs(loud))


def _runs(loud: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return rows [first, last) of runs, joined over short pauses and with margins, those that are long enough."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], loud, [False]]).astype(np.int8)))
    joined: list[tuple[int, int, int]] = []
    for first, last in edges.reshape(-1, 2).tolist():
        if joined and first - joined[-1][1] <= (_JOIN_S + 2 * _MARGIN_S) / STEP_S:
            joined[-1] = (joined[-1][0], last, joined[-1][2] + last - first)
        else:
            joined.append((first, last, last - first))
    return [(first, last) for first, last, loudly in joined if loudly >= _LEAST_S / STEP_S]


def _span(sound: Sound, first: int, last: int, count: int) -> tuple[int, int]:
    margin = int(_MARGIN_S / STEP_S)
    step_us = int(STEP_S * SECOND_US)
    return sound.start_us + max(first - margin, 0) * step_us, sound.start_us + min(last + margin, count) * step_us
