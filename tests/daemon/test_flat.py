"""Memory and descriptors over many clips."""

import gc
from dataclasses import replace

import psutil
import pytest
from daemon_doubles import ListSource, Scripted, clip, running, running_on_kafka, until
from videos import video

from biographer.streams.message import encode
from biographer.streams.sink import KafkaSink

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
            await source.committed(patience_s=140)
            source.logs[0][:] = [replace(record, value=None) for record in source.logs[0]]
            gc.collect()
            readings.append((process.memory_info().rss / 2**20, process.num_fds()))
        assert rig.letters.items == []
        assert len(rig.clips("a")) == 2000
    (warm, descriptors), *_, (last, descriptors_last) = readings
    assert descriptors_last <= descriptors
    assert last - warm < 24, f"MiB after 500, 1000, 1500, 2000 clips: {readings}"


@pytest.mark.slow
async def test_a_backlog_of_large_clips_waits_at_the_broker_and_not_in_memory(embedded_broker, settings_for, tmp_path):
    """blakeblackshear/frigate#23409: a slow consumer under full feed; 200 MiB are sent, a few are held."""
    kafka = settings_for(embedded_broker, buffer_records=2, fetch_bytes=2**20)
    process, perception = psutil.Process(), Scripted()
    perception.gate.clear()
    film = bytes(2**20)
    async with running_on_kafka(tmp_path, kafka, perception, queue_records=4) as (rig, source):
        async with KafkaSink(kafka) as sink:
            for number in range(20):
                await sink.send("a", encode(replace(clip("a", number), video=film)))
            await until(lambda: sum(rig.pipeline.partitions.queued().values()) == 4, 0.05)
            gc.collect()
            warm = process.memory_info().rss
            for number in range(20, 200):
                await sink.send("a", encode(replace(clip("a", number), video=film)))
        await until(lambda: sum(source.lag().values()) >= 190, 0.05)
        gc.collect()
        held = (process.memory_info().rss - warm) / 2**20
        assert sum(rig.pipeline.partitions.queued().values()) == 4
        assert held < 40, f"{held:.0f} MiB more after 180 MiB that nobody takes"
