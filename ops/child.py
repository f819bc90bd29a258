"""A daemon of one's own as a child process: started with settings from its environment, watched, and stopped."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from biographer.ops.leash import Leash, end
from biographer.state.errors import FatalError

_LOG_TAIL_BYTES = 2_000
STOP_TIMEOUT_S = 30.0

_LISTENING = re.compile(rb"listening .*host='?([^' ]+)'? +port=(\d+)")
_LOOK_S = 0.05


class ChildDaemon:
    """`biographer serve`, writing to `log`; a context manager that stops it."""

    def __init__(self, environ: Mapping[str, str], log: Path) -> None:
        self._environ = dict(environ)
        self._log = log
        self._log_begin = 0
        self._child: subprocess.Popen[bytes] | None = None
        self._leash: Leash | None = None

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "biographer.ops.cli", "serve"]
        with self._log.open("ab") as log:
            self._log_begin = log.tell()
            # In a session of its own: an interrupt is for us, and we stop it in good order.
            self._child = subprocess.Popen(  # noqa: S603 - our own command
                command, env=self._environ, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
            )
        self._leash = Leash.on(self._child)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        child, self._child = self._child, None
        if child is not None:
            end(child, self._leash, signal.SIGTERM, STOP_TIMEOUT_S)

    def check(self) -> None:
        """Raise FatalError with the end of its log where it is not running."""
        if self._child is None or self._child.poll() is not None:
            raise FatalError(f"the daemon has stopped; its log {self._log} ends:\n{self.log_tail()}")

    def address(self) -> str:
        """Return where it answers, waiting until it does: it may take any free port. Raises as `check` does."""
        while True:
            found = _LISTENING.search(self._log.read_bytes(), self._log_begin)
            if found is not None:
                return f"http://{found[1].decode()}:{found[2].decode()}"
            self.check()
            time.sleep(_LOOK_S)

    def log_tail(self) -> str:
        """Return the end of its log."""
        return self._log.read_bytes()[-_LOG_TAIL_BYTES:].decode(errors="replace").strip() or "(empty)"
