"""What large memories are made of: re-appearance as in GEB's week, vectors as alike as real ones, sound stores."""

from pathlib import Path

import numpy as np
import pytest

from biographer.bench.population import WEEK_ENTITIES, WEEK_OBSERVATIONS, WEEK_RETURNING, population
from biographer.bench.sample import shipped_sample
from biographer.bench.seeding import STREAM, Recording, seed
from biographer.bench.update import likeness
from biographer.bench.vectors import Vectors
from biographer.state.state_hash import state_hash
from biographer.state.store import Store
from biographer.state.stream import Stream
from biographer.state.verify import verdict


def quiet(_: str) -> None:
    """Say nothing."""


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Recording]:
    folder = tmp_path_factory.mktemp("seeded")
    recording = Recording(shipped_sample(), 42, 1, 20)
    store = Store(folder / "memory.db", STREAM)
    seed(store, recording, 40, quiet)
    store.close()
    return folder, recording


def test_entities_re_appear_as_often_as_in_the_week_and_never_twice_in_a_clip():
    people = population(1_000, np.random.default_rng(0))
    counts = np.bincount(people.entities.ravel())
    assert people.entity_count / people.entities.size == pytest.approx(WEEK_ENTITIES / WEEK_OBSERVATIONS, rel=0.02)
    assert (counts > 1).mean() == pytest.approx(WEEK_RETURNING / WEEK_ENTITIES, rel=0.05)
    assert counts.min() == 1
    assert all(len(set(clip)) == len(clip) for clip in people.entities.tolist())


def test_entities_are_numbered_by_first_sighting():
    firsts = population(50, np.random.default_rng(3)).entities.ravel()
    _, places = np.unique(firsts, return_index=True)
    assert np.all(np.diff(places) > 0)


def test_made_vectors_are_as_alike_as_those_of_the_sample():
    cosines = likeness(shipped_sample(), 5)
    for group in ("same", "like", "unlike"):
        for quantile in ("q25", "q50", "q75", "q95"):
            assert cosines["made"][group][quantile] == pytest.approx(cosines["sample"][group][quantile], abs=0.12)


def test_sightings_of_one_spell_are_more_alike_than_those_of_two():
    random = np.random.default_rng(0)
    source = Vectors(shipped_sample(), 50, random)
    entities = np.arange(50)
    one, same_spell, other = (source.sightings(entities, entities + shift, random) for shift in (0, 0, 500))
    assert np.median((one * same_spell).sum(axis=1)) > np.median((one * other).sum(axis=1)) + 0.2


def test_a_seeded_store_opens_sound_and_takes_the_next_clip(seeded: tuple[Path, Recording]):
    folder, recording = seeded
    stream = Stream(STREAM, folder, recording.rule)
    try:
        found = verdict(stream.store, stream.memory)
        assert found.faults == ()
        assert found.counts["observation"] == 800
        assert len(stream.memory.apartness) > 0
        change = stream.apply(recording.perceived(40)).change
        assert change is not None
        assert len(change.memberships) == 20
        assert change.hits > 0
    finally:
        stream.close()


def test_the_same_seed_makes_the_same_memory(tmp_path: Path):
    hashes = []
    for name in ("one", "other"):
        store = Store(tmp_path / f"{name}.db", STREAM)
        seed(store, Recording(shipped_sample(), 5, 2, 10), 5, quiet)
        hashes.append(state_hash(store))
        store.close()
    assert hashes[0] == hashes[1]
