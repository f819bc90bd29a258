"""What the search index learned is kept beside the store: a restart takes it, and believes it only so far."""

import shutil
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from sightings import RIGHT, STREAM, clip, seen, unit

from biographer.state.column import Column
from biographer.state.index import Index
from biographer.state.observation import Embedding
from biographer.state.perceived import Perceived
from biographer.state.rule import Rule, Thresholds
from biographer.state.stream import Stream
from biographer.state.tokens import Tokens
from biographer.state.wording import wording

RULE = Rule(references=3, thresholds={"": Thresholds(0.6, 0.9)})
STARTS = [0, 30, 60, 200, 600, 630, 90, 1300, 3700, 3730]
"""Windows close meanwhile, and are re-opened by a late clip."""

RESTS = (1, 5, 7, 9)
"""After these clips the stream rests: windows close, and are re-opened by what follows, a late clip as well."""


def told(number: int, start: int) -> Perceived:
    perceived = clip(
        f"c{number}",
        start,
        seen(0, unit(1, 0.1 * number, 0), start, label="Cup"),
        seen(1, unit(0, 1, 0), start, box=RIGHT, label="cat"),
        words=f"hello number {number % 4} again, and again",
    )
    texts = {text: Embedding("t", unit(1, number, 2)) for text in wording(perceived.clip, perceived.observations)}
    return replace(perceived, texts=texts if number % 3 else {})


def opened(folder: Path) -> Stream:
    return Stream(STREAM, folder, RULE)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    with closing(opened(tmp_path)) as stream:
        for number, start in enumerate(STARTS):
            stream.apply(told(number, start))
            if number in RESTS:
                stream.end()
    return tmp_path


def learned_anew(folder: Path, aside: Path) -> Index:
    shutil.copy(folder / "memory.db", aside / "memory.db")
    with closing(opened(aside)) as stream:
        return stream.memory.index


def contents(thing: Any) -> Any:  # noqa: PLR0911 - one a kind of thing
    """All that an object holds, as plain values."""
    if isinstance(thing, Column):
        return thing.view().tolist()
    if isinstance(thing, (np.ndarray, np.generic)):
        return thing.tolist()
    if isinstance(thing, dict):
        return {key: contents(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [contents(value) for value in thing]
    if isinstance(thing, Tokens):
        return None
    if type(thing).__module__.startswith("biographer"):
        names = getattr(type(thing), "__slots__", None) or vars(thing).keys()
        return {name: contents(getattr(thing, name)) for name in names if name != "_fresh"}
    return thing


def test_an_index_from_the_shelf_is_the_one_that_was_learned(
    kept: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    grown = contents(learned_anew(kept, tmp_path_factory.mktemp("anew")))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Index, "grow", lambda *_: pytest.fail("learned anew"))
        with closing(opened(kept)) as stream:
            taken = contents(stream.memory.index)
    assert taken == grown
    assert max(grown["windows"]["rows"]) > 0


def test_it_grows_on_as_if_there_had_been_no_restart(kept: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    with closing(opened(kept)) as stream:
        assert len(stream.memory.index.clips) == len(STARTS)
        for number, start in ((20, 4000), (21, 8000)):
            stream.apply(told(number, start))
            stream.end()
        taken = contents(stream.memory.index)
    assert taken == contents(learned_anew(kept, tmp_path_factory.mktemp("anew")))


def test_clips_applied_before_it_is_learned_are_not_lost(kept: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    with closing(opened(kept)) as stream:
        stream.apply(told(20, 4000))
        assert stream.memory.learning.at_hand is None
        taken = contents(stream.memory.index)
    assert taken == contents(learned_anew(kept, tmp_path_factory.mktemp("anew")))


DAMAGE = {
    "a row is altered": "UPDATE delta SET packed = packed || x'00' WHERE clip = 3",
    "a row is another's": "UPDATE delta SET packed = (SELECT packed FROM delta WHERE clip = 4) WHERE clip = 3",
    "a row is gone": "DELETE FROM delta WHERE clip = 3",
    "it was made otherwise": "UPDATE made SET fingerprint = 'older'",
    "it is of other records": "UPDATE delta SET digest = x'00'",
    "it has other tables": "DROP TABLE delta",
}


@pytest.mark.parametrize("statement", DAMAGE.values(), ids=DAMAGE)
def test_a_shelf_that_cannot_be_believed_is_made_anew(
    kept: Path, tmp_path_factory: pytest.TempPathFactory, statement: str
) -> None:
    with closing(apsw.Connection(str(kept / "index.db"))) as file:
        file.execute(statement)
    for _ in range(2):
        with closing(opened(kept)) as stream:
            taken = contents(stream.memory.index)
        assert taken == contents(learned_anew(kept, tmp_path_factory.mktemp("anew")))
    with closing(apsw.Connection(str(kept / "index.db"))) as file:
        assert file.execute("SELECT count(*) FROM delta").fetchall() == [(len(STARTS),)]


def test_a_file_that_is_no_shelf_is_made_anew(kept: Path) -> None:
    (kept / "index.db").write_bytes(b"not a database, but long enough to be looked at " * 20)
    with closing(opened(kept)) as stream:
        assert len(stream.memory.index.clips) == len(STARTS)


def test_of_a_store_that_is_behind_only_what_it_vouches_for_is_taken(kept: Path, tmp_path: Path) -> None:
    """A snapshot of the store was put back: the shelf knows more clips than there are."""
    behind = tmp_path / "behind"
    behind.mkdir()
    with closing(opened(behind)) as stream:
        for number, start in enumerate(STARTS[:5]):
            stream.apply(told(number, start))
    shutil.copy(kept / "index.db", behind / "index.db")
    with closing(opened(behind)) as stream:
        assert len(stream.memory.index.clips) == 5
        stream.apply(told(50, 5000))
        assert stream.memory.index.names[-1] == "c50"
    with closing(opened(behind)) as stream:
        assert stream.memory.index.names == [*(f"c{n}" for n in range(5)), "c50"]


def test_a_disk_that_refuses_the_shelf_holds_nothing_up(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as stream:
        (tmp_path / "index.db").mkdir()
        for number in range(40):
            stream.apply(told(number, 30 * number))
        assert len(stream.memory.index.clips) == 40


def test_a_shelf_that_can_neither_be_read_nor_deleted_is_done_without(kept: Path) -> None:
    (kept / "index.db").unlink()
    (kept / "index.db").mkdir()
    with closing(opened(kept)) as stream:
        assert len(stream.memory.index.clips) == len(STARTS)
        stream.apply(told(len(STARTS), 4000))
        assert len(stream.memory.index.clips) == len(STARTS) + 1
