"""A leash on a child process: it does not outlive us, even where we are killed and can end nothing.

A shell waits for the end of a pipe that we alone hold; that comes with our own end, whatever that was. No hook between
fork and exec, which threads would make unsafe, and no death signal, which a thread's end would send.
"""

import contextlib
import os
import signal
import subprocess
from typing import Self

_WAIT = 'read -r _; kill -s KILL -- -"$0"'


class Leash:
    """On the process group of one child, which leads it (it was started in a session of its own)."""

    def __init__(self, leader: int) -> None:
        # In a session of its own: what ends us by the terminal is not to end it first.
        self._shell = subprocess.Popen(  # noqa: S603 - our own command
            ("/bin/sh", "-c", _WAIT, str(leader)),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    @classmethod
    def on(cls, child: "subprocess.Popen[bytes]") -> Self | None:
        """Return one on a child, None on a system that has no such groups."""
        return cls(child.pid) if os.name == "posix" else None

    def release(self) -> None:
        """Let the child be; call this before it is ended, for its number may be another's afterwards."""
        self._shell.send_signal(signal.SIGKILL)
        self._shell.wait()
        if self._shell.stdin is not None:
            self._shell.stdin.close()


def end(child: "subprocess.Popen[bytes]", leash: Leash | None, sign: signal.Signals, timeout_s: float) -> None:
    """Send a child a signal and let it off its leash; kill it where it takes too long, or we are interrupted."""
    # Told while it is leashed: an interrupt between the two would leave it running, and nobody to end it.
    child.send_signal(sign)
    try:
        if leash is not None:
            leash.release()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout_s)
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
