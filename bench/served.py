"""A daemon as a child process to be measured and killed: `biographer serve`, as an operator starts it.

`cores` bounds the processors that it may use, where the system can.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import TracebackType
from typing import Self

from biographer.state.errors import FatalError

_LOG_TAIL_BYTES = 3_000
_LOOK_EVERY_S = 0.02


class Served:
    """One daemon on one port of this machine; a context manager that ends it in good order."""

    def __init__(self, settings: Mapping[str, str], log: Path, cores: int | None = None) -> None:
        self._settings = settings
        self._cores = cores
        self._log = log
        self._child: subprocess.Popen[bytes] | None = None
        self._port = free_port()
        self._began = 0.0

    def start(self) -> None:
        """Execute it; `seconds` counts from here."""
        environ = {**os.environ, **self._settings, "BIOGRAPHER_HTTP_PORT": str(self._port)}
        command = [sys.executable, "-m", "biographer.ops.cli", "serve"]
        with self._log.open("ab") as log:
            self._began = time.monotonic()
            self._child = subprocess.Popen(command, env=environ, stdout=log, stderr=log, start_new_session=True)  # noqa: S603 - our own command
        if self._cores is not None and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(self._child.pid, sorted(os.sched_getaffinity(0))[: self._cores])

    @property
    def seconds(self) -> float:
        """How long ago it was executed."""
        return time.monotonic() - self._began

    def wait_ready(self, most_s: float) -> float:
        """Return the seconds from execution to readiness. Raises FatalError with its log where that does not come."""
        self.wait(self.is_ready, most_s, "ready")
        return self.seconds

    def wait(self, come: Callable[[], bool], most_s: float, what: str, every_s: float = _LOOK_EVERY_S) -> None:
        """Return once `come`, asked so often, says so. Raises FatalError with the end of its log."""
        deadline = time.monotonic() + most_s
        while not come():
            if self._child is None or self._child.poll() is not None or time.monotonic() > deadline:
                tail = self._log.read_bytes()[-_LOG_TAIL_BYTES:].decode(errors="replace")
                raise FatalError(f"the daemon is not {what} after {most_s:.0f} s, or has ended; its log ends:\n{tail}")
            time.sleep(every_s)

    def is_ready(self) -> bool:
        """Ask /readyz."""
        try:
            return self._asked("/readyz")[0] == 200
        except (OSError, HTTPException):
            return False

    def is_searchable(self, stream: str) -> bool:
        """Ask a question of a stream: whether that is answered, or told to wait."""
        try:
            return self._asked(f"/v1/streams/{stream}/search", b'{"text": "who held the cup"}')[0] == 200
        except (OSError, HTTPException):
            return False

    def page(self, path: str) -> str:
        """Return what it answers there."""
        return self._asked(path)[1]

    def post(self, path: str, body: bytes) -> str:
        """Return what it answers to JSON there."""
        return self._asked(path, body)[1]

    def _asked(self, path: str, body: bytes | None = None) -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=30)
        try:
            kind = {} if body is None else {"content-type": "application/json"}
            connection.request("GET" if body is None else "POST", path, body, kind)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def memory_gib(self) -> dict[str, float]:
        """Return what it holds of the machine's memory now, and the most that it ever did."""
        if self._child is None:
            raise FatalError("the daemon does not run; start it first")
        return resident_gib(self._child.pid)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it in good order."""
        self._end(signal.SIGTERM)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _end(self, sign: signal.Signals) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.send_signal(sign)
        try:
            child.wait(60)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def resident_gib(process: int) -> dict[str, float]:
    """Return a process's resident memory in GiB, now and at most; empty where the system has no /proc."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        return {}
    fields = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
    names = {"now": "VmRSS", "most": "VmHWM"}
    return {name: round(int(fields[field].split()[0]) / 2**20, 3) for name, field in names.items() if field in fields}


def free_port() -> int:
    """Return a port of this machine that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
