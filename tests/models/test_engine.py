"""What is asked of the processor before networks of 8 bits are trusted to it."""

import pytest

from biographer.models.engine import sums_bytes_exactly


@pytest.mark.parametrize(
    ("flags", "exact"), [("avx2 avx512_vnni", True), ("avx2 avx_vnni", True), ("avx2 avx512bw", False)]
)
def test_processors_that_sum_bytes_exactly_are_known_by_their_flags(tmp_path, flags, exact):
    described = tmp_path / "cpuinfo"
    described.write_text(f"processor : 0\nflags : fpu {flags} sse2\n")
    assert sums_bytes_exactly(described) is exact


def test_a_system_that_does_not_say_gets_the_exact_way(tmp_path):
    assert not sums_bytes_exactly(tmp_path / "absent")
