"""Under which circumstances a crop was taken, and what small, dark crops are worth as evidence."""

import numpy as np
from PIL import Image

from biographer.models.catalogue import load_embedder
from biographer.models.circumstances import TERMS, circumstances
from biographer.models.lesser_pictures import VERSIONS, versions


def crop(side: int, light: int) -> np.ndarray:
    return np.full((side // 2, side, 3), light, np.uint8)


def test_a_large_crop_in_usual_light_has_none_but_the_constant():
    np.testing.assert_allclose(circumstances([crop(256, 96), crop(448, 96)]), [[1, 0, 0, 0, 0, 0]] * 2)


def test_smaller_and_darker_counts_by_octaves_up_to_a_bound():
    (found,) = circumstances([crop(64, 21)])
    np.testing.assert_allclose(found, [1, 2, 4, -2, -4, 4])
    np.testing.assert_array_equal(circumstances([crop(24, 0)]), circumstances([crop(4, 0)]))
    assert circumstances([]).shape == (0, TERMS)


def test_lesser_pictures_are_small_or_dark_and_the_same_every_time():
    photograph = np.random.default_rng(0).integers(0, 255, (300, 400, 3), dtype=np.uint8)
    found = versions(photograph, np.random.default_rng(1))
    again = versions(photograph, np.random.default_rng(1))
    assert len(found) == VERSIONS
    assert found[0] is photograph
    assert max(max(one.shape[:2]) for one in found[2:]) <= 256
    assert all(np.array_equal(one, other) for one, other in zip(found, again, strict=True))


def test_small_dark_crops_of_unlike_subjects_do_not_look_alike(weights_folder, cpu_runtime, shared_data):
    """kitchen.mp4: a dark cup of 50 pixels was taken for a dark bottle, at 0.88."""
    root = shared_data("dreambooth_subjects/dataset")
    photographs = [next(iter(sorted(folder.glob("*.jpg")))) for folder in sorted(root.iterdir()) if folder.is_dir()]
    crops = []
    for path in photographs:
        picture = Image.open(path).convert("RGB")
        picture.thumbnail((48, 48))
        crops.append((np.asarray(picture) * 0.35).astype(np.uint8))
    vectors = load_embedder("nanodet-g-416-stats", weights_folder, cpu_runtime).embed(crops)
    pairs = np.triu_indices(len(crops), 1)
    assert np.percentile((vectors @ vectors.T)[pairs], 99) < 0.65
