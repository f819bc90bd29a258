import numpy as np
import pytest
from scenes import MeanColour, flat

from biographer.models.appearance import Portrait, best, look, pooled, portraits
from biographer.models.crops import Candidate

BOX = (0.1, 0.1, 0.5, 0.5)


def picture(at=0, side=100):
    return Candidate(at, BOX, 1.0, np.full((side, side, 3), 200, dtype=np.uint8))


def portrait(*values, side=100):
    return Portrait(picture(side=side), np.array(values, dtype=np.float32))


def test_several_pool_to_the_mean_of_their_directions():
    assert pooled([portrait(2, 0), portrait(0, 5)]) == pytest.approx([0.5**0.5] * 2)


def test_what_says_nothing_is_ignored():
    assert pooled([portrait(0, 0), portrait(np.nan, 1), portrait(0, 3)]).tolist() == [0, 1]


def test_nothing_to_say_is_none():
    assert pooled([]) is None
    assert pooled([portrait(0, 0)]) is None
    assert pooled([portrait(1, 0), portrait(-1, 0)]) is None
    assert look([portrait(0, 0)], 80) is None


def test_small_pictures_are_not_clear():
    assert look([portrait(1, 0, side=90)], 80).clear
    assert not look([portrait(1, 0, side=60)], 80).clear


def test_all_pictures_are_embedded_in_one_call_and_given_back_to_their_subjects():
    class Counting(MeanColour):
        calls = 0

        def embed(self, crops):
            self.calls += 1
            return super().embed(crops)

    embedder = Counting()
    dark = Candidate(0, BOX, 1.0, flat(10))
    found = portraits([[picture(0), picture(1)], [], [dark]], embedder)
    assert embedder.calls == 1
    assert [len(several) for several in found] == [2, 0, 1]
    assert found[0][0].vector @ found[2][0].vector < -0.9


def test_without_an_embedder_portraits_have_no_vector_to_pool():
    (several,) = portraits([[picture()]], None)
    assert pooled(several) is None


def test_the_best_are_portraits_of_the_chosen_pictures():
    several = [Portrait(picture(at), np.array([at, 1], dtype=np.float32)) for at in range(10)]
    chosen = best(several, 3)
    assert len(chosen) == 3
    assert all(one.vector[0] == one.picture.at_us for one in chosen)
