"""Frames of a question's evidence, as its sources read them from kept clips."""

import pytest
from api_rig import Rig, filmed

from biographer.daemon import sources
from biographer.daemon.question_frames import Moment
from biographer.daemon.sources import Sources
from biographer.models.crops import jpeg
from biographer.state.folder import stream_folder
from biographer.state.media import MediaFolder
from biographer.state.view import View
from biographer.streams.still import still, stills

OFFSETS_US = (710_000, 0, 300_000, 305_000, 990_000)


@pytest.fixture
def film(tmp_path):
    """The sources of a stream whose two clips have a film each, and the file of the first."""
    rig = Rig(tmp_path)
    first = filmed("a", 0, 0.0, 30)
    rig.apply("a", first, filmed("a", 1, 10.0, 20))
    view = View(rig.folder.memory("a").index)
    yield Sources(tmp_path, "a", view), MediaFolder(stream_folder(tmp_path, "a") / "media").path(first.clip.media)
    rig.close()


def moments(clip, offsets_us):
    return [Moment(("o0",), clip, offset_us, offset_us) for offset_us in offsets_us]


def test_each_moment_gets_the_frame_that_was_on_show_then(film):
    made, path = film
    wanted = moments(0, OFFSETS_US)
    shown = made.frames(wanted, 64)
    assert [one.moment for one in shown] == wanted
    assert [one.file for one in shown] == [jpeg(still(path, one.offset_us, 64).pixels(), 80) for one in wanted]


def test_a_clip_is_read_once_however_many_of_its_moments_are_shown(film, monkeypatch):
    read = []

    def counted(path, offsets_us, side):
        read.append(len(offsets_us))
        return stills(path, offsets_us, side)

    monkeypatch.setattr(sources, "stills", counted)
    made, _ = film
    assert len(made.frames([*moments(0, OFFSETS_US), *moments(1, (0, 100_000))], 64)) == 7
    assert sorted(read) == [2, 5]


def test_moments_of_a_clip_that_is_not_kept_or_not_whole_have_no_frame(film):
    made, path = film
    assert len(made.frames(moments(1, (0,)), 64)) == 1
    path.write_bytes(path.read_bytes()[:500])
    assert [one.moment.clip for one in made.frames([*moments(0, (0,)), *moments(1, (0,))], 64)] == [1]
    path.unlink()
    assert made.frames(moments(0, OFFSETS_US), 64) == ()
