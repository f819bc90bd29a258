"""Voice activity: where in a sound somebody may be speaking, by how its bands rise over the background, and by tone.

Small on purpose. It is there so that a transcriber is not asked about silence, in which such models hear words that
nobody said; what is no speech but sounds like it, the transcriber's own doubt has to sort out. Loudness and zero
crossings alone were tried: at 10 dB over pink noise they found none of eight phrases (Debian's alsa-utils), where
this finds all eight at 5 dB too, and nothing beside them.
"""

import numpy as np
from numpy.typing import NDArray

from biographer.state.sound import Sound
from biographer.state.times import SECOND_US

STEP_S = 0.02
"""Length of the pieces that are judged; each is heard with the one after it."""

_LOW_HZ, _HIGH_HZ, _BANDS = 200, 3500, 12
"""Where speech is: below are wind, steps and hum, above mostly hiss."""
_BACKGROUND = 15
"""Percentile that is background: speech leaves that many pauses, one who never stops included."""
_OVER_DB = 2.0
"""Mean rise of the bands that counts: of steady noise one piece in 200 reaches 1.6, of speech at 10 dB most 4."""
_QUIET_DB = -65.0
"""Level (full scale is 0) under which nobody speaks near the microphone."""
_TONE_DB = 13.0
"""How far the strongest line is over the mean: voiced speech has 16, hiss and running water seldom 13."""
_TONED = 0.25
"""Share of a stretch's pieces that have such a line."""
_JOIN_S, _LEAST_S, _MARGIN_S = 0.9, 0.2, 0.2
"""Pauses up to the first are part of it, what is shorter than the second is a knock, the third is added around."""


def voiced(sound: Sound) -> tuple[tuple[int, int], ...]:
    """Return where somebody may be speaking: (start, end) in microseconds of event time, in order, none touching."""
    step = int(STEP_S * sound.rate)
    count = len(sound.samples) // step
    if not count:
        return ()
    power, hertz = _spectra(sound, step, count)
    level = 10 * np.log10(power.sum(axis=1) * 2 / step**2)
    loud = (_rise(power, hertz) > _OVER_DB) & (level > _QUIET_DB)
    toned = 10 * np.log10(power.max(axis=1) / power.mean(axis=1)) > _TONE_DB
    return tuple(_span(sound, first, last, count) for first, last in _runs(loud, toned))


def _spectra(sound: Sound, step: int, count: int) -> tuple[NDArray[np.float32], NDArray[np.floating]]:
    """Return the power (pieces, lines) within the band of speech, and each line's frequency."""
    pieces = (sound.samples[: count * step].astype(np.float32) / 32768).reshape(count, step)
    pairs = np.concatenate([pieces, np.concatenate([pieces[1:], pieces[-1:]])], axis=1)
    window = np.hanning(2 * step).astype(np.float32)
    hertz = np.fft.rfftfreq(2 * step, 1 / sound.rate)
    kept = (hertz >= _LOW_HZ) & (hertz <= _HIGH_HZ)
    power: NDArray[np.float32] = np.abs(np.fft.rfft(pairs * window, axis=1)[:, kept]).astype(np.float32) ** 2 + 1e-12
    return power, hertz[kept]


def _rise(power: NDArray[np.float32], hertz: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return by how many dB, over all bands alike, each piece is above the background of its sound."""
    edges = np.geomspace(_LOW_HZ, _HIGH_HZ + 1, _BANDS + 1)
    band = np.digitize(hertz, edges) - 1
    levels = 10 * np.log10(np.stack([power[:, band == one].mean(axis=1) for one in range(_BANDS)], axis=1))
    over = (levels - np.percentile(levels, _BACKGROUND, axis=0)).mean(axis=1)
    padded = np.pad(over, 1, mode="edge")
    smooth: NDArray[np.float64] = (padded[:-2] + padded[1:-1] + padded[2:]) / 3
    return smooth - np.percentile(smooth, _BACKGROUND)


def _runs(loud: NDArray[np.bool_], toned: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return rows [first, last) of loud runs, joined over short pauses: those long enough, and toned enough."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], loud, [False]]).astype(np.int8)))
    joined: list[tuple[int, int]] = []
    for first, last in edges.reshape(-1, 2).tolist():
        if joined and first - joined[-1][1] <= _JOIN_S / STEP_S:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return [(first, last) for first, last in joined if _is_voice(loud[first:last], toned[first:last])]


def _is_voice(loud: NDArray[np.bool_], toned: NDArray[np.bool_]) -> bool:
    loudly = int(loud.sum())
    return loudly >= _LEAST_S / STEP_S and int((loud & toned).sum()) >= _TONED * loudly


def _span(sound: Sound, first: int, last: int, count: int) -> tuple[int, int]:
    margin = int(_MARGIN_S / STEP_S)
    step_us = int(STEP_S * SECOND_US)
    return sound.start_us + max(first - margin, 0) * step_us, sound.start_us + min(last + margin, count) * step_us
