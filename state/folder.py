"""The state folder: one folder a stream, self-contained, and one lock over all of them.

A stream's name is data from a recording and never a path: its folder is named by a readable stem and a hash.
"""

import fcntl
import json
import os
import re
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import IO

from biographer.state.database import meaning
from biographer.state.errors import FatalError, RefusedError
from biographer.state.index import Index
from biographer.state.memory import Memory
from biographer.state.position import Position
from biographer.state.positions import Positions
from biographer.state.rule import Rule
from biographer.state.stream import Stream
from biographer.state.zones import UTC_ZONE, zone_of

_POSITIONS = "positions.db"
_STEM = re.compile(r"[^a-z0-9]+")


def folder_name(stream: str) -> str:
    """Return the folder's name for a stream: safe on any file system, different for different streams."""
    stem = _STEM.sub("-", stream.lower()).strip("-")[:32] or "stream"
    return f"{stem}-{sha256(stream.encode()).hexdigest()[:16]}"


class StateFolder:
    """All streams below one folder, held by one writer."""

    def __init__(self, path: Path, rule: Rule, *, media_limit: int | None = None, timezone: str = UTC_ZONE) -> None:
        """Take the folder; streams that begin have their midnight in `timezone`, others where they have it.

        Raises RefusedError for a zone that is unknown, FatalError where another Biographer holds the folder.
        """
        zone_of(timezone)
        self.path = path
        self._timezone = timezone
        self._rule = rule
        self._media_limit = media_limit
        self._streams: dict[str, Stream] = {}
        self._opening = Lock()
        self._lock = _take_lock(path)
        self._positions = Positions(path / _POSITIONS) if (path / _POSITIONS).exists() else None

    def names(self) -> list[str]:
        """Return the names of the streams that are here, sorted."""
        return stream_names(self.path)

    def knows(self, stream: str) -> bool:
        """Whether there is such a stream."""
        return stream_store(self.path, stream).exists()

    def stream(self, name: str) -> Stream:
        """Return a stream, opened or begun; any thread may ask, and gets the same one."""
        with self._opening:
            if name not in self._streams:
                folder = stream_folder(self.path, name)
                with meaning(folder):
                    folder.mkdir(parents=True, exist_ok=True)
                    _write_name(folder, name)
                self._streams[name] = Stream(
                    name, folder, self._rule, media_limit=self._media_limit, timezone=self._timezone
                )
            return self._streams[name]

    def install(self, name: str, prepared: Path) -> None:
        """Take in a folder that holds a stream's whole memory; raises RefusedError where there is such a stream."""
        target = stream_folder(self.path, name)
        with self._opening, meaning(target):
            if self.knows(name):
                raise RefusedError(f"stream {name!r} is here already; import it under another name, with --stream")
            _write_name(prepared, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            prepared.rename(target)

    def memory(self, name: str) -> Memory | None:
        """Return the memory of a stream, None where there is no such stream."""
        return self.stream(name).memory if self.knows(name) else None

    def at_hand(self, name: str) -> Index | None:
        """Return the search index of a stream where it is open and learned; never waits."""
        stream = self._streams.get(name)
        return stream.memory.learning.at_hand if stream is not None else None

    def positions(self) -> tuple[Position, ...]:
        """Return where the streams stand in the log, and partitions without one: all before it is durable."""
        streams = (position for name in self.names() for position in self.stream(name).positions())
        return (*streams, *(self._positions.all() if self._positions else ()))

    def advance(self, position: Position) -> None:
        """Make durable where a partition stands in which no stream does."""
        with self._opening:
            if self._positions is None:
                self._positions = Positions(self.path / _POSITIONS)
        self._positions.advance(position)

    def close(self) -> None:
        """Close all streams and give up the lock."""
        for stream in self._streams.values():
            stream.close()
        self._streams.clear()
        if self._positions is not None:
            self._positions.close()
        self._lock.close()


def stream_folder(path: Path, stream: str) -> Path:
    """Return where a stream's folder lies below the state folder."""
    return path / "streams" / folder_name(stream)


def stream_store(path: Path, stream: str) -> Path:
    """Return where a stream's store lies; it need not be there."""
    return stream_folder(path, stream) / "memory.db"


def stream_names(path: Path) -> list[str]:
    """Return the names of the streams in a state folder, sorted, without taking its lock.

    Raises FatalError where a folder does not say whose it is, or lies where another's would.
    """
    return sorted(_read_name(file) for file in path.glob("streams/*/stream.json"))


def refuse_missing(path: Path, stream: str) -> Path:
    """Return a stream's folder; raises RefusedError, with the names there are, where there is none."""
    if not stream_store(path, stream).exists():
        known = ", ".join(map(repr, stream_names(path))) or "none"
        raise RefusedError(f"stream {stream!r} is unknown here; known: {known}")
    return stream_folder(path, stream)


def _write_name(folder: Path, stream: str) -> None:
    target = folder / "stream.json"
    if not target.exists():
        waiting = folder / "stream.json.part"
        with waiting.open("w", encoding="utf-8") as file:
            file.write(json.dumps({"stream": stream}))
            file.flush()
            os.fsync(file.fileno())
        waiting.rename(target)


def _read_name(file: Path) -> str:
    try:
        name = str(json.loads(file.read_text("utf-8"))["stream"])
    except (ValueError, KeyError, TypeError) as error:
        raise FatalError(f"{file} is damaged ({error}); its name is in memory.db, table meta: write it anew") from error
    if file.parent.name != folder_name(name):
        raise FatalError(
            f"{file.parent} holds stream {name!r}, which belongs into {folder_name(name)!r}; move it there, or away"
        )
    return name


def _take_lock(path: Path) -> IO[str]:
    with meaning(path):
        path.mkdir(parents=True, exist_ok=True)
        file = (path / "LOCK").open("a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read().strip() or "unknown"
        file.close()
        raise FatalError(
            f"state folder {path} is held by another Biographer (process {holder}); stop it or use another folder"
        ) from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file
