"""Changes as they are committed, as server-sent events: each has its version for an id, and can be resumed behind it.

Events are read from the store, where the writer has put them already; what it announces only ends the waiting. So a
reader that was away sees the same events as one that was not, and none twice. That something was written about earlier
clips is told by an event of its own, without what: whoever shows it asks anew.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from biographer.daemon import api_queries as queries
from biographer.daemon.access import Gate, unknown_stream
from biographer.daemon.api_answers import change_record, snapshot_record
from biographer.daemon.endpoint import Asked, Nothing
from biographer.daemon.readings import Readings
from biographer.state.cut import Cut, Snapshot
from biographer.state.errors import BiographerError, TransientError
from biographer.state.recalled_clips import ChangeRecord, changes_after
from biographer.state.recalled_remarks import amended_last

EVENTS = "text/event-stream"

_AT_ONCE = 50
_OPEN_MAX = 200
_RETRY_MS = 2_000


class Commits:
    """Tells those who wait for a stream that something was committed. For the event loop's thread only."""

    def __init__(self) -> None:
        self._next: dict[str, asyncio.Event] = {}
        self.closed = False

    def announce(self, stream: str) -> None:
        """Wake who waits for the stream."""
        event = self._next.pop(stream, None)
        if event is not None:
            event.set()

    def next(self, stream: str) -> asyncio.Event:
        """Return what is set at the stream's next commit; take it before reading, so that none is missed."""
        return self._next.setdefault(stream, asyncio.Event())

    def close(self) -> None:
        """Wake everybody for good."""
        self.closed = True
        for stream in list(self._next):
            self.announce(stream)


class EventApi:
    """Answers that last; `quiet_s` is after how long a silent one says that it is still there."""

    def __init__(
        self, readings: Readings, commits: Commits, gate: Gate, now_us: Callable[[], int], quiet_s: float = 15.0
    ) -> None:
        self._readings, self._commits, self._gate = readings, commits, gate
        self._now_us, self._quiet_s = now_us, quiet_s
        self._open = 0

    async def events(self, asked: Asked[queries.OfEvents, Nothing]) -> Response:
        """Send the changes of a stream as they are committed."""
        if self._open >= _OPEN_MAX:
            raise TransientError(f"{_OPEN_MAX} streams of events are open already; close some")
        snapshot = await self._readings.read(asked.params.stream, lambda cut: cut.snapshot)
        if snapshot is None:
            raise unknown_stream(asked.params.stream)
        behind = _behind(asked)
        # A version that is not here yet is of another memory: begin with what is.
        version = snapshot.version if behind is None or behind > snapshot.version else behind
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(self._lasting(asked, snapshot, version), headers=headers, media_type=EVENTS)

    async def _lasting(
        self, asked: Asked[queries.OfEvents, Nothing], snapshot: Snapshot, version: int
    ) -> AsyncIterator[bytes]:
        self._open += 1
        try:
            async for event in self._following(asked, snapshot, version):
                yield event
        except BiographerError:
            # The browser comes back by itself, and says where it stood.
            return
        finally:
            self._open -= 1

    async def _following(
        self, asked: Asked[queries.OfEvents, Nothing], snapshot: Snapshot, version: int
    ) -> AsyncIterator[bytes]:
        stream, worded = asked.params.stream, version
        here = msgspec.json.encode(snapshot_record(snapshot, self._now_us()))
        yield b"retry: %d\nevent: snapshot\ndata: %b\n\n" % (_RETRY_MS, here)
        while not self._commits.closed and self._gate.still(asked.principal):
            coming = self._commits.next(stream)
            news = await self._readings.read(stream, lambda cut: _news(cut, version))  # noqa: B023 - awaited at once
            changes, amended = news or ((), 0)
            for change in changes:
                version = change.clip.version
                yield b"id: %d\nevent: change\ndata: %b\n\n" % (
                    version, msgspec.json.encode(change_record(stream, change))
                )  # fmt: skip
            if amended > worded and len(changes) < _AT_ONCE:
                # Also where clips that came later are told already: what was written before them is news too.
                worded, version = amended, max(version, amended)
                yield b"id: %d\nevent: words\ndata: {}\n\n" % version
            elif not changes and not await self._woken(coming):
                yield b": still here\n\n"

    async def _woken(self, coming: asyncio.Event) -> bool:
        try:
            async with asyncio.timeout(self._quiet_s):
                await coming.wait()
        except TimeoutError:
            return False
        return True


def _news(cut: Cut, version: int) -> tuple[Sequence[ChangeRecord], int]:
    """Return the clips that were applied after a version, and the version that the last amendment made."""
    return changes_after(cut, version, _AT_ONCE), amended_last(cut)


def _behind(asked: Asked[queries.OfEvents, Nothing]) -> int | None:
    given = asked.request.headers.get("last-event-id")
    if given is None or not given:
        return asked.params.after
    if not given.isascii() or not given.isdigit() or len(given) > 15:
        raise HTTPException(400, f"Last-Event-ID {given!r:.40} is no version; leave it out to begin now")
    return int(given)
