"""Clips too large for the broker: their video kept in a folder that the daemon may read, and sent as uri + sha256."""

import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path

from biographer.state.errors import RefusedError
from biographer.streams.kafka_record import framed_size
from biographer.streams.message import ClipMessage, encode


@dataclass(frozen=True, slots=True)
class Outside:
    """A folder below one of the daemon's `clips.roots`; without one, clips over the limit are refused."""

    folder: Path | None
    limit_bytes: int

    def packed(self, message: ClipMessage) -> bytes:
        """Return the record's value, within the limit; raises RefusedError where that can't be. Blocks."""
        value = encode(message)
        size = self._size(message, value)
        if size <= self.limit_bytes:
            return value
        if message.video is None or self.folder is None:
            raise RefusedError(
                f"clip {message.clip!r} makes a record of {size} bytes, over kafka.max_bytes {self.limit_bytes}; name "
                "a folder of clips.roots with --store for its video, cut shorter clips, or raise the limit"
            )
        small = encode(_outside(message, message.video, self.folder))
        if (size := self._size(message, small)) > self.limit_bytes:
            raise RefusedError(
                f"clip {message.clip!r} makes a record of {size} bytes even without its video, over kafka.max_bytes "
                f"{self.limit_bytes}; cut shorter clips, or raise the limit"
            )
        return small

    def _size(self, message: ClipMessage, value: bytes) -> int:
        return framed_size(message.stream.encode(), value, ())


def _outside(message: ClipMessage, video: bytes, folder: Path) -> ClipMessage:
    sha256 = hashlib.sha256(video).hexdigest()
    path = folder.resolve() / sha256[:2] / f"{sha256}.mp4"
    if not path.exists():
        _write(path, video)
    return replace(message, video=None, uri=path.as_uri(), sha256=sha256)


def _write(path: Path, content: bytes) -> None:
    """Write beside the place, sync, rename: the daemon must never see a part of it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        waiting = path.with_name(f"{path.name}.part")
        with waiting.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        waiting.rename(path)
    except OSError as error:
        raise RefusedError(f"{path} can't be written: {error}; free the disk or name another --store") from error
