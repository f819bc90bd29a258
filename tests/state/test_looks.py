"""A picture as a query finds what looks like it, as of then and of its own embedder only."""

import numpy as np
import pytest
from recordings import remembered, told
from sightings import us

from biographer.state.errors import RefusedError
from biographer.state.looks import looks
from biographer.state.observation import Embedding
from biographer.state.query import Query
from biographer.state.search import search
from biographer.state.search_settings import SearchSettings
from biographer.state.view import View

RECORDING = [
    told("c0", 0, "a room", things=[(0, 0, "cup"), (4, 1, "dog")]),
    told("c1", 30, "a street", things=[(0, 2, "car")]),
    told("c2", 60, "a room", things=[(0, 0, "cup")]),
]
CUP = Embedding.of("e", np.eye(6)[0])


def test_observations_that_look_alike_are_found_and_lead_to_their_episodes():
    memory = remembered(RECORDING)
    view = View(memory.index)
    alike = looks(view, memory.galleries, CUP)
    np.testing.assert_allclose(alike, [1, 0, 0, 1], atol=1e-6)
    found = search(view, Query(image=CUP, limit=8), SearchSettings(), alike)
    assert {one.label for one in found.items if "visual" in one.channels} == {"cup"}
    assert {"c0", "c2"} <= {one.clip for one in found.items}


def test_what_came_later_looks_like_nothing_as_of_then():
    memory = remembered(RECORDING)
    np.testing.assert_allclose(looks(View(memory.index, us(60)), memory.galleries, CUP), [1, 0, 0], atol=1e-6)


@pytest.mark.parametrize("picture", [Embedding.of("other", np.ones(6)), Embedding.of("e", np.ones(5))])
def test_a_picture_that_cannot_be_compared_is_refused_by_name(picture):
    memory = remembered(RECORDING)
    with pytest.raises(RefusedError, match="this stream has 'e'"):
        looks(View(memory.index), memory.galleries, picture)
