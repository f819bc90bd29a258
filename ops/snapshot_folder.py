"""A snapshot's folder while it is being written: beside its place, and moved there once it is whole.

Whatever ends the writing early leaves nothing in that place, and what it left beside goes with the next try.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path

from biographer.ops.snapshot_manifest import SnapshotFile
from biographer.state.database import meaning
from biographer.state.errors import RefusedError


class SnapshotFolder:
    """The files that were written so far, each durably."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files: list[SnapshotFile] = []

    def put(self, name: str, content: bytes) -> None:
        """Write a file."""
        path = self.path / name
        with meaning(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        self.files.append(SnapshotFile.of(name, content))

    def note(self, name: str) -> None:
        """Take in a file that was written here by others."""
        path = self.path / name
        with meaning(path), path.open("rb") as file:
            os.fsync(file.fileno())
            digest = file_digest(file, "sha256").hexdigest()
            self.files.append(SnapshotFile(name, path.stat().st_size, digest))


@contextmanager
def snapshot_folder(target: Path) -> Iterator[SnapshotFolder]:
    """Yield a folder to write to, which becomes `target` where the block ends well, and is gone where it does not.

    Raises RefusedError where there is something in `target` already, or another export is writing it.
    """
    target = target.absolute()
    refuse_full(target)
    beside = target.with_name(f".{target.name}.biographer-part")
    with _held(beside):
        try:
            yield SnapshotFolder(beside)
            with meaning(target):
                _sync_folders(beside)
                beside.rename(target)
                _sync(target.parent)
        finally:
            shutil.rmtree(beside, ignore_errors=True)


def refuse_full(target: Path) -> None:
    """Raise RefusedError where a snapshot can't be put because something is there."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise RefusedError(f"{target} is there and is no folder; name another for the snapshot")
    if target.is_dir() and any(target.iterdir()):
        raise RefusedError(f"{target} is not empty; a snapshot goes into a folder of its own: name another")


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Hold an empty folder for this export alone; what one that was killed left in it is deleted."""
    with meaning(folder):
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RefusedError(f"another export is writing {folder}; wait for it, or name another folder") from error
        with meaning(folder):
            for left in folder.iterdir():
                if left.is_dir() and not left.is_symlink():
                    shutil.rmtree(left)
                else:
                    left.unlink()
        yield
    finally:
        os.close(handle)


def _sync_folders(top: Path) -> None:
    for path in sorted(top.rglob("*")):
        if path.is_dir():
            _sync(path)
    _sync(top)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
