"""Memory and descriptors over many clips."""

import gc
from dataclasses import replace

import psutil
import pytest
from daemon_doubles import ListSource, clip, running
from videos import video

from biographer.streams.message import encode

SECOND_US = 1_000_000


def short(number, film):
    message = clip("a", number, subjects=1, duration_us=SECOND_US)
    start = 1_000 * SECOND_US + number * SECOND_US
    moved = replace(message.tracks[0], times_us=message.tracks[0].times_us - message.start_us + start)
    moved = replace(moved, times_us=moved.times_us[:3], boxes=moved.boxes[:3])
    return replace(message, start_us=start, tracks=(moved,), lines=(), video=film)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_two_thousand_one_second_clips_leave_memory_and_descriptors_flat(tmp_path):
    """insight-platform/Savant#1169, PyAV-Org/PyAV#1117: pixels are decoded for each, and closed."""
    film, source, process = video(30), ListSource(), psutil.Process()
    async with running(tmp_path, source, store_position_s=60) as rig:
        readings = []
        for block in range(4):
            for number in range(block * 500, (block + 1) * 500):
                source.add(encode(short(number, film)), b"a")
            await source.committed()
            source.logs[0][:] = [replace(record, value=None) for record in source.logs[0]]
            gc.collect()
            readings.append((process.memory_info().rss / 2**20, process.num_fds()))
        assert rig.letters.items == []
        assert len(rig.clips("a")) == 2000
    (warm, descriptors), *_, (last, descriptors_last) = readings
    assert descriptors_last <= descriptors
    assert last - warm < 24, f"MiB after 500, 1000, 1500, 2000 clips: {readings}"
