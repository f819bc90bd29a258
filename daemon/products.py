"""How many threads a matrix product of the daemon takes: association compares with the gallery, search with all texts.

numpy's BLAS gives each product all cores by default. Several at once then wait for each other's threads: on two cores a
search's product took 260 to 480 ms beside association's, and 20 ms where each has one thread; association's own took
longer as well. A product that is alone would be up to twice as fast with two.
"""

from threadpoolctl import threadpool_limits


def limit_products(threads: int) -> None:
    """Let each product take so many threads, in the whole process and from now on."""
    threadpool_limits(limits=threads, user_api="blas")
