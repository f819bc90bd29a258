"""What is left to be written of a stream, as who waits for it sees it."""

from remarks import amendment, captioned, described
from sightings import STREAM, clip, seen, us

from biographer.daemon.language_section import Language
from biographer.ops.telling import Telling
from biographer.state.folder import StateFolder
from biographer.state.rule import Rule

SOME = Language(url="http://127.0.0.1:9/v1", models={"describer": "small", "captioner": "small"})


def test_all_that_is_due_and_what_waits_for_more_is_left(tmp_path):
    folder = StateFolder(tmp_path, Rule())
    stream, telling, shown = folder.stream(STREAM), Telling(tmp_path, STREAM, SOME), []
    one = clip("c0", 0, seen(0, (1, 0), 0))
    stream.apply(one)
    assert telling.wait(shown.append, patience_s=0.0) == 2
    stream.end()
    stream.amend(amendment(captioned(0, one.clip, "A cup.")))
    assert telling.left() == 1
    stream.amend(amendment(described(0, "c0", 0, us(30), "A red cup.")))
    assert telling.wait(shown.append, patience_s=60.0) == 0
    assert shown == [2, 0]
    folder.close()


def test_without_models_nothing_is_expected(tmp_path):
    assert not Telling(tmp_path, STREAM, Language()).is_expected
    assert Telling(tmp_path, STREAM, SOME).is_expected
