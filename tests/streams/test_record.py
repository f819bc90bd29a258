from dataclasses import replace

import pytest

from biographer.state.position import Position
from biographer.streams.record import Record, fingerprint, position_behind

RECORD = Record("clips", 2, 41, b"anna", b"value", 1_700_000_000_000_000, (("h", b"x"),), "cluster", "topic-id")


def test_fingerprint_is_of_the_content_and_not_of_the_place():
    moved = replace(RECORD, topic="other", partition=0, offset=7, cluster="", headers=())
    assert fingerprint(moved) == fingerprint(RECORD)
    assert len(fingerprint(RECORD)) == 64


@pytest.mark.parametrize(
    "other",
    [
        replace(RECORD, value=b"values"),
        replace(RECORD, value=None),
        replace(RECORD, key=None),
        replace(RECORD, key=b"annav", value=b"alue"),
        replace(RECORD, timestamp_us=RECORD.timestamp_us + 1_000),
        replace(RECORD, timestamp_us=-1),
    ],
)
def test_fingerprint_tells_other_content_apart(other):
    assert fingerprint(other) != fingerprint(RECORD)


def test_no_value_is_not_an_empty_value():
    assert fingerprint(replace(RECORD, value=None)) != fingerprint(replace(RECORD, value=b""))


def test_position_behind_names_the_log_and_the_next_offset():
    assert position_behind(RECORD) == Position("cluster", "clips", "topic-id", 2, 42, fingerprint(RECORD))


def test_size_counts_key_value_and_headers():
    assert RECORD.size == 4 + 5 + 2
    assert replace(RECORD, key=None, value=None, headers=()).size == 0
