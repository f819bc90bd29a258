import io
import itertools

import av
import numpy as np
import pytest
from PIL import Image

from biographer.ops.recording import CLIP_SECONDS, RATE, SHOTS, SIZE, Shot, record
from biographer.ops.scenes import Scene, picture
from biographer.state.times import SECOND_US
from biographer.streams.message import ClipMessage, encode

pytest.importorskip("skimage", reason="the demo's photographs come with scikit-image: pip install -e '.[demo]'")

START_US = 1_767_225_600 * SECOND_US
SHORT = (Shot(Scene.CUP, "I look at the cup."), Shot(Scene.BOTH_CUPS, "Now there are two."))


def pictures(clip: ClipMessage) -> list[np.ndarray]:
    with av.open(io.BytesIO(clip.video)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def test_one_seed_makes_one_recording():
    first, again, other = ([encode(clip) for clip in record(seed, "ann", START_US, SHORT, 1)] for seed in (7, 7, 8))
    assert first == again
    assert first != other


def test_clips_follow_each_other_without_gap_and_carry_their_narration():
    clips = list(record(7, "ann", START_US, SHORT, seconds=1))
    assert [clip.start_us for clip in clips] == [START_US, START_US + SECOND_US]
    for clip, shot in zip(clips, SHORT, strict=True):
        (line,) = clip.lines
        assert line.text == shot.narration
        assert clip.start_us <= line.start_us < line.end_us <= clip.start_us + clip.duration_us
    assert len({clip.clip for clip in clips}) == 2


def test_a_clip_is_a_whole_video_of_a_moving_head():
    (clip,) = record(7, "ann", START_US, SHORT[:1], seconds=2)
    frames = pictures(clip)
    assert len(frames) == 2 * RATE
    assert frames[0].shape == (SIZE, SIZE, 3)
    change = [np.abs(a.astype(int) - b).mean() for a, b in itertools.pairwise(frames)]
    assert np.median(change) > 1.0
    assert max(change) < 40


def test_the_look_alike_differs_in_colour_and_in_nothing_else():
    red, green = (np.asarray(picture(scene)) for scene in (Scene.CUP, Scene.OTHER_CUP))
    changed = np.any(red != green, axis=-1)
    hues = np.asarray(Image.fromarray(green).convert("HSV"))[..., 0][changed]
    assert 0.1 < changed.mean() < 0.4
    assert np.abs(red.max(axis=-1).astype(int) - green.max(axis=-1)).max() <= 1
    assert np.median(hues) == pytest.approx(72, abs=12)


def test_the_cup_comes_and_goes_and_meets_its_look_alike_once():
    scenes = [shot.scene for shot in SHOTS]
    assert len(scenes) >= 8
    assert scenes.count(Scene.BOTH_CUPS) == 1
    with_cup = [scene in {Scene.CUP, Scene.BOTH_CUPS} for scene in scenes]
    assert sum(with_cup) >= 4
    assert sum(a != b for a, b in itertools.pairwise(with_cup)) >= 4
    assert len(scenes) * CLIP_SECONDS <= 90
