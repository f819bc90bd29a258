"""Fixtures that every folder's tests share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["brokers"]

# A loaded machine must not fail a test by its clock, nor chance by its seed. One profile for all: the last one that is
# loaded holds for every folder.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True, print_blob=True
)
settings.load_profile("any machine")

SHARED_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Callable[[str], Path]:
    """Return a function from a path below ../shared/data to the file, skipping the test where it is absent."""

    def find(relative: str) -> Path:
        path = SHARED_DATA / relative
        if not path.exists():
            pytest.skip(f"../shared/data/{relative} is absent")
        return path

    return find
