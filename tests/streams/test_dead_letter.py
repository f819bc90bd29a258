import pytest

from biographer.state.errors import BadClipError
from biographer.streams.dead_letter import ROOM_BYTES, from_record, to_headers
from biographer.streams.dead_letter import letter as dead_letter
from biographer.streams.kafka_record import framed_size
from biographer.streams.record import Record

RECORD = Record("clips", 3, 41, b"anna", b"not a clip", 1_700_000_000_000_000)


def as_record(letter):
    return Record("dead", 0, 0, letter.key, letter.payload, 0, to_headers(letter))


def test_letter_survives_the_topic():
    letter = dead_letter(RECORD, BadClipError("field 'clip' is missing"), at_us=1_800_000_000_000_000)
    assert from_record(as_record(letter)) == letter
    assert letter.reason == "field 'clip' is missing"
    assert letter.error == "BadClipError"
    assert (letter.topic, letter.partition, letter.offset) == ("clips", 3, 41)
    assert letter.sha256 == "c9c8698092399fbfb6cb26b368c19ac482df95952a7eb21080c19d88f2d6c65b"


def test_tombstone_has_no_hash_and_nothing_left_out():
    letter = dead_letter(Record("clips", 0, 0, b"anna", None, -1), BadClipError("empty"), at_us=1)
    assert letter.sha256 == ""


def test_error_without_words_gives_its_class():
    assert dead_letter(RECORD, ValueError(), at_us=1).reason == "ValueError"


def test_letter_without_payload_says_so_and_keeps_the_hash():
    letter = dead_letter(RECORD, BadClipError("bad"), at_us=1)
    small = letter.without_payload()
    assert (small.payload, small.payload_left_out, small.sha256) == (None, True, letter.sha256)
    assert from_record(as_record(small)) == small


@pytest.mark.parametrize("reason", ["x" * 1_000_000, "é" * 1_000_000, "\ud800 lone surrogate"])
def test_letter_without_payload_fits_whatever_the_key_and_reason(reason):
    huge = Record("t" * 249, 2**31 - 1, 2**62, bytes(5_000_000), bytes(5), 2**60)
    small = dead_letter(huge, BadClipError(reason), at_us=2**60).without_payload()
    assert framed_size(small.key, small.payload, to_headers(small)) < ROOM_BYTES


def test_foreign_record_is_listed_as_unknown():
    letter = from_record(Record("dead", 0, 7, b"k", b"v", 0, (("biographer.offset", b"seven"), ("x", b"\xff"))))
    assert "not written as a dead letter" in letter.reason
    assert letter.offset == -1
    assert letter.payload == b"v"
