"""Frames decoded lately: bounded in bytes, the ones asked for last stay."""

from biographer.daemon.frame_cache import FrameCache


def test_the_bytes_are_bounded_and_what_was_asked_for_last_stays():
    cache = FrameCache(most=300)
    for number in range(3):
        cache.put((f"film {number}", 0, 16), (number, b"x" * 100))
    assert cache.get(("film 0", 0, 16)) == (0, b"x" * 100)
    cache.put(("film 3", 0, 16), (3, b"y" * 100))
    assert cache.get(("film 1", 0, 16)) is None
    assert cache.get(("film 0", 0, 16)) is not None
    assert cache.nbytes == 300


def test_a_frame_is_known_by_file_offset_and_size_and_replaced_by_a_newer_one():
    cache = FrameCache(most=1000)
    cache.put(("film", 5, 16), (5, b"small"))
    assert cache.get(("film", 5, 32)) is None
    assert cache.get(("film", 6, 16)) is None
    cache.put(("film", 5, 16), (5, b"other"))
    assert cache.get(("film", 5, 16)) == (5, b"other")
    assert cache.nbytes == 5


def test_one_that_is_larger_than_all_is_not_kept():
    cache = FrameCache(most=10)
    cache.put(("film", 0, 16), (0, b"x" * 11))
    assert cache.get(("film", 0, 16)) is None
    assert cache.nbytes == 0
