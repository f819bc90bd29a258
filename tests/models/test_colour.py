import numpy as np
import pytest

from biographer.models.colour import COLOURS, colour_words

NAMED = {
    "black": (12, 12, 14),
    "grey": (128, 128, 128),
    "white": (245, 245, 240),
    "red": (200, 20, 30),
    "orange": (250, 140, 20),
    "yellow": (240, 220, 30),
    "green": (40, 160, 60),
    "blue": (30, 60, 200),
    "purple": (130, 40, 180),
    "pink": (250, 150, 190),
    "brown": (110, 65, 30),
}


def plain(rgb, height=60, width=60):
    return np.full((height, width, 3), rgb, dtype=np.uint8)


@pytest.mark.parametrize("name", NAMED)
def test_a_plain_colour_has_its_name(name):
    assert colour_words([plain(NAMED[name])]) == (name,)


def test_every_term_is_tried():
    assert set(NAMED) == set(COLOURS)


def test_the_background_does_not_name_the_thing():
    picture = plain(NAMED["green"])
    picture[16:44, 16:44] = NAMED["red"]
    assert colour_words([picture])[0] == "red"


def test_two_strong_colours_are_both_said():
    picture = plain(NAMED["grey"])
    picture[5:30, 12:48] = NAMED["red"]
    picture[30:55, 12:48] = NAMED["white"]
    assert set(colour_words([picture])) == {"red", "white"}


def test_several_pictures_speak_together():
    assert colour_words([plain(NAMED["blue"])] * 3 + [plain(NAMED["red"])]) == ("blue", "red")


@pytest.mark.parametrize("shape", [(1, 1), (1, 50), (50, 1), (2, 3)])
def test_tiny_pictures_have_colours_too(shape):
    assert colour_words([plain(NAMED["blue"], *shape)]) == ("blue",)


def test_no_pictures_no_words():
    assert colour_words([]) == ()
    assert colour_words([np.zeros((0, 4, 3), dtype=np.uint8)]) == ()
