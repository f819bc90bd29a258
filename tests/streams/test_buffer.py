import pytest

from biographer.streams.buffer import Buffer
from biographer.streams.record import Record


def record(partition, offset, size=10):
    return Record("clips", partition, offset, None, bytes(size), 0)


def drained(buffer):
    taken = []
    while (one := buffer.take()) is not None:
        taken.append((one.partition, one.offset))
    return taken


def test_records_come_out_in_order():
    buffer = Buffer(5, 1_000)
    for place in [(0, 0), (1, 7), (0, 1)]:
        buffer.put(record(*place))
    assert drained(buffer) == [(0, 0), (1, 7), (0, 1)]
    assert (len(buffer), buffer.size) == (0, 0)


def test_full_partition_leaves_room_for_others():
    buffer = Buffer(2, 1_000)
    buffer.put(record(0, 0))
    assert buffer.wants(0)
    buffer.put(record(0, 1))
    assert not buffer.wants(0)
    assert buffer.wants(1)
    buffer.take()
    assert buffer.wants(0)


def test_bytes_bound_all_partitions():
    buffer = Buffer(100, 25)
    for offset in range(3):
        assert buffer.wants(0)
        buffer.put(record(0, offset))
    assert not buffer.wants(0)
    assert not buffer.wants(1)


def test_held_partition_waits_and_others_pass():
    buffer = Buffer(5, 1_000)
    for place in [(0, 0), (1, 7), (0, 1)]:
        buffer.put(record(*place))
    buffer.hold([0])
    assert drained(buffer) == [(1, 7)]
    buffer.release([0])
    assert drained(buffer) == [(0, 0), (0, 1)]


def test_dropped_partition_is_gone_with_its_bytes_and_its_hold():
    buffer = Buffer(2, 1_000)
    for place in [(0, 0), (1, 7), (0, 1)]:
        buffer.put(record(*place))
    buffer.hold([0])
    buffer.drop([0])
    assert (len(buffer), buffer.size) == (1, 10)
    assert buffer.wants(0)
    buffer.put(record(0, 5))
    assert drained(buffer) == [(1, 7), (0, 5)]


@pytest.mark.parametrize("value", [None, b""])
def test_record_without_bytes_is_still_counted(value):
    buffer = Buffer(1, 1_000)
    buffer.put(Record("clips", 0, 0, None, value, 0))
    assert not buffer.wants(0)
