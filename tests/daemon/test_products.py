"""Threads of matrix products."""

import subprocess
import sys

ASK = """
from threadpoolctl import threadpool_info
import numpy
from biographer.daemon.products import limit_products
limit_products(1)
print([pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"])
"""


def test_each_product_has_one_thread_from_then_on() -> None:
    """In a process of its own: it holds for all of it."""
    found = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[1]"
