import pytest
from scenes import SECOND, STEP, track

from biographer.models.camera_path import CameraPath
from biographer.models.cleanup import CleanupSettings, is_observable, may_be_part, needed_us, seen_us
from biographer.models.motion import Motion

SETTINGS = CleanupSettings()


def path(times_us):
    result = CameraPath()
    for at_us in times_us:
        result.step(at_us, Motion())
    return result


@pytest.mark.parametrize("period_us", [SECOND, SECOND // 2, SECOND // 5, SECOND // 30])
def test_two_seconds_are_two_seconds_at_any_frame_rate(period_us):
    times = [row * period_us for row in range(10 * SECOND // period_us)]
    count = -(-2 * SECOND // period_us)
    enough, less = (track(1, times[:length], (0, 0, 0.5, 0.5)) for length in (count + 1, max(count - 1, 1)))
    assert is_observable(enough, path(times), SETTINGS, 30 * SECOND)
    assert not is_observable(less, path(times), SETTINGS, 30 * SECOND)


def test_a_long_absence_is_not_time_seen():
    times = [row * STEP for row in range(100)]
    glimpses = track(1, [times[0], times[1], times[90], times[91]], (0, 0, 0.5, 0.5))
    assert seen_us(glimpses, path(times), SETTINGS) == 4 * STEP
    assert not is_observable(glimpses, path(times), SETTINGS, 30 * SECOND)
    assert may_be_part(glimpses, path(times), SETTINGS, 30 * SECOND)


def test_half_of_a_short_clip_is_enough():
    assert needed_us(SETTINGS, 30 * SECOND) == 2 * SECOND
    assert needed_us(SETTINGS, SECOND) == SECOND // 2
    times = [row * STEP for row in range(5)]
    assert is_observable(track(1, times[:3], (0, 0, 0.5, 0.5)), path(times), SETTINGS, SECOND)


def test_one_sighting_is_none():
    """amietn/vcsi#9: a single frame, a clip of no length."""
    assert not is_observable(track(1, [0], (0, 0, 0.5, 0.5)), path([0]), SETTINGS, 0)
