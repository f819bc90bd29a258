"""Reading a clip's video from a configured folder, and from nowhere else."""

import errno
import os
import stat
from pathlib import Path
from urllib.parse import SplitResult, unquote

from biographer.state.errors import BadClipError, TransientError

_PASSING = frozenset(
    {errno.EACCES, errno.EPERM, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ESTALE, errno.ETIMEDOUT}
)


def read_file(uri: str, parts: SplitResult, roots: tuple[Path, ...], limit_bytes: int) -> bytes:
    """Return the bytes of a plain file below one of the roots, links resolved.

    Raises BadClipError where it is outside, missing, no plain file or over the limit; TransientError where a root
    is absent (not mounted, perhaps) or the file cannot be read for now.
    """
    if parts.netloc not in {"", "localhost"}:
        raise BadClipError(f"uri {uri!r:.200} names another machine; file:// is for this one, so write file:///path")
    path = Path(unquote(parts.path))
    try:
        return _read(_resolved(uri, path, roots), uri, limit_bytes)
    except OSError as error:
        if error.errno in _PASSING:
            raise TransientError(f"{uri:.200} cannot be read for now: {error.strerror}; check its folder") from error
        raise BadClipError(f"{uri:.200} is missing ({error.strerror}); put the file there and replay") from error
    except (ValueError, RuntimeError) as error:
        # What pathlib raises for a zero byte in a name, and for links that go round in a circle.
        raise BadClipError(f"{uri!r:.200} names no file ({error}); put the file there and replay") from error


def _resolved(uri: str, path: Path, roots: tuple[Path, ...]) -> Path:
    named = [root.absolute() for root in roots]
    for root in named:
        if path.is_relative_to(root) and not root.is_dir():
            raise TransientError(f"folder {root} of {uri:.200} is absent; mount it, or correct the settings")
    within = [root.resolve() for root in named]
    # Said before anything is looked up, so that an answer never tells what exists elsewhere.
    if any(path.is_relative_to(root) for root in (*named, *within)):
        found = path.resolve(strict=True)
        if any(found.is_relative_to(root) for root in within):
            return found
    raise _outside(uri, roots)


def _outside(uri: str, roots: tuple[Path, ...]) -> BadClipError:
    if not roots:
        return BadClipError(
            f"uri {uri!r:.200} is refused, since no folder is configured; name its folder in clips.roots"
        )
    named = ", ".join(map(str, roots))
    return BadClipError(f"uri {uri!r:.200} is outside the configured folders ({named}); put the file in one of them")


def _read(path: Path, uri: str, limit_bytes: int) -> bytes:
    # A pipe would block on opening, and a link may have come in the place of the file since it was resolved.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise BadClipError(f"{uri:.200} is no plain file; name the video itself")
        content = file.read(limit_bytes + 1)
    if len(content) > limit_bytes:
        raise BadClipError(f"{uri:.200} is over the limit of {limit_bytes} bytes; raise it, or send shorter clips")
    return content
