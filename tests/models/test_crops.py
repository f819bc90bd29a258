import io
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFilter
from scenes import STEP, view, world

from biographer.models.crops import Candidate, CropCollector, CropSettings, choose, cut, cut_from, jpeg
from biographer.models.tracker import Sightings
from biographer.streams.array_frame import ArrayFrame

WORLD = world(5)
SHARP = view(WORLD)
BLURRED = np.asarray(Image.fromarray(SHARP).filter(ImageFilter.GaussianBlur(6)))
BOX = (0.3, 0.3, 0.6, 0.7)


def sightings(*boxes, numbers=None):
    wide = np.array(boxes, dtype=np.float32).reshape(-1, 4)
    rows = np.array(numbers or range(1, len(wide) + 1), dtype=np.int64)
    return Sightings(rows, wide, np.full(len(wide), 0.8, dtype=np.float32))


def collect(pictures, seen, **changes):
    collector = CropCollector(CropSettings(**changes))
    for row, (picture, where) in enumerate(zip(pictures, seen, strict=True)):
        collector.offer(ArrayFrame(row * STEP, picture), picture[..., 1], where)
    collector.flush()
    return collector


def candidate(at, quality=1.0):
    return Candidate(at, BOX, quality, np.zeros((2, 2, 3), dtype=np.uint8))


def test_the_sharpest_of_a_window_is_taken():
    pictures = [BLURRED, BLURRED, SHARP, BLURRED, BLURRED]
    (best,) = collect(pictures, [sightings(BOX)] * 5).candidates(1)
    assert best.at_us == 2 * STEP


def test_a_crop_without_another_thing_in_front_is_preferred():
    hidden = sightings(BOX, (0.25, 0.25, 0.6, 0.7))
    collector = collect([SHARP] * 5, [hidden, hidden, hidden, sightings(BOX), hidden])
    assert [held.at_us for held in collector.candidates(1)] == [3 * STEP]


def test_candidates_are_spread_over_the_track_and_bounded():
    times = [held.at_us for held in collect([SHARP] * 200, [sightings(BOX)] * 200, candidates=8).candidates(1)]
    assert 4 <= len(times) <= 8
    assert times[0] < 8_000_000
    assert times[-1] >= 32_000_000


def test_frames_are_let_go_after_a_window():
    """A clip is never held in memory: at most a window's frames, and never more than the limit, are alive."""

    class Tracked(ArrayFrame):
        pass

    collector = CropCollector(CropSettings(held_frames=4, window_s=1.0))
    alive = weakref.WeakSet()
    for row in range(60):
        frame = Tracked(row * 50_000, SHARP)
        alive.add(frame)
        collector.offer(frame, SHARP[..., 1], sightings(BOX))
        del frame
        assert len(alive) <= 4


def test_a_track_that_was_seen_once_costs_no_pixels():
    assert collect([SHARP], [sightings(BOX)]).candidates(1) == ()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 10**7), unique=True, max_size=20), st.integers(0, 6))
def test_chosen_ones_are_different_in_order_and_as_many_as_can_be(times, count):
    held = [candidate(at, quality=at % 97) for at in times]
    chosen = choose(held, count)
    at = [one.at_us for one in chosen]
    assert at == sorted(set(at))
    assert len(at) == min(count, len(times))


def test_each_stretch_gives_its_best():
    held = [candidate(at, quality=at % 4) for at in range(16)]
    assert [one.at_us for one in choose(held, 4)] == [3, 7, 11, 15]


coordinate = st.floats(0, 1, width=32)


@settings(max_examples=60, deadline=None)
@given(st.tuples(coordinate, coordinate, coordinate, coordinate), st.integers(1, 400))
def test_a_cut_is_never_empty_nor_over_its_side(corners, side):
    x0, x1 = sorted((corners[0], corners[2]))
    y0, y1 = sorted((corners[1], corners[3]))
    box = np.array([x0, y0, x1, y1], dtype=np.float32)
    for pixels in (cut(SHARP, box, 0.1, side), cut_from(ArrayFrame(0, SHARP), box, 0.1, side)):
        assert min(pixels.shape) >= 1
        assert max(pixels.shape[:2]) <= max(side, 1)


def test_a_cut_has_its_margin_and_is_a_copy():
    pixels = cut(SHARP, np.array([0.25, 0.5, 0.5, 0.75], dtype=np.float32), 0.1, 448)
    assert pixels.shape[1] == pytest.approx(320 * 0.25 * 1.2, abs=2)
    assert pixels.shape[0] == pytest.approx(180 * 0.25 * 1.2, abs=2)
    assert not np.shares_memory(pixels, SHARP)


def test_a_large_box_cut_from_a_smaller_picture_shows_the_same():
    box = np.array([0.1, 0.1, 0.9, 0.9], dtype=np.float32)
    small = cut_from(ArrayFrame(0, SHARP), box, 0.0, 100)
    same = np.asarray(Image.fromarray(cut(SHARP, box, 0.0, 448)).resize(small.shape[1::-1], Image.Resampling.BILINEAR))
    assert np.abs(small.astype(int) - same.astype(int)).mean() < 6


def test_jpeg_is_a_jpeg_of_the_same_size_and_the_same_bytes_again():
    file = jpeg(SHARP, 85)
    with Image.open(io.BytesIO(file)) as picture:
        assert (picture.format, picture.size) == ("JPEG", (320, 180))
    assert jpeg(SHARP, 85) == file
