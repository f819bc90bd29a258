"""Writes the conformance vectors of the clip schema beside itself: `python tests/streams/clip_vectors/write.py`.

Each vector is NAME.msgpack, the value of a Kafka record, and NAME.json, which says what it is: its fields, the key it
comes with, and either what a reader must write back or words that its refusal must contain. They let a producer or
another reader be checked without Biographer. In the JSON, {"$hex": "00ff"} stands for bytes, {"$float": "nan"} for a
number that JSON lacks.
"""

import json
import math
import struct
from hashlib import sha256
from pathlib import Path

import msgpack

HERE = Path(__file__).resolve().parent
START = 1_777_620_600_000_000  # 2026-05-01T07:30:00Z
VIDEO = b"\x00\x00\x00\x08ftyp"
NAN = float("nan")


def clip(**changes):
    fields = {"schema": 1, "stream": "anna", "clip": "c-0001", "start_us": START, "duration_us": 30_000_000, **changes}
    return {name: value for name, value in fields.items() if value is not ...}


def track(**changes):
    boxes = [[START + 200_000, 0.25, 0.25, 0.5, 0.75], [START + 400_000, 0.25, 0.25, 0.5, 0.75]]
    fields = {"track": 3, "label": "cup", "score": 0.75, "boxes": boxes, **changes}
    return {name: value for name, value in fields.items() if value is not ...}


def line(**changes):
    return {"start_us": START, "end_us": START + 900_000, "kind": "speech", "text": "Good morning.", **changes}


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


VALID = {
    "bare": clip(),
    "video": clip(video=VIDEO),
    "video_with_hash": clip(video=VIDEO, sha256=sha256(VIDEO).hexdigest()),
    "uri": clip(uri="file:///srv/clips/c-0001.mp4", sha256="ab" * 32),
    "lines": clip(
        lines=[line(speaker="Bob"), line(kind="narration", text="I take the red cup."), line(kind="caption")]
    ),
    "line_that_outlasts_its_clip": clip(lines=[line(start_us=START + 29_000_000, end_us=START + 33_000_000)]),
    "tracks": clip(
        embedder="dinov2-s-1",
        tracks=[track(embedding=floats(0.5, -0.25, 0.125), text="a red cup", crop=b"\xff\xd8\xff"), track(track=4)],
    ),
    "tracks_beside_video": clip(video=VIDEO, tracks=[track()]),
    "no_tracks_found": clip(tracks=[]),
    "embedding_not_finite": clip(embedder="e", tracks=[track(embedding=floats(NAN, math.inf))]),
    "names_of_any_script": clip(stream="アンナ", clip="тест 1/β", lines=[line(text="早上好 ☕", speaker="Zoë")]),
    "unknown_fields": clip(
        gps={"lat": 60.25, "lon": 24.5},
        battery=0.5,
        video=VIDEO,
        tracks=[track(), track(track=4, depth_m=1.5)],
        lines=[line(confidence=0.5)],
    ),
    "flush": {"schema": 1, "stream": "anna", "flush_us": START},
}
WRITTEN_BACK = {
    "embedding_as_numbers": (
        clip(embedder="e", tracks=[track(embedding=[0.5, -0.25, 1])]),
        clip(embedder="e", tracks=[track(embedding=floats(0.5, -0.25, 1))]),
    ),
    "rounded_past_the_edge": (
        clip(tracks=[track(boxes=[[START - 5_000, -0.0005, 0, 0.5, 1.0005]])]),
        clip(tracks=[track(boxes=[[START, 0.0, 0.0, 0.5, 1.0]])]),
    ),
    "empty_fields_left_out": (clip(lines=[], video=None, embedder=None), clip()),
}
INVALID = {
    "schema_missing": (clip(schema=...), "no field `schema`"),
    "schema_unknown": (clip(schema=2), "schema is 2, this Biographer reads 1"),
    "schema_not_a_number": (clip(schema="1"), "schema is '1'"),
    "clip_missing": (clip(clip=...), "missing required field `clip`"),
    "stream_empty": (clip(stream=""), "field stream is ''"),
    "stream_too_long": (clip(stream="a" * 201), "field stream is"),
    "name_with_control_character": (clip(clip="a\nb"), "field clip is 'a\\nb'"),
    "stream_not_text": (clip(stream=7), "field stream is 7"),
    "key_of_another_stream": (clip(), "record key is b'bert', stream is 'anna'"),
    "start_in_nanoseconds": (clip(start_us=START * 1000), "field start_us is 1777620600000000000"),
    "start_not_whole": (clip(start_us=START + 0.5), "field start_us is"),
    "start_negative": (clip(start_us=-1), "field start_us is -1"),
    "duration_zero": (clip(duration_us=0), "field duration_us is 0"),
    "duration_over_an_hour": (clip(duration_us=3_600_000_001), "field duration_us is 3600000001"),
    "video_and_uri": (clip(video=VIDEO, uri="file:///a", sha256="ab" * 32), "both `video` and `uri`"),
    "video_not_bytes": (clip(video="AAAA"), "field video is 'AAAA'"),
    "video_altered": (clip(video=VIDEO, sha256="ab" * 32), "video does not have the SHA-256"),
    "uri_without_hash": (clip(uri="file:///a"), "comes without `sha256`"),
    "hash_not_hex": (clip(uri="file:///a", sha256="AB" * 32), "field sha256 is"),
    "line_ends_before_it_starts": (clip(lines=[line(end_us=START - 1)]), "lines[0] ends at"),
    "line_of_another_time": (clip(lines=[line(start_us=0, end_us=1)]), "lies outside the clip"),
    "line_of_unknown_kind": (clip(lines=[line(kind="song")]), "field lines[0].kind is 'song'"),
    "line_too_long": (clip(lines=[line(text="a" * 20_001)]), "field lines[0].text is"),
    "track_twice": (clip(tracks=[track(), track()]), "only 1 of 2 `track` numbers differ"),
    "track_negative": (clip(tracks=[track(track=-1)]), "field tracks[0].track is -1"),
    "score_over_one": (clip(tracks=[track(score=1.5)]), "field tracks[0].score is 1.5"),
    "score_not_a_number": (clip(tracks=[track(score=NAN)]), "field tracks[0].score is nan"),
    "boxes_missing": (clip(tracks=[track(boxes=[])]), "field tracks[0].boxes is []"),
    "box_too_short": (clip(tracks=[track(boxes=[[START, 0, 0, 1]])]), "field tracks[0].boxes[0] is"),
    "box_in_pixels": (clip(tracks=[track(boxes=[[START, 12, 30, 200, 400]])]), "track 3: box 0 is [12.0"),
    "box_inverted": (clip(tracks=[track(boxes=[[START, 0.75, 0.0, 0.25, 1.0]])]), "track 3: box 0 is [0.75"),
    "box_not_a_number": (clip(tracks=[track(boxes=[[START, NAN, 0.0, 0.25, 1.0]])]), "track 3: box 0 is [nan"),
    "box_times_fall": (
        clip(tracks=[track(boxes=[[START + 9, 0, 0, 1, 1], [START + 9, 0, 0, 1, 1]])]),
        "not after box 0",
    ),
    "box_of_another_time": (clip(tracks=[track(boxes=[[START - 1_000_000, 0, 0, 1, 1]])]), "outside the clip"),
    "embedder_missing": (clip(tracks=[track(embedding=floats(1.0))]), "the message has no `embedder`"),
    "embedding_of_doubles_cut": (clip(embedder="e", tracks=[track(embedding=b"12345")]), "no multiple of 4"),
    "embedding_of_text": (clip(embedder="e", tracks=[track(embedding=["a"])]), "field tracks[0].embedding[0] is 'a'"),
    "embedding_empty": (clip(embedder="e", tracks=[track(embedding=b"")]), "embedding is empty"),
    "embeddings_of_two_lengths": (
        clip(embedder="e", tracks=[track(embedding=floats(1)), track(track=4, embedding=floats(1, 2))]),
        "embeddings have [1, 2] numbers",
    ),
    "flush_without_stream": ({"schema": 1, "flush_us": START}, "missing required field `stream`"),
    "no_map": ([1, 2, 3], "the message is list, not a map"),
    "nested_too_deep": (clip(deep=json.loads("[" * 40 + "]" * 40)), "more than 32 deep"),
}
BROKEN = {
    "no_bytes": (b"", "0 bytes are not MessagePack"),
    "cut_in_the_middle": (msgpack.packb(clip(video=VIDEO))[:-3], "are not MessagePack"),
    "text": (b'{"schema": 1, "stream": "anna"}', "are not MessagePack"),
    "text_not_utf8": (msgpack.packb(clip()).replace(b"anna", b"an\xff\xfe"), "are not MessagePack"),
    "field_twice": (b"\x82" + 2 * (msgpack.packb("schema") + msgpack.packb(1)), "field 'schema' comes twice"),
    "field_name_no_text": (b"\x81\xc4\x01a\x01", "field name b'a' is no text"),
}


def plain(value):
    if isinstance(value, bytes):
        return {"$hex": value.hex()}
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": str(value)}
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


def vectors():
    """Return name to (bytes of the record's value, description)."""
    made = {}
    for name, fields in VALID.items():
        made[name] = (msgpack.packb(fields), {"key": fields["stream"], "fields": fields, "written_back": fields})
    for name, (fields, back) in WRITTEN_BACK.items():
        made[name] = (msgpack.packb(fields), {"key": None, "fields": fields, "written_back": back})
    for name, (fields, reason) in INVALID.items():
        key = "bert" if name == "key_of_another_stream" else None
        made[name] = (msgpack.packb(fields), {"key": key, "fields": fields, "refused": reason})
    for name, (value, reason) in BROKEN.items():
        made[name] = (value, {"key": None, "refused": reason})
    return {name: (value, plain(about)) for name, (value, about) in made.items()}


def text(about):
    return json.dumps(about, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name, (value, about) in vectors().items():
        (HERE / f"{name}.msgpack").write_bytes(value)
        (HERE / f"{name}.json").write_text(text(about), encoding="utf-8")
