"""The gallery: exact search over one row an entity, identifiers that never shift, sets as they are set."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biographer.state.gallery import MARGIN, Gallery, similarities


def units(seed: int, count: int, dim: int = 16, clusters: int = 5) -> np.ndarray:
    random = np.random.default_rng(seed)
    made = random.normal(size=(clusters, dim))[random.integers(clusters, size=count)]
    made += random.uniform(0.1, 1.0) * random.normal(size=(count, dim))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def filled(vectors: np.ndarray, references: int, sets: dict[int, list[int]]) -> Gallery:
    gallery = Gallery(vectors.shape[1], references)
    gallery.add_vectors([10 * row for row in range(len(vectors))], vectors)
    for entity, rows in sets.items():
        gallery.set_references(entity, [10 * row for row in rows])
    return gallery


def partition(seed: int, count: int, references: int) -> dict[int, list[int]]:
    random = np.random.default_rng(seed)
    sets: dict[int, list[int]] = {}
    for row in range(count):
        chosen = sets.setdefault(100 + int(random.integers(max(1, count // 3))), [])
        chosen.append(row)
        del chosen[:-references]
    return sets


def test_references_are_given_back_as_they_were_set() -> None:
    vectors = units(0, 6)
    gallery = filled(vectors, 3, {7: [0, 1], 3: [2]})
    assert gallery.references_of(7).observations == (0, 10)
    assert np.array_equal(gallery.references_of(7).vectors, vectors[:2])
    gallery.set_references(7, [10, 40, 50])
    assert gallery.references_of(7).observations == (10, 40, 50)
    assert gallery.references_of(3).observations == (20,)
    assert len(gallery) == 2
    assert gallery.row_of(3) is not None
    assert gallery.row_of(4) is None


def test_what_was_read_does_not_change_when_the_set_does() -> None:
    gallery = filled(units(0, 4), 2, {1: [0, 1]})
    before = gallery.references_of(1)
    copied = before.vectors.copy()
    gallery.set_references(1, [20, 30])
    gallery.add_vectors([1_000 + row for row in range(500)], units(1, 500))
    assert before.observations == (0, 10)
    assert np.array_equal(before.vectors, copied)


def test_each_vector_is_found_under_its_own_number_whatever_leaves_the_sets() -> None:
    """facebookresearch/faiss#4656: here nothing is removed, so nothing can shift."""
    vectors = units(2, 5)
    gallery = filled(vectors, 1, {entity: [entity] for entity in range(5)})
    gallery.set_references(2, [0])
    for row in range(5):
        assert np.array_equal(gallery.vector_of(10 * row), vectors[row])
    with pytest.raises(KeyError):
        gallery.vector_of(11)
    assert [gallery.references_of(entity).observations for entity in (0, 1, 3, 4)] == [(0,), (10,), (30,), (40,)]


def test_the_set_of_an_entity_that_lives_elsewhere_is_no_ones() -> None:
    with pytest.raises(KeyError):
        filled(units(0, 1), 1, {0: [0]}).references_of(1)


def test_an_empty_gallery_proposes_nothing() -> None:
    gallery = Gallery(16, 3)
    assert [rows.tolist() for rows in gallery.propose(units(0, 3), 0.5)] == [[], [], []]


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 4), st.floats(-0.5, 0.95), st.floats(0.01, 0.5))
def test_no_candidate_is_left_out(seed: int, count: int, references: int, least: float, more: float) -> None:
    """By condition 1 one reference an entity is enough to propose all candidates; DESIGN section 4."""
    vectors, queries = units(seed, count), units(seed + 1, 4)
    sets = partition(seed, count, references)
    gallery = filled(vectors, references, sets)
    most = min(1.0, least + more)
    for query, rows in zip(queries, gallery.propose(queries, least), strict=True):
        candidates = {
            entity
            for entity, chosen in sets.items()
            if (similar := [float(query.astype(float) @ vectors[row].astype(float)) for row in chosen])
            and min(similar) >= least
            and max(similar) >= most
        }
        assert candidates <= set(gallery.entities[rows].tolist())
        assert candidates <= set(gallery.entities[gallery.narrow(query, rows, least, most, None)].tolist())


def test_the_anchored_row_needs_no_strong_reference_but_all_the_others() -> None:
    vectors = np.array([[1, 0], [0.8, 0.6]], np.float32)
    gallery = filled(vectors, 2, {5: [0], 6: [0, 1]})
    query, rows = np.array([0.6, -0.8], np.float32), np.array([0, 1])
    assert gallery.narrow(query, rows, 0.5, 0.9, None).tolist() == []
    assert gallery.narrow(query, rows, 0.5, 0.9, 0).tolist() == [0]
    assert gallery.narrow(query, rows, 0.5, 0.9, 1).tolist() == []  # its second reference is orthogonal


def test_a_vector_that_is_no_number_is_proposed_to_nobody_and_hides_nobody() -> None:
    """(faiss): a NaN row or query poisons only itself."""
    vectors = units(3, 4, clusters=1)
    vectors[1] = np.nan
    queries = vectors[[0, 1, 2]]
    gallery = filled(vectors, 1, {entity: [entity] for entity in range(4)})
    proposed = [gallery.entities[rows].tolist() for rows in gallery.propose(queries, -1.0)]
    assert proposed == [[0, 2, 3], [], [0, 2, 3]]
    assert gallery.narrow(queries[0], np.arange(4), -1.0, -0.9, 1).tolist() == [0, 2, 3]


@pytest.mark.parametrize("dim", [1, 3, 8, 127, 512, 1024, 4096])
def test_a_similarity_does_not_depend_on_what_else_is_compared(dim: int) -> None:
    """Bit for bit, and nearer to the matrix product than the margin that proposals leave."""
    vectors = units(dim, 50, dim)
    together = similarities(vectors[0], vectors)
    alone = [similarities(vectors[0], vectors[row : row + 1])[0] for row in range(50)]
    assert together.tolist() == alone
    assert together.dtype == np.float64
    assert np.abs(vectors @ vectors[0] - together).max() < MARGIN / 10


def test_more_entities_than_a_chunk_holds_are_all_searched() -> None:
    vectors = np.zeros((70_000, 2), np.float32)
    vectors[:, 1] = 1
    vectors[[3, 65_535, 65_536, 69_999]] = (1, 0)
    gallery = Gallery(2, 1)
    gallery.add_vectors(range(70_000), vectors)
    for entity in range(70_000):
        gallery.set_references(entity, [entity])
    ahead, up = gallery.propose(np.array([[1, 0], [0, 1]], np.float32), 0.9)
    assert ahead.tolist() == [3, 65_535, 65_536, 69_999]
    assert len(up) == 70_000 - 4
