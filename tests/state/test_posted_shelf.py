"""Terms of what was written, kept beside the store: a restart ranks alike, and believes nothing that differs."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest
from recordings import WORDS, meaning
from remarks import amendment, captioned, described
from sightings import STREAM, clip, seen, us

from biographer.state.posted_shelf import PostedShelf
from biographer.state.query import Query
from biographer.state.restore import LEARNED
from biographer.state.rule import Rule
from biographer.state.search import search
from biographer.state.search_settings import SearchSettings
from biographer.state.stream import Stream
from biographer.state.tokens import Tokens
from biographer.state.view import View

CLIPS = 12


def opened(folder: Path, rule: Rule) -> Stream:
    folder.mkdir(exist_ok=True)
    return Stream(STREAM, folder, rule)


def fill(stream: Stream, first: int = 0, last: int = CLIPS) -> None:
    for number in range(first, last):
        made = clip(f"c{number}", 30 * number, seen(0, (1, 0), 30 * number), words=WORDS[number % 10])
        stream.apply(made)
        words = f"{WORDS[(number * 3) % 10]} and {WORDS[(number * 7) % 10]} {number}"
        about = described(number, f"c{number}", 0, us(30 * number + 30), f"A cup, {words}.")
        stream.amend(amendment(about, captioned(number, made.clip, f"Somebody, {words}.")))


def asked(stream: Stream) -> list:
    view = View(stream.memory.index)
    queries = (Query(f"{word} cup", meaning(word), limit=40) for word in WORDS)
    return [search(view, query, SearchSettings()) for query in queries]


def shelf(folder: Path, rule: Rule) -> tuple[int, int]:
    """The last piece that is believed, and how many there are."""
    read = PostedShelf(folder / "index.db", folder / "memory.db", STREAM, fingerprint(folder, rule)).read()
    return read[0], len(read[1])


def test_a_restart_ranks_alike_without_taking_a_word_apart(
    tmp_path: Path, rule: Rule, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(opened(tmp_path, rule)) as stream:
        fill(stream)
        expected = asked(stream)
    assert shelf(tmp_path, rule) == (2 * CLIPS - 1, 2 * CLIPS)
    with monkeypatch.context() as patched, closing(opened(tmp_path, rule)) as again:
        patched.setattr(Tokens, "terms", lambda *_: pytest.fail("a word was taken apart"))
        assert again.memory.index.told.is_whole
        patched.undo()
        assert asked(again) == expected
        fill(again, CLIPS, CLIPS + 3)
        longer = asked(again)
    with closing(opened(tmp_path, rule)) as third:
        assert asked(third) == longer


@pytest.mark.parametrize(
    ("statement", "believed"),
    [
        ("UPDATE posted SET packed = x'00' WHERE piece = 5", 4),
        ("UPDATE posted SET digest = x'00' WHERE piece = 7", 6),
        ("DELETE FROM posted WHERE piece = 3", 2),
        ("UPDATE posted_made SET fingerprint = 'another'", -1),
        ("DROP TABLE posted", -1),
    ],
)
def test_what_does_not_agree_is_learned_again(tmp_path: Path, rule: Rule, statement: str, believed: int) -> None:
    with closing(opened(tmp_path, rule)) as stream:
        fill(stream)
        expected = asked(stream)
    with closing(apsw.Connection(str(tmp_path / "index.db"))) as file:
        file.execute(statement)
    read = PostedShelf(tmp_path / "index.db", tmp_path / "memory.db", STREAM, fingerprint(tmp_path, rule))
    assert read.read()[0] == believed
    for _ in range(2):
        with closing(opened(tmp_path, rule)) as again:
            assert asked(again) == expected
    assert shelf(tmp_path, rule) == (2 * CLIPS - 1, 2 * CLIPS)


def fingerprint(folder: Path, rule: Rule) -> str:
    with closing(Stream(STREAM, folder, rule)) as stream:
        return f"{LEARNED} {Tokens.fingerprint()} {stream.store.database.zone}"


def test_other_remarks_than_those_of_the_store_are_not_believed(tmp_path: Path, rule: Rule) -> None:
    """A snapshot put back in place of the store: its pieces have other digests."""
    for name, words in (("a", "red"), ("b", "green")):
        with closing(opened(tmp_path / name, rule)) as stream:
            stream.apply(clip("c0", 0, seen(0, (1, 0), 0)))
            stream.amend(amendment(described(0, "c0", 0, us(30), f"A {words} cup.")))
            _ = stream.memory.index
    (tmp_path / "b" / "index.db").replace(tmp_path / "a" / "index.db")
    assert shelf(tmp_path / "a", rule)[0] == -1
    with closing(opened(tmp_path / "a", rule)) as stream:
        view = View(stream.memory.index)
        assert search(view, Query("green"), SearchSettings()).items == ()
        assert search(view, Query("red"), SearchSettings()).items != ()


def test_terms_of_a_program_that_made_other_documents_are_dropped(tmp_path: Path, rule: Rule) -> None:
    with closing(opened(tmp_path, rule)) as stream:
        fill(stream, last=2)
        expected = asked(stream)
    with closing(apsw.Connection(str(tmp_path / "index.db"))) as file:
        rows = file.execute("SELECT piece, digest, packed, sum FROM posted ORDER BY piece").fetchall()
        # The last piece has the terms of two documents.
        twice = rows[-1][2]
        told = PostedShelf(tmp_path / "index.db", tmp_path / "memory.db", STREAM, fingerprint(tmp_path, rule))
        (*_, last) = told.read()[1]
        (kind,) = last
        last[kind].lengths.extend(last[kind].lengths)
        last[kind].sizes.extend(last[kind].sizes)
        last[kind].ids.extend(last[kind].ids)
        last[kind].counts.extend(last[kind].counts)
        told.put(rows[-1][0], last)
        told.flush()
        assert file.execute("SELECT packed FROM posted ORDER BY piece DESC LIMIT 1").fetchall() != [(twice,)]
    with closing(opened(tmp_path, rule)) as again:
        assert asked(again) == expected
