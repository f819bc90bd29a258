"""What every Detector keeps to; add a detector to `DETECTORS` and it is held to all of it."""

import numpy as np
import pytest

from biographer.models.catalogue import load_detector
from biographer.models.check import Still
from biographer.models.detector_settings import DetectorSettings
from biographer.models.roles import Detections
from biographer.state.errors import RefusedError

skimage_data = pytest.importorskip("skimage.data")

CONTRACT = "onnx_contract/yolo11n-random-320.onnx"


class FakeDetector:
    """A detector of bright pictures: the smallest one that keeps the contract, to show the suite itself at work."""

    name, labels = "fake", ("bright",)

    def detect(self, frames):
        found = []
        for frame in frames:
            bright = np.array([frame.pixels().mean() > 40])
            whole = Detections(np.array([[0, 0, 1, 1]], np.float32), np.ones(1, np.float32), np.zeros(1, np.int32))
            found.append(whole.take(bright))
        return found


DETECTORS = {
    "fake": lambda _request: FakeDetector(),
    "nanodet-g-416": lambda request: load_detector(
        "nanodet-g-416", request.getfixturevalue("weights_folder"), request.getfixturevalue("cpu_runtime")
    ),
    "ultralytics": lambda request: load_detector(
        str(request.getfixturevalue("shared_data")(CONTRACT)),
        request.getfixturevalue("tmp_path_factory").getbasetemp(),
        request.getfixturevalue("cpu_runtime"),
        # Random weights score everything low: take what they give, in order to have boxes to look at.
        DetectorSettings(score=0.0, limit=20),
    ),
}


@pytest.fixture(scope="module", params=DETECTORS)
def detector(request):
    return DETECTORS[request.param](request)


@pytest.fixture(scope="module")
def stills():
    pictures = [
        skimage_data.coffee(),
        skimage_data.chelsea(),
        skimage_data.astronaut()[:, 100:300],
        skimage_data.rocket(),
    ]
    return [Still(picture, at_us=at) for at, picture in enumerate(pictures)]


def same(left, right):
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in ("boxes", "scores", "labels"))


def test_no_frames_no_records(detector):
    assert detector.detect([]) == []


def test_records_are_whole_sorted_and_within_the_frame(detector, stills):
    records = detector.detect(stills)
    assert len(records) == len(stills)
    assert sum(map(len, records)) > 0
    for record in records:
        assert record.boxes.shape == (len(record), 4)
        assert (record.boxes.dtype, record.scores.dtype, record.labels.dtype) == (np.float32, np.float32, np.int32)
        assert ((record.boxes >= 0) & (record.boxes <= 1)).all()
        assert (record.boxes[:, 2:] > record.boxes[:, :2]).all()
        assert ((record.labels >= 0) & (record.labels < len(detector.labels))).all()
        assert (np.diff(record.scores) <= 0).all()
        assert np.isfinite(record.scores).all()


def test_the_batch_never_changes_a_result(detector, stills):
    together = detector.detect([*stills, *stills[::-1], stills[0]])
    alone = [detector.detect([still])[0] for still in stills]
    assert all(map(same, together, [*alone, *alone[::-1], alone[0]]))


def test_the_same_frames_give_the_same_bits(detector, stills):
    assert all(map(same, detector.detect(stills), detector.detect(stills)))


@pytest.mark.parametrize("shape", [(1, 1, 3), (2, 900, 3), (700, 3, 3)])
def test_frames_of_any_shape_pass(detector, shape):
    (record,) = detector.detect([Still(np.zeros(shape, np.uint8))])
    assert np.isfinite(record.boxes).all()


def test_nanodet_finds_the_cup_the_cat_and_the_astronaut(weights_folder, cpu_runtime):
    nanodet = load_detector("nanodet-g-416", weights_folder, cpu_runtime, DetectorSettings(score=0.4))
    pictures = [skimage_data.coffee(), skimage_data.chelsea(), skimage_data.astronaut()]
    cup, cat, person = nanodet.detect([Still(picture) for picture in pictures])
    assert [nanodet.labels[label] for label in cup.labels] == ["cup"]
    np.testing.assert_allclose(cup.boxes[0], [0.234, 0.026, 0.711, 0.996], atol=0.02)
    assert "cat" in [nanodet.labels[label] for label in cat.labels]
    assert nanodet.labels[person.labels[0]] == "person"


def test_unknown_names_and_absent_weights_name_the_remedy(tmp_path, cpu_runtime):
    with pytest.raises(RefusedError, match="known are nanodet-g-416"):
        load_detector("nanodet-x", tmp_path, cpu_runtime)
    with pytest.raises(RefusedError, match="biographer models pull nanodet-g-416"):
        load_detector("nanodet-g-416", tmp_path, cpu_runtime)
