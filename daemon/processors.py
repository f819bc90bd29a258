"""How the threads of the daemon share the processors: whose turn it is at Python's lock, and at matrix products.

A search is some hundred short steps of numpy, each of which lets go of Python's lock and asks for it back; by default a
writer that runs meanwhile may keep it for 5 ms each time.

numpy's BLAS gives each product all cores by default. Several at once then wait for each other's threads: on two cores a
search's product took 260 to 480 ms beside association's, and 20 ms where each has one thread; association's own took
longer as well. A product that is alone would be up to twice as fast with two.
"""

import sys

from threadpoolctl import threadpool_limits

TURN_S = 0.0005


def share_processors(product_threads: int) -> None:
    """Let threads take turns often and each product take so many, in the whole process; before there are any."""
    sys.setswitchinterval(TURN_S)
    threadpool_limits(limits=product_threads, user_api="blas")
