"""The sound of clips: where it lies in time, and what is no sound."""

import io
from fractions import Fraction

import av
import numpy as np
import pytest
from videos import audio_only, video

from biographer.state.errors import BadClipError
from biographer.state.sound import Sound
from biographer.state.times import SECOND_US
from biographer.streams.sound import RATE, sound_of

START = 1_000 * SECOND_US


def with_click(at_s, picture_from_s=0.0, rate=44_100):
    """A second and a half of silence with one loud click, under pictures that begin at their own time."""
    file = io.BytesIO()
    with av.open(file, "w", format="matroska") as out:
        pictures = out.add_stream("mpeg4", rate=10)
        pictures.width, pictures.height, pictures.pix_fmt = 32, 32, "yuv420p"
        sound = out.add_stream("pcm_s16le", rate=rate, layout="stereo")
        wave = np.zeros((int(1.5 * rate), 2), np.int16)
        wave[int(at_s * rate) : int((at_s + 0.01) * rate)] = 20_000
        frame = av.AudioFrame.from_ndarray(wave.reshape(1, -1), format="s16", layout="stereo")
        frame.sample_rate, frame.pts, frame.time_base = rate, 0, Fraction(1, rate)
        out.mux(sound.encode(frame))
        for number in range(10):
            picture = av.VideoFrame.from_ndarray(np.zeros((32, 32, 3), np.uint8), format="rgb24")
            picture.pts, picture.time_base = number + round(picture_from_s * 10), Fraction(1, 10)
            out.mux(pictures.encode(picture))
        out.mux(pictures.encode())
    return file.getvalue()


@pytest.mark.parametrize(("click_s", "picture_from_s"), [(0.5, 0.0), (1.2, 0.0), (0.5, 0.3)])
def test_a_sample_lies_where_its_time_puts_it_from_the_first_picture_on(click_s, picture_from_s):
    sound = sound_of(with_click(click_s, picture_from_s), START, 2 * SECOND_US)
    assert (sound.start_us, sound.rate, len(sound.samples)) == (START, RATE, 2 * RATE)
    heard = np.flatnonzero(np.abs(sound.samples.astype(int)) > 5_000)
    assert heard[0] / RATE == pytest.approx(click_s - picture_from_s, abs=0.003)
    assert heard[-1] / RATE == pytest.approx(click_s - picture_from_s + 0.01, abs=0.003)


def test_sound_without_pictures_and_beyond_the_clip():
    sound = sound_of(audio_only(1.0), START, SECOND_US // 2)
    assert len(sound.samples) == RATE // 2
    assert np.abs(sound.samples).max() > 4_000


def test_pictures_without_sound():
    assert sound_of(video(5), START, SECOND_US) is None


def test_what_is_no_video_or_too_long_is_refused():
    with pytest.raises(BadClipError):
        sound_of(b"words" * 100, START, SECOND_US)
    with pytest.raises(BadClipError, match="shorter clips"):
        sound_of(audio_only(), START, 4_000 * SECOND_US)


def test_decoding_has_a_time_limit():
    ticks = iter(range(10_000))
    with pytest.raises(BadClipError, match="decoding took over"):
        sound_of(audio_only(), START, SECOND_US, 2.0, lambda: float(next(ticks)))


def test_a_cut_keeps_its_times():
    sound = Sound(START, 10, np.arange(20, dtype=np.int16))
    part = sound.cut(START + SECOND_US // 2, START + SECOND_US)
    assert (part.start_us, part.end_us, part.samples.tolist()) == (START + 500_000, START + SECOND_US, [5, 6, 7, 8, 9])
    assert len(sound.cut(0, 10 * START).samples) == 20
    assert len(sound.cut(START + 5 * SECOND_US, START + 9 * SECOND_US).samples) == 0
