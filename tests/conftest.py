"""Fixtures that every folder's tests share."""

from collections.abc import Callable
from pathlib import Path

import pytest

pytest_plugins = ["brokers"]

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
