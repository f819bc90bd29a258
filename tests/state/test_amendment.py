"""Amendments: what is written later is added in one step, once, and is there after a restart."""

from contextlib import closing
from pathlib import Path

import pytest
from remarks import amendment, captioned, described, description, summarised, written
from sightings import STREAM, clip, recording, seen, us

from biographer.state.amendment import Amendment, Written
from biographer.state.cut import cut_of
from biographer.state.errors import RefusedError, TransientError
from biographer.state.folder import StateFolder
from biographer.state.heard import Heard
from biographer.state.line import Line, LineKind
from biographer.state.name import Mention, NameKind
from biographer.state.piece import Piece
from biographer.state.remark import KINDS, body_of, kind_of, remark_of
from biographer.state.rule import Rule
from biographer.state.state_hash import state_hash, words_hash
from biographer.state.store import Store
from biographer.state.stream import Stream
from biographer.state.verify import verdict, verify


def filled(stream: Stream, clips: int = 3) -> None:
    """Clips in a row, each with one cup of track 0: observation and clip have the same number."""
    for number in range(clips):
        stream.apply(clip(f"c{number}", 30 * number, seen(0, (1, 0), 30 * number)))


def begun(folder: Path, rule: Rule) -> Stream:
    folder.mkdir()
    return Stream(STREAM, folder, rule)


def about(number: int, summary: str = "It stands there.") -> Written:
    return described(number, f"c{number}", 0, us(30 * number + 30), summary)


def damage(path: Path, statement: str) -> None:
    with closing(Store(path, STREAM)) as store:
        store.database.connection.execute(statement)
        assert store.database.connection.changes() > 0


def test_an_amendment_is_one_version_and_counts_with_the_clips(stream: Stream) -> None:
    filled(stream)
    made = stream.amend(amendment(about(0), about(1)))
    assert made is not None
    assert (made.version, stream.version) == (4, 4)
    assert [one.number for one in made.pieces] == [0, 1]
    assert stream.apply(clip("c3", 90)).version == 5
    assert stream.memory.index.extent.version == 5
    assert verdict(stream.store, stream.memory).faults == ()


def test_what_is_written_is_not_written_again(stream: Stream) -> None:
    filled(stream)
    stream.amend(amendment(about(0)))
    assert stream.amend(amendment(about(0, "another answer"))) is None
    assert stream.version == 4
    assert len(list(stream.store.select("SELECT * FROM remark"))) == 1


def test_a_piece_that_brought_nothing_is_settled_all_the_same(stream: Stream) -> None:
    filled(stream)
    piece = Piece("names", "3min", 0)
    assert stream.amend(Amendment((Written(piece, us(90), ("c0",), ()),))) is not None
    assert stream.amend(Amendment((Written(piece, us(90), ("c0",), ()),))) is None


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (lambda: described(0, "c9", 0, us(30), "x"), "not known"),
        (lambda: described(0, "c0", 7, us(30), "x"), "no observation"),
        (lambda: described(0, "c0", 0, us(300), "x"), "after all else"),
        (
            lambda: Written(Piece.of_observation("description", 0), us(60), ("c0",), (description("c0", 0, us(30)),)),
            "another time",
        ),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(stream: Stream, one, reason: str) -> None:
    filled(stream)
    before = words_hash(stream.store)
    with pytest.raises(RefusedError, match=reason):
        stream.amend(amendment(about(1), one()))
    assert (stream.version, words_hash(stream.store)) == (3, before)


def test_pieces_of_which_some_are_written_are_refused(stream: Stream) -> None:
    filled(stream)
    stream.amend(amendment(about(0)))
    with pytest.raises(RefusedError, match="written already"):
        stream.amend(amendment(about(0), about(1)))
    with pytest.raises(RefusedError, match="written already"):
        stream.amend(amendment(about(1), about(1)))


def test_a_disk_that_refuses_leaves_the_memory_as_it_was(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(stream)
    with monkeypatch.context() as patched:
        patched.setattr(stream.store, "amend", full)
        with pytest.raises(TransientError):
            stream.amend(amendment(about(0)))
    assert (stream.version, stream.memory.index.extent.told.observations) == (3, 0)
    assert stream.amend(amendment(about(0))) is not None


def full(_: object) -> None:
    raise TransientError("the disk is full")


def test_a_restart_brings_all_of_it_back(folder: StateFolder, stream: Stream, rule: Rule) -> None:
    """OSU-NLP-Group/HippoRAG#94: what was written is searched at once after a restart."""
    filled(stream, 8)
    index = stream.memory.index
    stream.amend(amendment(about(0, "a red cup"), captioned(1, clip("c1", 30).clip, "Anna walks.")))
    window = index.windows.versions[0]
    stream.amend(amendment(summarised(window, tuple(f"c{n}" for n in window.clips), "A walk.")))
    stream.apply(clip("c8", 240))
    expected = (stream.version, index.extent.told, state_hash(stream.store), words_hash(stream.store))
    folder.close()
    with closing(Stream(STREAM, stream.folder, rule)) as again:
        found = again.memory.index
        assert (again.version, found.extent.told, state_hash(again.store), words_hash(again.store)) == expected
        assert found.extent.version == again.version
        for kind, documents in found.told.documents.items():
            for column in ("units", "texts", "known", "authors"):
                live = getattr(index.told.documents[kind], column)[:]
                assert getattr(documents, column)[:].tolist() == live.tolist()
        assert found.told.texts.strings == index.told.texts.strings
        assert again.amend(amendment(about(0))) is None


def test_the_state_hash_is_the_same_whatever_was_written(tmp_path: Path, rule: Rule) -> None:
    with closing(begun(tmp_path / "told", rule)) as told, closing(begun(tmp_path / "no", rule)) as no:
        for number, perceived in enumerate(recording(5, 12)):
            told.apply(perceived)
            no.apply(perceived)
            caption = captioned(number, perceived.clip, f"caption {number}")
            told.amend(amendment(caption))
        assert told.version == 24
        assert state_hash(told.store) == state_hash(no.store)
        assert words_hash(told.store) != words_hash(no.store)


def test_the_words_hash_does_not_depend_on_the_order_of_writing(tmp_path: Path, rule: Rule) -> None:
    with closing(begun(tmp_path / "a", rule)) as one, closing(begun(tmp_path / "b", rule)) as other:
        for stream in (one, other):
            filled(stream)
        one.amend(amendment(about(0), about(1)))
        one.amend(amendment(about(2)))
        for number in (2, 1, 0):
            other.amend(amendment(about(number)))
        assert words_hash(one.store) == words_hash(other.store)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE remark SET body = replace(body, 'stands', 'lies')",
        "DELETE FROM remark WHERE piece = 1",
        "DELETE FROM remark_words WHERE piece = 0",
        "UPDATE piece SET known_us = known_us + 1 WHERE number = 1",
        "DELETE FROM piece WHERE number = 0",
        "UPDATE piece SET made = 2 WHERE number = 0",
        "UPDATE piece SET digest = x'00' WHERE number = 1",
    ],
)
def test_damage_to_what_was_written_is_found(folder: StateFolder, stream: Stream, rule: Rule, statement: str) -> None:
    filled(stream)
    stream.amend(amendment(about(0), about(1)))
    folder.close()
    damage(stream.folder / "memory.db", statement)
    with closing(Store(stream.folder / "memory.db", STREAM)) as store:
        assert any("piece" in fault for fault in verify(store, STREAM, rule).faults)


def test_a_cut_at_a_version_shows_what_there_was_then(stream: Stream) -> None:
    """The version counts amendments too; a page that keeps to one sees no clip that came behind it."""
    filled(stream, 2)
    stream.amend(amendment(about(0)))
    stream.apply(clip("c2", 60))
    path = stream.store.database.path
    for version, clips in ((2, 2), (3, 2), (4, 3)):
        with cut_of(path, STREAM, version=version) as cut:
            assert (cut.snapshot.version, cut.snapshot.clips) == (version, clips)
    with cut_of(path, STREAM) as cut:
        assert cut.snapshot.version == 4


def test_every_kind_of_remark_comes_back_as_it_was() -> None:
    """What the store holds is read by the class that wrote it; a new kind is to be named here."""
    one = captioned(0, clip("c0", 0).clip, 'a "cup" — 杯').remarks[0]
    mention = Mention(one.stretch, one.author, "Anna", NameKind.PERSON, ("c0",), 0, 1)
    heard = Heard(one.stretch, one.author, (Line(0, 1, LineKind.SPEECH, "Where is my cup?"),))
    for remark in (one, mention, description("c0", 3, 5), heard):
        assert remark_of(kind_of(remark), body_of(remark)) == remark
    assert len(KINDS) == 12


def test_pieces_about_a_stretch_are_known_by_scale_place_and_version() -> None:
    stretch = captioned(4, clip("c0", 0).clip, "x").remarks[0].stretch
    assert Piece.of_stretch("caption", stretch, 4) == Piece("caption", "local", 4)
    assert written(Piece.of_observation("description", 7), (), description("c0", 0, 5)).piece.place == 7
