"""Clip messages with a real video, tracks with pictures, and lines: what a console is looked at with."""

import io

import numpy as np
from PIL import Image
from videos import video

from biographer.state.device_track import DeviceTrack
from biographer.state.line import Line, LineKind
from biographer.state.times import SECOND_US, parse_time
from biographer.streams.message import ClipMessage

ODD = "Ada's walk/é?#%2f <b>"
"""A stream whose name holds what parts a path, a query and a tag."""

HOSTILE = "<img src=x onerror=\"document.title='broken in'\"><b>bold</b>"
"""What would run, were it ever taken for HTML."""

START = "2026-05-01T09:00:00+02:00"
SECONDS = 10
KINDS = ("cup", "bottle", HOSTILE)

_COLOURS = ((190, 60, 40), (40, 110, 60), (50, 70, 150))


def filmed(stream: str, number: int, *, gap_s: int = 0) -> ClipMessage:
    """Return clip `number`: ten seconds in which a cup, a bottle and a thing with an evil name are seen.

    In odd clips the cup is absent. `gap_s` moves it on, so that something is missing before it.
    """
    start = parse_time(START) + (number * SECONDS + gap_s) * SECOND_US
    tracks = tuple(_track(kind, start) for kind in range(len(KINDS)) if kind or number % 2 == 0)
    lines = (
        Line(start + SECOND_US, start + 3 * SECOND_US, LineKind.SPEECH, f"Where is zeppelin number {number}?", "Ada"),
        Line(start + 4 * SECOND_US, start + 6 * SECOND_US, LineKind.NARRATION, f"{HOSTILE} number {number}"),
    )
    film = video(SECONDS * 5, rate=5, size=(160, 120))
    return ClipMessage(stream, f"film-{number:03}", start, SECONDS * SECOND_US, film, tracks=tracks, lines=lines)


def _track(kind: int, start: int) -> DeviceTrack:
    times = start + np.arange(20, dtype=np.int64) * SECOND_US // 5
    box = np.array([0.1 + 0.3 * kind, 0.2, 0.3 + 0.3 * kind, 0.6], np.float32)
    look = np.eye(8, dtype=np.float32)[kind]
    return DeviceTrack(
        kind, KINDS[kind], 0.9, times, np.tile(box, (20, 1)), look, "device-8", f"a {KINDS[kind]}", _picture(kind)
    )


def _picture(kind: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (48, 48), _COLOURS[kind]).save(file, "JPEG")
    return file.getvalue()
