"""What the state's tests share: a folder for one stream."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sightings import STREAM

from biographer.state.folder import StateFolder
from biographer.state.rule import Rule, Thresholds
from biographer.state.stream import Stream


@pytest.fixture
def rule() -> Rule:
    return Rule(references=3, thresholds={"": Thresholds(0.5, 0.75)})


@pytest.fixture
def folder(tmp_path: Path, rule: Rule) -> Iterator[StateFolder]:
    opened = StateFolder(tmp_path / "state", rule)
    yield opened
    opened.close()


@pytest.fixture
def stream(folder: StateFolder) -> Stream:
    return folder.stream(STREAM)
