import numpy as np
import pytest
from videos import number_of, numbered, video

from biographer.streams.decoder import Decoder

NUMBER = 0b1010_0011_0001
"""Looks different after each turn and mirroring."""


def first(source):
    return next(Decoder().frames(source, 0, 1_000_000))


@pytest.mark.parametrize("container", ["mp4", "matroska"])
@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_pictures_stand_upright_at_every_size(container, quarters):
    stored = np.rot90(numbered(NUMBER, 64, 48), -quarters)
    frame = first(video([stored], rotation=90 * quarters, container=container))
    assert (frame.width, frame.height) == (64, 48)
    assert frame.pixels().shape == (48, 64, 3)
    assert number_of(frame.pixels()) == NUMBER
    assert frame.resized(40, 24).shape == (24, 40, 3)
    assert number_of(frame.resized(40, 24)) == NUMBER


def test_a_mirrored_picture_is_mirrored_back():
    frame = first(video([numbered(NUMBER)[:, ::-1]], hflip=True))
    assert number_of(frame.pixels()) == NUMBER
    assert number_of(frame.resized(40, 24)) == NUMBER


def test_the_number_does_tell_turns_apart():
    picture = numbered(NUMBER, 48, 48)
    seen = {number_of(np.rot90(p, k)) for k in range(4) for p in (picture, picture[:, ::-1])}
    assert len(seen) == 8
