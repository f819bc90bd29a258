"""Sharing the processors: it holds for a whole process, so each is asked in one of its own."""

import subprocess
import sys

ASK = """
import sys
import numpy
from threadpoolctl import threadpool_info
from biographer.daemon.processors import share_processors
share_processors({threads})
print(sys.getswitchinterval(), [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"])
"""


def told(threads: int) -> str:
    asked = [sys.executable, "-c", ASK.format(threads=threads)]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def test_turns_are_short_and_each_product_has_as_many_threads_as_it_is_let() -> None:
    assert told(1) == "0.0005 [1]"
    assert told(2) == "0.0005 [2]"
