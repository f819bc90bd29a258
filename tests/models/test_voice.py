"""Voice activity on made sounds; none of them is a person."""

import numpy as np
import pytest
from sounds import RATE, sound, speech

from biographer.models.voice import voiced
from biographer.state.sound import Sound

AT = np.arange(10 * RATE) / RATE


@pytest.mark.parametrize(
    "given",
    [
        Sound(0, RATE, np.zeros(0, np.int16)),
        Sound(0, RATE, np.zeros(10 * RATE, np.int16)),
        Sound(0, RATE, np.full(10 * RATE, 3000, np.int16)),
        sound(10.0, noise=0.0001),
        sound(10.0, noise=0.2),
        sound(0.1 * np.sin(2 * np.pi * 50 * AT) + 0.05 * np.sin(2 * np.pi * 150 * AT)),
        sound(4.0, 0.5 * np.ones(50), 5.0),
        sound(0.02 * np.cumsum(np.random.default_rng(0).normal(size=10 * RATE)) / 40),
        sound(10.0, 0.1 * np.random.default_rng(2).normal(size=5 * RATE), 10.0),
    ],
    ids=["none", "silence", "offset", "soft noise", "loud hiss", "hum", "a knock", "rumble", "running water"],
)
def test_nobody_speaks(given):
    assert voiced(given) == ()


@pytest.mark.parametrize("noise", [0.0005, 0.005, 0.03])
def test_speech_is_found_where_it_is(noise):
    given = sound(3.0, speech(2.0), 4.0, speech(1.5, 3), 2.0, noise=noise, start_us=5_000_000)
    spans = voiced(given)
    assert len(spans) == 2
    for (start_us, end_us), (first_s, last_s) in zip(spans, [(8.0, 10.0), (14.0, 15.5)], strict=True):
        assert start_us / 1e6 == pytest.approx(first_s, abs=0.4)
        assert end_us / 1e6 == pytest.approx(last_s, abs=0.4)


def test_pauses_within_speech_do_not_part_it():
    assert len(voiced(sound(1.0, speech(1.0), 0.4, speech(1.0), 1.0))) == 1


def test_one_who_never_stops_is_heard():
    spans = voiced(sound(speech(20.0)))
    assert sum(end - start for start, end in spans) > 15e6
