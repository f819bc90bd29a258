"""Server-sent events as they come in: bytes to events, and where to go on after a break. Nothing is received here."""

import msgspec

from biographer.daemon.api_clip_records import ChangeRecord
from biographer.daemon.api_records import SnapshotRecord
from biographer.state.errors import FatalError

_MOST = 16 * 1024 * 1024


class Following:
    """Where one follower of a stream stands: at which version, and how long to wait before coming back.

    Events are parted by bytes, never by characters: the text in them may hold what some take for a line's end.
    """

    def __init__(self, after: int | None = None) -> None:
        self.version = after
        self.retry_s = 2.0
        self._rest = b""

    @property
    def headers(self) -> dict[str, str]:
        """What to ask with, so that nothing is missed and nothing comes twice."""
        asked = {"accept": "text/event-stream"}
        return asked if self.version is None else {**asked, "last-event-id": str(self.version)}

    def begin(self) -> None:
        """Forget half an event: the connection is a new one."""
        self._rest = b""

    def feed(self, content: bytes) -> list[ChangeRecord]:
        """Take what came in; return the changes that are whole. Raises FatalError for what is no event."""
        *events, self._rest = (self._rest + content).split(b"\n\n")
        if len(self._rest) > _MOST:
            raise FatalError(f"an event of over {_MOST} bytes; use a client and a daemon of one version")
        found = [self._event(event) for event in events]
        return [change for change in found if change is not None]

    def _event(self, event: bytes) -> ChangeRecord | None:
        fields = dict(_field(line) for line in event.split(b"\n"))
        try:
            if b"retry" in fields:
                self.retry_s = int(fields[b"retry"]) / 1000
            if fields.get(b"event") == b"change":
                change = msgspec.json.decode(fields[b"data"], type=ChangeRecord)
                self.version = change.version
                return change
            if fields.get(b"event") == b"snapshot" and self.version is None:
                self.version = msgspec.json.decode(fields[b"data"], type=SnapshotRecord).version
        except (msgspec.MsgspecError, KeyError, ValueError) as error:
            raise FatalError(
                f"an event is not understood ({error}); use a client and a daemon of one version"
            ) from error
        return None


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name, value.removeprefix(b" ")
