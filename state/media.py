"""Media: the bytes of crops and kept clips, one file each, named by the SHA-256 of what is in it.

A name never comes from a recording. A file here without a row in the store is left alone: deleting is only ever done
for what the store says is to go.
"""

import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

from biographer.state.database import meaning
from biographer.state.errors import RefusedError

_NAME = re.compile(r"[0-9a-f]{64}")

_SYNCED_AT_ONCE = 8
"""A clip's 64 crops take 75 ms one after the other, 20 in eight threads; more gain nothing."""


class MediaFolder:
    """The media files of one stream."""

    def __init__(self, folder: Path, fsync: Callable[[int], None] = os.fsync) -> None:
        self.folder = folder
        self._fsync = fsync
        self._unsynced: set[Path] = set()

    def path(self, name: str) -> Path:
        """Return where the file of a SHA-256 (hex) lies, whether or not it is there; raises RefusedError for others."""
        if not _NAME.fullmatch(name):
            raise RefusedError(f"media name {name[:80]!r} is no SHA-256 in lower-case hex")
        return self.folder / name[:2] / name

    def put(self, name: str, content: bytes) -> None:
        """Keep bytes under their SHA-256, durably once `sync` is through; raises RefusedError for others."""
        if sha256(content).hexdigest() != name:
            raise RefusedError(f"media {name} does not match its bytes; hash what is sent")
        path = self.path(name)
        if self.get(name) is None:
            with meaning(path):
                self._write(path, content)
        # What is there may be what a process wrote that was killed before it synced it.
        self._unsynced |= {path, path.parent}

    def sync(self) -> None:
        """Make durable what was put since the last time, and its names: before a transaction that tells of it.

        Several at once, which a disk's journal takes together. Raises TransientError where the disk refuses; what is
        left is synced the next time.
        """
        waiting = sorted(self._unsynced)
        with ThreadPoolExecutor(_SYNCED_AT_ONCE, "media-sync") as pool:
            for path, _ in zip(waiting, pool.map(self._sync, waiting), strict=True):
                self._unsynced.discard(path)

    def _write(self, path: Path, content: bytes) -> None:
        if not path.parent.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._unsynced |= {self.folder, self.folder.parent}
        waiting = path.with_name(f"{path.name}.part")
        waiting.write_bytes(content)
        waiting.rename(path)

    def _sync(self, path: Path) -> None:
        with meaning(path):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                self._fsync(descriptor)
            finally:
                os.close(descriptor)

    def get(self, name: str) -> bytes | None:
        """Return the bytes, or None where they are not kept any more or are damaged."""
        path = self.path(name)
        with meaning(path):
            if not path.exists():
                return None
            content = path.read_bytes()
        return content if sha256(content).hexdigest() == name else None

    def drop(self, name: str) -> None:
        """Delete a file that the store has struck; one that is gone already is fine."""
        path = self.path(name)
        self._unsynced.discard(path)
        with meaning(path):
            path.unlink(missing_ok=True)
