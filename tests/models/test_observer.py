import hashlib

import numpy as np
import pytest
from scenes import SECOND, MeanColour, flat

from biographer.models.appearance import Portrait
from biographer.models.crops import Candidate
from biographer.models.describer import PlainDescriber
from biographer.models.observer import Observer, Sighted, heard
from biographer.state.clip import Clip
from biographer.state.line import Line, LineKind

BOX = (0.25, 0.25, 0.5, 0.5)


def sighted(*vectors, text=None):
    times = np.array([0, SECOND, 2 * SECOND])
    portraits = tuple(
        Portrait(Candidate(at * SECOND, BOX, 1.0, flat(50 * at, 40, 30)), np.array(vector, dtype=np.float32))
        for at, vector in enumerate(vectors)
    )
    return Sighted(3, "cup", 0.5, times, np.array([BOX] * 3, dtype=np.float32), portraits, text)


def observer(embedder=None, lines=()):
    return Observer(Clip("s", "c", 0, 3 * SECOND, tuple(lines)), embedder, PlainDescriber(), 85)


def line(start_s, end_s, text="hello"):
    return Line(int(start_s * SECOND), int(end_s * SECOND), LineKind.SPEECH, text, "Jake")


def test_pictures_are_kept_by_the_hash_of_their_file():
    writer = observer(MeanColour())
    observation = writer.observe(sighted((1, 0, 0), (0, 1, 0)))
    assert [crop.at_us for crop in observation.crops] == [0, SECOND]
    for crop in observation.crops:
        assert hashlib.sha256(writer.media[crop.sha256]).hexdigest() == crop.sha256
        assert writer.media[crop.sha256].startswith(b"\xff\xd8")
    assert np.linalg.norm(observation.embedding.vector) == pytest.approx(1)
    assert (observation.embedding.embedder, observation.flaw) == ("mean-colour", None)


def test_each_lack_of_evidence_is_named_and_keeps_the_observation():
    for embedder, vectors, reason in (
        (None, [(1, 0, 0)], "no embedder"),
        (MeanColour(), [], "no crop"),
        (MeanColour(), [(0, 0, 0), (np.nan, 0, 0)], "no evidence in 2 crops"),
    ):
        observation = observer(embedder).observe(sighted(*vectors))
        assert observation.embedding is None
        assert reason in observation.flaw


def test_a_text_of_its_own_stands():
    assert observer().observe(sighted(text="my cup")).text == "my cup"
    assert observer().observe(sighted(text="")).text == ""


def test_lines_are_those_spoken_while_it_was_seen_not_merely_between():
    times = np.array([0, SECOND, 20 * SECOND])
    lines = [line(10, 11, "away"), line(19.8, 22, "back"), line(0.5, 0.6, "here"), line(24, 25, "after")]
    assert [item.text for item in heard(lines, times)] == ["here", "back"]


def test_the_lines_are_in_the_description():
    observation = observer(lines=[line(1, 2, "take the cup")]).observe(sighted())
    assert 'Jake: "take the cup"' in observation.text


def test_arrays_are_not_to_be_written_to():
    observation = observer().observe(sighted())
    assert not observation.boxes.flags.writeable
    assert not observation.times_us.flags.writeable
