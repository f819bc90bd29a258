"""Sounds that tests make: something like a voice, and what is none."""

import io

import av
import numpy as np

from biographer.state.sound import Sound

RATE = 16_000


def speech(seconds, seed=0):
    """Syllables, about four a second: a buzz with moving formants, rising and falling, now and then a hiss."""
    random = np.random.default_rng(seed)
    at = np.arange(int(seconds * RATE)) / RATE
    pitch = 120 + 15 * np.sin(2 * np.pi * 0.7 * at)
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    first, second = 500 + 200 * np.sin(2 * np.pi * 1.9 * at), 1500 + 400 * np.sin(2 * np.pi * 1.3 * at)
    buzz = sum(
        np.sin(k * phase)
        * (np.exp(-(((k * pitch - first) / 150) ** 2)) + 0.5 * np.exp(-(((k * pitch - second) / 250) ** 2)))
        for k in range(1, 25)
    )
    syllables = np.clip(np.sin(2 * np.pi * 2 * at) ** 2 * 1.4 - 0.2, 0, 1)
    hiss = 0.05 * random.normal(size=len(at)) * (np.sin(2 * np.pi * 0.9 * at) > 0.95)
    return 0.2 * (buzz * syllables / np.abs(buzz).max() + hiss)


def sound(*parts, noise=0.001, start_us=0, seed=1):
    """Join parts (arrays in -1..1, or seconds of nothing) over a background of soft noise."""
    waves = [np.zeros(int(part * RATE)) if isinstance(part, (int, float)) else part for part in parts]
    wave = np.concatenate(waves)
    wave = wave + noise * np.random.default_rng(seed).normal(size=len(wave))
    return Sound(start_us, RATE, (np.clip(wave, -1, 1) * 32767).astype(np.int16))


def film(spoken):
    """A file with pictures, one a second, and this sound."""
    made = io.BytesIO()
    seconds = len(spoken.samples) / spoken.rate
    with av.open(made, "w", format="matroska") as out:
        pictures = out.add_stream("mpeg4", rate=1)
        pictures.width, pictures.height, pictures.pix_fmt = 64, 48, "yuv420p"
        heard = out.add_stream("pcm_s16le", rate=spoken.rate, layout="mono")
        for number in range(round(seconds)):
            picture = av.VideoFrame.from_ndarray(np.full((48, 64, 3), 9 * number, np.uint8), format="rgb24")
            picture.pts = number
            out.mux(pictures.encode(picture))
        out.mux(pictures.encode())
        frame = av.AudioFrame.from_ndarray(spoken.samples.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate, frame.pts = spoken.rate, 0
        out.mux(heard.encode(frame))
        out.mux(heard.encode())
    return made.getvalue()
