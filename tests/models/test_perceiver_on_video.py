"""The perceiver with the default networks on a real first-person video."""

import io

import pytest
from PIL import Image

from biographer.models.catalogue import load_detector, load_embedder
from biographer.models.describer import PlainDescriber
from biographer.models.nanodet import DetectorSettings
from biographer.models.perceiver import Perceiver
from biographer.models.stages import Stage, Stages
from biographer.state.clip import Clip
from biographer.streams.decoder import Decoder

SPAN_US = 30_000_000


@pytest.mark.slow
@pytest.mark.data
def test_a_kitchen_has_things_in_it(shared_data, weights_folder, cpu_runtime):
    video = shared_data("videoagent_tracks/kitchen/video.mp4")
    detector = load_detector("nanodet-g-416", weights_folder, cpu_runtime, DetectorSettings(score=0.2))
    embedder = load_embedder("nanodet-g-416-stats", weights_folder, cpu_runtime)
    stages = Stages()
    perceived = Perceiver(detector, embedder, PlainDescriber()).perceive(
        Clip("kitchen", "0", 0, SPAN_US), Decoder(5.0).frames(video, 0, SPAN_US), stages=stages
    )
    labels = {observation.label for observation in perceived.observations}
    assert len(perceived.observations) >= 5
    assert {"refrigerator", "bottle", "bowl"} <= labels
    for observation in perceived.observations:
        assert observation.embedding is not None
        assert 2 <= len(observation.crops) <= 4
        for crop in observation.crops:
            with Image.open(io.BytesIO(perceived.media[crop.sha256])) as picture:
                assert max(picture.size) <= 448
    assert stages.frames == pytest.approx(150, abs=2)
    assert stages.seconds[Stage.DETECT] > stages.seconds[Stage.TRACK]
