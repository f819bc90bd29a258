"""Whether the daemon is well: the reasons against it, gathered from those who know them.

Readiness is red for what an operator or a balancer should act on; liveness only says that the event loop turns.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

from biographer.state.errors import TransientError

Check = Callable[[], Iterable[str]]


class Health:
    """Reasons by part. Parts say what they know with `report`; `watch` adds a check that is asked each time."""

    def __init__(self) -> None:
        self._reasons: dict[str, str] = {"start": "starting"}
        self._checks: list[Check] = []
        self._lock = threading.Lock()
        self.last_failures: deque[str] = deque(maxlen=5)

    def report(self, part: str, reason: str | None) -> None:
        """Say what is wrong with a part, or None where it is well; safe in any thread."""
        with self._lock:
            if reason is None:
                self._reasons.pop(part, None)
            else:
                self._reasons[part] = reason
                self.last_failures.append(f"{part}: {reason}")

    def watch(self, check: Check) -> None:
        """Ask this check, too, whenever someone wants to know."""
        self._checks.append(check)

    def reasons(self) -> list[str]:
        """Return why the daemon is not ready; empty when it is."""
        with self._lock:
            reported = [f"{part}: {reason}" for part, reason in self._reasons.items()]
        return reported + [reason for check in self._checks for reason in check()]


def probe_store(folder: Path) -> None:
    """Write and sync a small file, as an actual commit would (topoteretes/cognee#4348). Raises TransientError."""
    path = folder / ".probe"
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        try:
            # More than a block: a full disk still takes what fits into the inode.
            os.write(descriptor, bytes(8192))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        path.unlink()
    except OSError as error:
        raise TransientError(f"state folder {folder} can't be written: {error}; free or unlock it") from error
