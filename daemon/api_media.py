"""The endpoints that answer with pixels: pictures of observations, frames and videos of kept clips.

What was recorded is data: its type is told by its first bytes, and no browser may guess another.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from biographer.daemon import api_queries as queries
from biographer.daemon.api_answers import number_of
from biographer.daemon.api_memory import moment
from biographer.daemon.endpoint import Asked, Nothing
from biographer.daemon.frame_cache import FrameCache
from biographer.daemon.readings import Pool, Readings
from biographer.models.crops import jpeg
from biographer.state.cut import Cut
from biographer.state.recalled_clips import ClipRecord, clip
from biographer.state.recalled_observations import sighting
from biographer.state.times import format_time
from biographer.streams.still import still

JPEG, PNG, ANY = "image/jpeg", "image/png", "application/octet-stream"
VIDEOS = ("video/mp4", "video/webm", "video/x-matroska")

T = TypeVar("T")

_QUALITY = 85
_RANGE = re.compile(r"([0-9]{0,18})-([0-9]{0,18})")


class MediaApi:
    """Answers with kept pixels; frames are decoded in threads apart from those of the records."""

    def __init__(self, readings: Readings, stills: Pool) -> None:
        self._readings, self._stills = readings, stills
        self._frames = FrameCache()

    async def crop(self, asked: Asked[queries.OfCrop, Nothing]) -> Response:
        """Return one picture of an observation."""
        params = asked.params

        def find(cut: Cut) -> str | None:
            seen = sighting(cut, number_of(params.observation))
            return seen.crops[params.n].sha256 if seen and params.n < len(seen.crops) else None

        name = await self._find(asked, find, f"picture {params.n} of {params.observation}")
        if _has(asked.request, name):
            return Response(status_code=304, headers=_kept(name))
        content = await self._stills.run(lambda: self._readings.media(params.stream).get(name))
        if content is None:
            raise _gone(f"picture {params.n} of {params.observation}")
        return Response(content, headers=_kept(name), media_type=picture_type(content))

    async def video(self, asked: Asked[queries.OfClip, Nothing]) -> Response:
        """Return a clip's file, or ranges of it."""
        record, path = await self._clip_file(asked)
        size = await self._stills.run(lambda: _size(path))
        if size is None:
            raise _gone(f"the video of {asked.params.clip}")
        _check_range(asked.request, size)
        headers = _kept(record.media or "")
        if _has(asked.request, record.media or "") and "range" not in asked.request.headers:
            return Response(status_code=304, headers=headers)
        media_type = record.media_type if record.media_type in VIDEOS else ANY
        return FileResponse(path, headers=headers, media_type=media_type)

    async def frame(self, asked: Asked[queries.OfFrame, Nothing]) -> Response:
        """Return the frame of a clip that was on show at a time, as JPEG."""
        record, path = await self._clip_file(asked)
        params, at_us = asked.params, moment(asked.params.at)
        offset_us = 0 if at_us is None else at_us - record.start_us
        if not 0 <= offset_us <= record.end_us - record.start_us:
            span = f"{format_time(record.start_us)} to {format_time(record.end_us)}"
            raise HTTPException(404, f"clip {params.clip} lasts from {span}; ask for a time within it")
        key = (record.media or "", offset_us, params.side)
        shown = await self._stills.run(lambda: self._frame(path, key))
        if shown is None:
            raise _gone(f"a frame of {params.clip}")
        frame_us, picture = shown
        headers = {"x-frame-time": format_time(record.start_us + frame_us), "cache-control": "private, no-cache"}
        return Response(picture, headers=headers, media_type=JPEG)

    def _frame(self, path: Path, key: tuple[str, int, int]) -> tuple[int, bytes] | None:
        """Return a frame; one of a file that is no longer kept is not shown from here either."""
        if not path.exists():
            return None
        shown = self._frames.get(key) or _frame(path, *key[1:])
        if shown is not None:
            self._frames.put(key, shown)
        return shown

    async def _clip_file(self, asked: Asked[queries.OfClip, Nothing]) -> tuple[ClipRecord, Path]:
        params = asked.params
        record = await self._find(asked, lambda cut: clip(cut, number_of(params.clip)), params.clip)
        if record.media is None:
            raise _gone(f"the video of {params.clip}")
        return record, self._readings.media(params.stream).path(record.media)

    async def _find(self, asked: Asked[queries.OfStream, Nothing], find: Callable[[Cut], T | None], what: str) -> T:
        found = await self._readings.read(asked.params.stream, find, moment(asked.params.as_of))
        if found is None:
            raise HTTPException(404, f"{what} is unknown in this stream, or was not yet known as of then")
        return found


def picture_type(content: bytes) -> str:
    """Return the media type of a picture by its first bytes."""
    if content.startswith(b"\xff\xd8\xff"):
        return JPEG
    return PNG if content.startswith(b"\x89PNG\r\n\x1a\n") else ANY


def _frame(path: Path, offset_us: int, side: int) -> tuple[int, bytes] | None:
    frame = still(path, offset_us, side)
    if frame is None:
        return None
    return frame.at_us, jpeg(frame.pixels(), _QUALITY)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def _kept(name: str) -> dict[str, str]:
    """Return the headers of a file that is known by its hash: it may be kept, but what was forgotten must be asked."""
    return {"etag": f'"{name}"', "cache-control": "private, no-cache"}


def _has(request: Request, name: str) -> bool:
    return f'"{name}"' in request.headers.get("if-none-match", "")


def _check_range(request: Request, size: int) -> None:
    """Refuse with 416 ranges that lie outside the file, and what can't be understood."""
    stated = request.headers.get("range")
    if stated is None:
        return
    ranges = [_RANGE.fullmatch(part.strip()) for part in stated.removeprefix("bytes=").split(",")]
    if not stated.startswith("bytes=") or not all(match and _within(match[1], match[2], size) for match in ranges):
        told = f"range {stated!r:.60} lies outside the {size} bytes, or is not understood"
        raise HTTPException(416, told, headers={"content-range": f"bytes */{size}"})


def _within(first: str, last: str, size: int) -> bool:
    if not first:
        return bool(last.strip("0"))
    return int(first) < size and (not last or int(first) <= int(last))


def _gone(what: str) -> HTTPException:
    return HTTPException(404, f"{what} is not kept; see state.keep and state.media_limit_bytes")
