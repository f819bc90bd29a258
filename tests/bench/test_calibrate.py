"""Calibration in miniature, on subjects of made-up appearance."""

import json
import tomllib
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PIL import Image

from biographer.bench.calibrate import measure, write_sample
from biographer.bench.sample import Sample
from biographer.bench.subjects import Appearances, Subjects, read_subjects
from biographer.state.errors import RefusedError


@pytest.fixture
def subjects() -> Subjects:
    names = tuple(f"{kind}{number}" for kind in ("cup", "cat") for number in range(4) for _ in range(5))
    return Subjects((), names, tuple(name[:3] for name in names))


@pytest.fixture
def looks(subjects: Subjects) -> Appearances:
    random = np.random.default_rng(0)
    own = {name: random.standard_normal(48) for name in sorted(set(subjects.names))}
    rows = np.stack([own[name] + 0.7 * random.standard_normal(48) for name in subjects.names])
    return Appearances("made-up", (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32))


def test_thresholds_separate_what_can_be_separated_and_can_be_pasted(subjects: Subjects, looks: Appearances):
    figures = measure(subjects, looks, 3, refit=False).figures
    assert figures["similar_to_all"] < figures["similar_to_one"]
    assert figures["grouping"]["pairwise"]["f1"] > 0.95
    assert figures["pairs_at_similar_to_one"]["precision"] > 0.95
    pasted = tomllib.loads(figures["paste"])
    assert pasted["association"]["thresholds"]["made-up"] == [figures["similar_to_all"], figures["similar_to_one"]]


def test_a_sample_is_read_back_as_it_was_written(subjects: Subjects, looks: Appearances, tmp_path: Path):
    write_sample(subjects, looks, tmp_path / "sample.json")
    sample = msgspec.json.decode((tmp_path / "sample.json").read_bytes(), type=Sample)
    assert sample.vectors == pytest.approx(looks.unit, abs=2e-3)
    assert (tuple(sample.subjects), sample.embedder, sample.dim) == (subjects.names, "made-up", 48)


def test_folders_are_subjects_and_the_listing_says_their_kinds(tmp_path: Path):
    for name in ("mug", "mug2", "lonely", "empty"):
        (tmp_path / name).mkdir()
    for name in ("mug/0.jpg", "mug/1.png", "mug2/0.jpg", "mug2/1.JPG", "lonely/0.jpg"):
        Image.new("RGB", (8, 8)).save(tmp_path / name)
    (tmp_path / "prompts_and_classes.txt").write_text("Classes\n\nsubject_name,class\nmug,cup\nmug2,cup\n")
    found = read_subjects(tmp_path)
    assert found.names == ("mug", "mug", "mug2", "mug2")
    assert set(found.kinds) == {"cup"}


def test_a_folder_without_subjects_is_refused(tmp_path: Path):
    with pytest.raises(RefusedError, match="two folders"):
        read_subjects(tmp_path)


def test_the_shipped_sample_is_of_the_default_embedder():
    from biographer.bench.sample import shipped_sample  # noqa: PLC0415
    from biographer.models.catalogue import MODELS  # noqa: PLC0415

    sample = shipped_sample()
    assert MODELS[sample.embedder].role == "embedder"
    assert sample.vectors.shape == (158, 512)
    assert json.dumps(sample.subjects)
