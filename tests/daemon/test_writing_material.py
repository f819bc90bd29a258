"""What pieces are written from: pictures of kept clips, lines as they were known, texts of the scale below."""

import pytest
from api_rig import filmed
from remarks import AUTHOR, amendment, captioned, summarised, written
from sightings import STREAM, clip, recording, seen, us

from biographer.daemon.writing_material import Material
from biographer.state.agenda import Agenda
from biographer.state.chain import EventStep
from biographer.state.cut import cut_of
from biographer.state.folder import StateFolder
from biographer.state.graph import NodeKind
from biographer.state.name import Mention, NameKind
from biographer.state.piece import Piece
from biographer.state.recalled_remarks import text_of
from biographer.state.rule import Rule, Thresholds
from biographer.state.shown import shown
from biographer.state.stretch import Stretch
from biographer.state.view import View


@pytest.fixture
def stream(tmp_path):
    folder = StateFolder(tmp_path, Rule(thresholds={"": Thresholds(0.6, 0.75)}))
    yield folder.stream(STREAM)
    folder.close()


def material(stream, views=3, clip_views=2):
    return Material(stream.store.database.path, STREAM, stream.media, views, clip_views)


EVERYTHING = ("description", "caption", "relations", "summary", "names")


def due(stream, writing, place, version=0, wanted=EVERYTHING):
    agenda = Agenda(stream.store.database.path, STREAM, wanted)
    agenda.look()
    found = [one for one in agenda._due.values() if (one.piece.writing, one.piece.place) == (writing, place)]
    return next(one for one in found if one.piece.version == version)


def test_an_observation_is_shown_by_its_crops_and_views_of_its_time(stream):
    stream.apply(filmed(STREAM, 0, 100.0))
    stream.apply(clip("later", 101, seconds=60))
    found = material(stream).encounter(due(stream, "description", 0))
    assert len(found.crops) == 1
    assert [view.at_us for view in found.views] == [us(100.5)]
    assert all(view.file[:2] == b"\xff\xd8" for view in found.views)
    assert (found.clip, found.known_us) == ("film-0", us(161))
    assert len(found.observation.times_us) == 10


def test_pictures_that_are_not_kept_any_more_are_left_out(stream):
    stream.apply(filmed(STREAM, 0, 100.0))
    stream.apply(clip("later", 101, seconds=60))
    for (name,) in list(stream.store.select("SELECT sha256 FROM media")):
        stream.media.drop(name)
    found = material(stream).encounter(due(stream, "description", 0))
    assert (found.crops, found.views) == ((), ())


def test_a_file_that_cannot_be_decoded_shows_nothing(stream):
    stream.apply(filmed(STREAM, 0, 100.0))
    ((name,),) = stream.store.select("SELECT media FROM clip WHERE media IS NOT NULL")
    stream.media.path(name).write_bytes(b"no video")
    assert material(stream).moment(due(stream, "caption", 0)).views == ()


def test_an_observation_is_told_the_lines_around_it_that_were_known_when_it_was_due(stream):
    """40 s on both sides, and none of a clip that came after the watermark had passed them."""
    for number in range(6):
        stream.apply(clip(f"c{number}", 20 * number, seconds=20, words=f"word {number}"))
    stream.apply(clip("seen", 60, seen(0, (1, 0), 61), seconds=20, words="its own"))
    stream.apply(clip("late", 70, seconds=5, words="too late"))
    stream.apply(clip("end", 120, seconds=60, words="far off"))
    told = {line.text for line in material(stream).encounter(due(stream, "description", 0)).lines}
    # At 61 to 61.9 s: 21 to 101.9; the watermark was beyond that when it came, so what follows it is not known yet.
    assert told == {"word 1", "word 2", "word 3", "word 4", "word 5", "its own"}


def test_a_caption_is_made_from_its_clip_alone(stream):
    stream.apply(filmed(STREAM, 0, 100.0))
    stream.apply(clip("after", 101, words="what follows"))
    found = material(stream).moment(due(stream, "caption", 0))
    assert [line.text for line in found.lines] == [f"zeppelin of {STREAM}"]
    assert (len(found.views), found.found, found.stretch.known_us) == (1, ("cup",), us(101))


def test_relations_are_read_from_caption_and_lines_with_the_clips_subjects(stream):
    stream.apply(clip("c0", 0, seen(0, (1, 0), 0), seen(3, (0, 1), 0, label="dog"), words="hello"))
    stream.amend(amendment(captioned(0, clip("c0", 0).clip, "A dog sits.")))
    found = material(stream).scene(due(stream, "relations", 0))
    assert [row.text for row in found.rows] == ["A dog sits.", "speech: hello"]
    assert found.subjects == {0: "cup", 3: "dog"}


def test_a_window_is_made_from_captions_where_there_are_any_and_extracts_elsewhere(stream):
    for number in range(8):
        stream.apply(clip(f"c{number}", 30 * number, words=f"word {number}"))
    stream.amend(amendment(captioned(2, clip("c2", 60).clip, "Tea is poured.")))
    texts = material(stream).texts(due(stream, "names", 0))
    assert [one.text for one in texts] == ["word 0", "word 1", "Tea is poured.", "word 3", "word 4", "word 5"]
    assert [one.clips for one in texts] == [(f"c{n}",) for n in range(6)]


def test_the_hour_is_made_from_ten_minute_summaries_and_an_extract_where_none_was_written(stream):
    for number in range(13):
        stream.apply(clip(f"c{number}", 300 * number, words=f"word {number}"))
    first = next(one for one in stream.memory.index.windows.versions if one.scale == "10min")
    stream.amend(amendment(summarised(first, ("c0", "c1"), "Breakfast.")))
    agenda = Agenda(stream.store.database.path, STREAM, ("summary",))
    agenda.look()
    (hour,) = [one for one in agenda._due.values() if one.piece.scale == "1h"]
    texts = material(stream).texts(hour)
    assert [one.text for one in texts] == ["Breakfast.", *(f"word {2 * n}\nword {2 * n + 1}" for n in range(1, 6))]
    assert texts[1].clips == ("c2", "c3")


def test_the_hour_is_made_from_the_versions_that_it_waited_for(stream):
    """Late clips open a window again and again, each time known since the same watermark: what is there by now of a
    later version is a model's mood."""
    for name, start in (("c0", 0), ("c1", 3600), ("late 1", 30), ("late 2", 60)):
        stream.apply(clip(name, start, words=name))
    once, again = [one for one in stream.memory.index.windows.versions if (one.scale, one.version) in TWICE]
    assert once.known_us == again.known_us
    pieces = [
        summarised(once, ("c0", "late 1"), "Tea."),
        summarised(again, ("c0", "late 1", "late 2"), "Tea and cake."),
    ]
    stream.amend(amendment(*pieces))
    for version, told in ((1, "Tea."), (2, "Tea and cake.")):
        hour = hour_of(stream, version)
        assert [one.text for one in material(stream).texts(hour)] == [told]
    with cut_of(stream.store.database.path, STREAM) as cut:
        assert text_of(cut, "summary", "10min", again.start_us) == "Tea and cake."
    read = shown(View(stream.memory.index), NodeKind.WINDOW, again.window)
    assert read is not None
    assert read.text == "Tea and cake."


TWICE = (("10min", 1), ("10min", 2))


def hour_of(stream, version):
    agenda = Agenda(stream.store.database.path, STREAM, ("summary",))
    agenda.look()
    (hour,) = [one for one in agenda._due.values() if (one.piece.scale, one.piece.version) == ("1h", version)]
    return hour


def test_material_of_a_recording_with_everything_in_it_is_read_without_a_fault(stream):
    """Late clips, overlaps, observations without vectors: each thing that is due can be looked up."""
    for perceived in recording(9, 30):
        stream.apply(perceived)
    agenda = Agenda(stream.store.database.path, STREAM, ("description", "caption", "relations", "names", "summary"))
    agenda.look()
    read = material(stream)
    reading = {"description": read.encounter, "caption": read.moment, "relations": read.scene}
    for one in list(agenda._due.values()):
        assert reading.get(one.piece.writing, read.texts)(one) is not None


def test_chains_are_extended_by_names_and_the_events_that_went_on_last(stream):
    for number in range(14):
        stream.apply(clip(f"c{number}", 30 * number, words=f"word {number}"))
    first, second = [one for one in stream.memory.index.windows.versions if one.scale == "3min"]
    stretch = Stretch("3min", first.start_us, first.end_us, first.known_us, tuple(f"c{n}" for n in range(6)))
    later = Stretch("3min", second.start_us, second.end_us, second.known_us, tuple(f"c{n}" for n in range(6, 12)))
    cooks = EventStep(stretch, AUTHOR, None, "Cooking", "Water boils.", ("c1",), us(30), us(60))
    names = [Mention(later, AUTHOR, name, NameKind.PERSON, clips, 0, 1) for name, clips in NAMED.items()]
    stream.amend(
        amendment(
            written(Piece("chains", "3min", first.start_us), stretch.clips, cooks),
            written(Piece("names", "3min", second.start_us), later.clips, *names),
        )
    )
    one = due(stream, "chains", second.start_us, wanted=("names", "chains"))
    read = material(stream)
    chapter = read.chapter(one, read.texts(one))
    assert (chapter.topics, chapter.events) == (("Ben", "Anna"), {0: "Cooking: Water boils."})
    assert [text.text for text in chapter.texts] == [f"word {n}" for n in range(6, 12)]


NAMED = {"Anna": ("c6",), "Ben": ("c7", "c8")}
