import importlib.util
import json
import tracemalloc
from pathlib import Path

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biographer.state.device_track import DeviceTrack
from biographer.state.errors import BadClipError
from biographer.state.line import Line, LineKind
from biographer.streams.message import ClipMessage, FlushMessage, decode, encode
from biographer.streams.wire import WireClip, WireFlush, WireLine, WireTrack

FOLDER = Path(__file__).parent / "clip_vectors"
START = 1_777_620_600_000_000
SPAN = 30_000_000


def written():
    spec = importlib.util.spec_from_file_location("write", FOLDER / "write.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: (value, module.text(about)) for name, (value, about) in module.vectors().items()}


def plain(value):
    """Undo the JSON's notation for bytes and for numbers that it lacks, the latter as text since NaN equals nothing."""
    if isinstance(value, dict) and "$hex" in value:
        return bytes.fromhex(value["$hex"])
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


VECTORS = sorted(path.stem for path in FOLDER.glob("*.json"))


def test_vectors_are_those_that_the_script_writes():
    made = written()
    assert sorted(made) == VECTORS
    for name, (value, about) in made.items():
        assert (FOLDER / f"{name}.msgpack").read_bytes() == value, name
        assert (FOLDER / f"{name}.json").read_text(encoding="utf-8") == about, name


@pytest.mark.parametrize("name", VECTORS)
def test_vectors_are_read_or_refused_as_they_say(name):
    """robinhood/faust#586, the decoding part: a reason for every record, never a silence."""
    value = (FOLDER / f"{name}.msgpack").read_bytes()
    about = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    key = None if about["key"] is None else about["key"].encode()
    if "refused" in about:
        with pytest.raises(BadClipError) as refusal:
            decode(value, key)
        assert about["refused"] in str(refusal.value)
    else:
        back = msgpack.unpackb(encode(decode(value, key)))
        assert back == plain(about["written_back"])


@pytest.mark.parametrize("name", ["*", ".", ".."])
def test_a_stream_goes_by_no_name_that_means_others(name):
    """A token for `*` sees every stream, and a page's address leaves dots alone out."""
    record = {"schema": 1, "stream": name, "clip": "c", "start_us": 1_777_620_600_000_000, "duration_us": 1}
    with pytest.raises(BadClipError, match="stream"):
        decode(msgpack.packb(record), name.encode())
    decode(msgpack.packb(record | {"stream": name + "a"}), None)


def test_clip_is_read_with_all_its_parts():
    message = decode((FOLDER / "tracks.msgpack").read_bytes(), b"anna")
    first, second = message.tracks
    assert (message.stream, message.clip, message.start_us, message.end_us) == ("anna", "c-0001", START, START + SPAN)
    assert (message.video, message.uri, message.lines, message.extra) == (None, None, (), b"")
    assert (first.track, first.label, first.score, first.text, first.crop) == (
        3,
        "cup",
        0.75,
        "a red cup",
        b"\xff\xd8\xff",
    )
    assert (first.times_us.dtype, first.times_us.tolist()) == (np.int64, [START + 200_000, START + 400_000])
    assert (first.boxes.dtype, first.boxes.tolist()) == (np.float32, [[0.25, 0.25, 0.5, 0.75]] * 2)
    assert (first.embedder, first.embedding.dtype, first.embedding.tolist()) == (
        "dinov2-s-1",
        np.float32,
        [0.5, -0.25, 0.125],
    )
    assert (second.track, second.embedder, second.embedding) == (4, None, None)


def test_absent_tracks_differ_from_none_found():
    assert decode((FOLDER / "bare.msgpack").read_bytes()).tracks is None
    assert decode((FOLDER / "no_tracks_found.msgpack").read_bytes()).tracks == ()


def test_flush_is_told_apart():
    assert decode((FOLDER / "flush.msgpack").read_bytes(), b"anna") == FlushMessage("anna", START)


def test_an_embedding_that_is_not_finite_is_kept_for_the_memory_to_refuse_and_count():
    """(faiss) a NaN or zero vector."""
    message = decode((FOLDER / "embedding_not_finite.msgpack").read_bytes())
    assert not np.isfinite(message.tracks[0].embedding).any()
    huge = {**msgpack.unpackb((FOLDER / "embedding_as_numbers.msgpack").read_bytes())}
    huge["tracks"][0]["embedding"] = [1e300, 0.0]
    assert np.isinf(decode(msgpack.packb(huge)).tracks[0].embedding[0])


def test_unknown_fields_are_kept_by_name_and_by_row():
    message = decode((FOLDER / "unknown_fields.msgpack").read_bytes())
    assert msgpack.unpackb(message.extra) == {
        "gps": {"lat": 60.25, "lon": 24.5},
        "battery": 0.5,
        "tracks": {"1": {"depth_m": 1.5}},
        "lines": {"0": {"confidence": 0.5}},
    }


def test_embeddings_of_two_embedders_do_not_fit_one_message():
    box = {"times_us": np.array([START]), "boxes": np.zeros((1, 4), np.float32), "embedding": np.ones(2, np.float32)}
    tracks = tuple(DeviceTrack(track, "cup", 0.5, embedder=f"e{track}", **box) for track in range(2))
    with pytest.raises(BadClipError, match="exactly one named embedder"):
        encode(ClipMessage("anna", "c", START, SPAN, tracks=tracks))


names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
moments = st.integers(START, START + SPAN)
leaves = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | texts | st.binary()
anything = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=8)
unit = st.floats(0, 1, width=32)


@st.composite
def lines(draw):
    start, end = sorted((draw(moments), draw(moments)))
    return Line(start, end, draw(st.sampled_from(LineKind)), draw(texts), draw(st.none() | names))


@st.composite
def tracks(draw, number, embedder):
    times = sorted(draw(st.sets(moments, min_size=1, max_size=4)))
    corners = draw(st.lists(st.tuples(unit, unit, unit, unit), min_size=len(times), max_size=len(times)))
    boxes = [[min(a, c), min(b, d), max(a, c), max(b, d)] for a, b, c, d in corners]
    embedding = draw(st.none() | st.lists(st.floats(width=32), min_size=3, max_size=3)) if embedder else None
    return DeviceTrack(
        track=number,
        label=draw(names),
        score=draw(st.floats(0, 1)),
        times_us=np.array(times, dtype=np.int64),
        boxes=np.array(boxes, dtype=np.float32),
        embedding=None if embedding is None else np.array(embedding, dtype=np.float32),
        embedder=None if embedding is None else embedder,
        text=draw(st.none() | texts),
        crop=draw(st.none() | st.binary(min_size=1)),
    )


@st.composite
def messages(draw):
    embedder = draw(st.none() | names)
    numbers = draw(st.none() | st.lists(st.integers(0, 2**40), max_size=3, unique=True))
    known = {"schema", "stream", "clip", "start_us", "duration_us", "flush_us", "video", "uri", "sha256", "tracks"}
    known |= {"embedder", "lines"}
    extra = draw(st.dictionaries(texts.filter(lambda name: name not in known), anything, max_size=3))
    uri = draw(st.none() | names)
    return ClipMessage(
        stream=draw(names.filter(lambda name: name not in {"*", ".", ".."})),
        clip=draw(names),
        start_us=START,
        duration_us=SPAN,
        video=None if uri else draw(st.none() | st.binary()),
        uri=uri,
        sha256="0f" * 32 if uri else None,
        tracks=None if numbers is None else tuple(draw(tracks(number, embedder)) for number in numbers),
        lines=tuple(draw(st.lists(lines(), max_size=3))),
        extra=msgpack.packb(extra) if extra else b"",
    )


def record(message):
    """Return the message as values that compare, arrays by their bytes."""
    fields = {name: getattr(message, name) for name in ClipMessage.__slots__ if name not in {"tracks", "extra"}}
    rows = None if message.tracks is None else [track_record(track) for track in message.tracks]
    return fields, rows, msgpack.unpackb(message.extra) if message.extra else {}


def track_record(track):
    values = [getattr(track, name) for name in DeviceTrack.__slots__]
    return [value.tobytes() if isinstance(value, np.ndarray) else value for value in values]


@given(messages())
def test_what_is_written_is_read_back_the_same(message):
    value = encode(message)
    read = decode(value, message.stream.encode())
    assert record(read) == record(message)
    assert encode(read) == value


@given(st.binary(max_size=200) | anything.map(msgpack.packb))
def test_any_other_bytes_are_refused(value):
    """robinhood/faust#586, the decoding part."""
    with pytest.raises(BadClipError):
        decode(value)


@given(st.sampled_from(VECTORS), st.integers(0, 10_000), st.integers(0, 255))
def test_one_wrong_byte_is_read_or_refused(name, place, byte):
    """robinhood/faust#586, the decoding part."""
    value = bytearray((FOLDER / f"{name}.msgpack").read_bytes())
    if value:
        value[place % len(value)] = byte
    try:
        message = decode(bytes(value))
    except BadClipError:
        return
    assert isinstance(message, ClipMessage | FlushMessage)


def packed_with(**fields):
    bare = {"schema": 1, "stream": "anna", "clip": "c", "start_us": START, "duration_us": SPAN}
    return msgpack.packb(bare | fields)


def nested(depth):
    return [nested(depth - 1)] if depth else []


TOO_MUCH = {
    "three million empty lists": (packed_with(x=[[]] * 3_000_000), "more than 1000000 values"),
    "in lists of a few": (packed_with(x=[[[]] * 999] * 1_001), "more than 1000000 values"),
    "in maps": (packed_with(x=[{"a": 0}] * 400_000), "more than 1000000 values"),
    "a list that says it is long": (
        packed_with(x=0)[:-1] + b"\xdd\xff\xff\xff\xff" + bytes(2_000_000),
        "more than 1000000 values",
    ),
    "deep in each other": (packed_with(x=nested(40)), "more than 32 deep"),
    "deeper than the reader": (packed_with(x=0)[:-1] + b"\x91" * 100_000 + b"\x90", "not MessagePack"),
    "tracks": (packed_with(tracks=[0] * 10_001), "field tracks"),
    "lines": (packed_with(lines=[0] * 10_001), "field lines"),
    "boxes of a track": (
        packed_with(tracks=[{"track": 0, "label": "a", "score": 1, "boxes": [0] * 100_001}]),
        "field tracks[0].boxes",
    ),
    "numbers of an embedding": (
        packed_with(
            embedder="e",
            tracks=[
                {"track": 0, "label": "a", "score": 1, "boxes": [[START, 0, 0, 1, 1]], "embedding": [0.5] * 16_385}
            ],
        ),
        "field tracks[0].embedding",
    ),
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_what_is_small_to_send_and_large_to_hold_is_refused_with_its_bound(name):
    value, words = TOO_MUCH[name]
    with pytest.raises(BadClipError) as refusal:
        decode(value)
    assert words in str(refusal.value)


def test_too_much_is_refused_before_all_of_it_is_made():
    value, _ = TOO_MUCH["three million empty lists"]
    tracemalloc.start()
    try:
        with pytest.raises(BadClipError):
            decode(value)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_as_many_boxes_as_an_hour_of_thirty_a_second_has_are_read():
    rows = [[START + 20 * number, 0.0, 0.0, 1.0, 1.0] for number in range(100_000)]
    track = {"track": 0, "label": "a", "score": 1, "boxes": rows}
    assert len(decode(packed_with(tracks=[track])).tracks[0].times_us) == 100_000


def test_the_documented_example_is_true():
    page = (Path(__file__).parents[2] / "streams" / "CLIP_SCHEMA.md").read_text(encoding="utf-8")
    shown = page.split("## An example", 1)[1]
    fields = json.loads(shown.split("```json\n", 1)[1].split("```", 1)[0])
    packed = bytes.fromhex(shown.split("```\n", 2)[2].split("```", 1)[0])
    assert msgpack.unpackb(packed) == fields
    assert f"is {len(packed)} bytes" in shown
    assert decode(packed, b"anna").lines == (Line(START, START + 900_000, LineKind.SPEECH, "Good morning.", "Bob"),)


def test_every_field_is_documented():
    page = (Path(__file__).parents[2] / "streams" / "CLIP_SCHEMA.md").read_text(encoding="utf-8")
    for kind in (WireClip, WireFlush, WireTrack, WireLine):
        for name in kind.__struct_fields__:
            assert f"`{name}`" in page, name
