"""Clip to observations without a broker: which pixels are looked at, and which are kept."""

import hashlib
import io
from dataclasses import replace

import numpy as np
import pytest
from daemon_doubles import clip
from PIL import Image
from videos import video

from biographer.daemon.perception import Perception, media_type
from biographer.models.describer import PlainDescriber
from biographer.models.perceiver import Perceiver
from biographer.models.stages import Stage
from biographer.state.errors import BadClipError, TransientError
from biographer.streams.decoder import Decoder
from biographer.streams.uri import Fetcher


@pytest.fixture
def timings():
    return []


@pytest.fixture
def perception(tmp_path, timings):
    def build(keep="clips"):
        perceiver = Perceiver(None, None, PlainDescriber())
        return Perception(
            Fetcher((tmp_path,), (), 1 << 20), Decoder(), perceiver, keep, lambda *told: timings.append(told)
        )

    return build


def with_crop():
    picture = io.BytesIO()
    Image.fromarray(np.full((40, 40, 3), 90, np.uint8)).save(picture, "JPEG")
    message = clip("a", 0, subjects=1)
    return replace(message, tracks=(replace(message.tracks[0], crop=picture.getvalue()),))


def test_tracks_alone_are_adopted(perception, timings):
    perceived = perception().perceive(clip("a", 0))
    assert (perceived.clip.name, len(perceived.observations), perceived.clip.media) == ("clip-00000", 2, None)
    ((told, stages),) = timings
    assert (told.name, set(stages.seconds)) == ("clip-00000", set(Stage))


def test_tracks_with_pixels_get_crops_from_them(perception):
    perceived = perception("crops").perceive(replace(clip("a", 0, subjects=1), video=video(90)))
    assert perceived.observations[0].crops
    assert set(perceived.media) == {crop.sha256 for crop in perceived.observations[0].crops}


def test_lines_alone_are_a_clip_without_observations(perception):
    perceived = perception().perceive(replace(clip("a", 0), tracks=None))
    assert (perceived.observations, len(perceived.clip.lines)) == ((), 1)


@pytest.mark.parametrize(("keep", "pixels", "crops"), [("clips", 1, 1), ("crops", 0, 1), ("nothing", 0, 0)])
def test_what_is_kept_of_the_pixels_is_a_setting(perception, keep, pixels, crops):
    film = video(3)
    perceived = perception(keep).perceive(replace(with_crop(), video=film))
    name = hashlib.sha256(film).hexdigest()
    assert (name in perceived.media) == bool(pixels)
    assert perceived.clip.media == (name if pixels else None)
    assert perceived.clip.media_type == ("video/mp4" if pixels else None)
    assert bool(perceived.observations[0].crops) == bool(crops)
    named = {crop.sha256 for crop in perceived.observations[0].crops} | ({name} if pixels else set())
    assert set(perceived.media) == named


def test_pixels_that_lie_elsewhere_are_fetched(perception, tmp_path):
    film = video(3)
    (tmp_path / "a.mp4").write_bytes(film)
    message = replace(clip("a", 0), tracks=None, uri=(tmp_path / "a.mp4").as_uri())
    good = replace(message, sha256=hashlib.sha256(film).hexdigest())
    assert perception().perceive(good).clip.media == good.sha256
    with pytest.raises(BadClipError):
        perception().perceive(replace(message, sha256="0" * 64))


def test_a_video_that_is_none_is_the_clips_fault(perception):
    with pytest.raises(BadClipError):
        perception().perceive(replace(clip("a", 0), video=b"text, named .mp4"))


def test_it_stops_when_told(perception):
    with pytest.raises(TransientError):
        perception().perceive(replace(clip("a", 0), video=video(30)), lambda: True)


@pytest.mark.parametrize(
    ("container", "kind"), [("mp4", "video/mp4"), ("matroska", "video/x-matroska"), ("webm", "video/webm")]
)
def test_media_types_come_from_the_content(container, kind):
    codec = "libvpx" if container == "webm" else "libx264"
    assert media_type(video(3, container=container, codec=codec)) == kind


def test_what_is_unknown_has_no_type_of_its_own():
    assert media_type(b"") == "application/octet-stream"
