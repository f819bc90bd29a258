"""A device's track between the wire and the record: times and boxes as arrays, the embedding as float32.

What a track means, and whether its embedding is fit for identity, is decided elsewhere.
"""

import numpy as np
from numpy.typing import NDArray

from biographer.state.device_track import DeviceTrack
from biographer.state.errors import BadClipError
from biographer.streams.wire import WireTrack

TIME_SLACK_US = 20_000
"""A box may lie this far outside its clip by rounding, and is moved onto the edge."""

BOX_SLACK = 1e-3
"""A box may pass the frame by this much by rounding, and is cut at the edge."""


def device_track(track: WireTrack, start_us: int, end_us: int, embedder: str | None) -> DeviceTrack:
    """Check a track of the clip from start_us to end_us; raises BadClipError with the track's number."""
    embedding = _embedding(track)
    if embedding is not None and embedder is None:
        raise BadClipError(f"track {track.track} has an embedding, but the message has no `embedder`; name it")
    return DeviceTrack(
        track=track.track,
        label=track.label,
        score=track.score,
        times_us=_times(track, start_us, end_us),
        boxes=_boxes(track),
        embedding=embedding,
        embedder=None if embedding is None else embedder,
        text=track.text,
        crop=track.crop,
    )


def wire_track(track: DeviceTrack) -> WireTrack:
    """Return the track as it is sent; the embedding becomes the bytes of little-endian float32."""
    rows = zip(track.times_us.tolist(), track.boxes.tolist(), strict=True)
    return WireTrack(
        track=track.track,
        label=track.label,
        score=track.score,
        boxes=[(at_us, x0, y0, x1, y1) for at_us, (x0, y0, x1, y1) in rows],
        embedding=None if track.embedding is None else np.asarray(track.embedding, dtype="<f4").tobytes(),
        text=track.text,
        crop=track.crop,
    )


def _times(track: WireTrack, start_us: int, end_us: int) -> NDArray[np.int64]:
    sent = np.array([row[0] for row in track.boxes], dtype=np.int64)
    outside = sent[(sent < start_us - TIME_SLACK_US) | (sent > end_us + TIME_SLACK_US)]
    if outside.size:
        raise BadClipError(
            f"track {track.track} has a box at {outside[0]}, outside the clip ({start_us} to {end_us}); "
            "send times in microseconds of event time"
        )
    times: NDArray[np.int64] = np.clip(sent, start_us, end_us)
    falls = np.flatnonzero(np.diff(times) <= 0)
    if falls.size:
        raise BadClipError(
            f"track {track.track}: box {falls[0] + 1} is at {times[falls[0] + 1]}, not after box {falls[0]}; "
            "send one box a time, in rising order"
        )
    return times


def _boxes(track: WireTrack) -> NDArray[np.float32]:
    sent = np.array([row[1:] for row in track.boxes], dtype=np.float32)
    # Written so that NaN fails: every comparison with it is false.
    inside = ((sent >= -BOX_SLACK) & (sent <= 1 + BOX_SLACK)).all(axis=1)
    upright = (sent[:, :2] <= sent[:, 2:]).all(axis=1)
    wrong = np.flatnonzero(~(inside & upright))
    if wrong.size:
        raise BadClipError(
            f"track {track.track}: box {wrong[0]} is {sent[wrong[0]].tolist()}; "
            "send x0, y0, x1, y1 as fractions of the upright frame, x0 <= x1 and y0 <= y1"
        )
    boxes: NDArray[np.float32] = np.clip(sent, 0, 1)
    return boxes


def _embedding(track: WireTrack) -> NDArray[np.float32] | None:
    sent = track.embedding
    if sent is None:
        return None
    if isinstance(sent, bytes) and len(sent) % 4:
        raise BadClipError(
            f"track {track.track}: embedding has {len(sent)} bytes, no multiple of 4; "
            "send little-endian float32, or an array of numbers"
        )
    with np.errstate(over="ignore"):  # a number too large becomes infinite, which identity refuses and counts
        values = np.frombuffer(sent, dtype="<f4") if isinstance(sent, bytes) else np.array(sent)
        vector = values.astype(np.float32)
    if not vector.size:
        raise BadClipError(f"track {track.track}: embedding is empty; leave it out")
    vector.setflags(write=False)
    return vector
