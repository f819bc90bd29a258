"""Videos that lie elsewhere: fetched only from configured folders and hosts, and only if they are what was promised.

The address comes with a clip message and is not trusted: no link leads out of a folder, no redirection to another
host, no proxy or credential of this machine is used.
"""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from biographer.state.errors import BadClipError
from biographer.streams.local_file import read_file
from biographer.streams.web_file import read_web


class Fetcher:
    """Fetches clip videos; holds settings only, so that any number of threads may use one at once.

    `roots` are the folders below which file:// may point; `hosts` are the hosts of http(s)://, as `host` for the
    scheme's own port or `host:port`; `limit_bytes` bounds a file. `timeout_s` bounds each wait and `time_limit_s` a
    whole transfer; `clock` returns seconds.
    """

    def __init__(
        self,
        roots: tuple[Path, ...],
        hosts: tuple[str, ...],
        limit_bytes: int,
        *,
        timeout_s: float = 10.0,
        time_limit_s: float = 120.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._roots = roots
        self._hosts = frozenset(host.lower() for host in hosts)
        self._limit_bytes = limit_bytes
        self._timeout_s = timeout_s
        self._time_limit_s = time_limit_s
        self._clock = clock

    def fetch(self, uri: str, sha256: str) -> bytes:
        """Return the file's bytes, blocking.

        Raises BadClipError where it lies outside the folders and hosts, is missing, over the limit, or has another
        SHA-256 (hex) than was promised (short or altered); TransientError where the source cannot be reached for now.
        """
        parts = _split(uri)
        if parts.scheme == "file":
            content = read_file(uri, parts, self._roots, self._limit_bytes)
        elif parts.scheme in {"http", "https"}:
            self._check_host(uri, parts)
            deadline = self._clock() + self._time_limit_s
            content = read_web(uri, self._limit_bytes, self._timeout_s, lambda: self._clock() > deadline)
        else:
            raise BadClipError(f"uri {uri!r:.200} is neither file:// nor http(s)://; send one of these")
        found = hashlib.sha256(content).hexdigest()
        if found != sha256:
            raise BadClipError(
                f"{uri:.200} has {len(content)} bytes of SHA-256 {found}, promised was {sha256}: it is short or "
                "altered; put the file back and replay"
            )
        return content

    def _check_host(self, uri: str, parts: SplitResult) -> None:
        host = parts.hostname or ""
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
        usual = parts.port is None or port == {"http": 80, "https": 443}[parts.scheme]
        if parts.username is not None or not (f"{host}:{port}" in self._hosts or (usual and host in self._hosts)):
            raise BadClipError(
                f"uri {uri!r:.200} is not on a configured host ({', '.join(sorted(self._hosts)) or 'none'}); "
                "add the host to the settings, or put the file on one of them"
            )


def _split(uri: str) -> SplitResult:
    try:
        parts = urlsplit(uri)
        _ = parts.port  # is only checked when it is read
    except ValueError as error:
        raise BadClipError(f"uri {uri!r:.200} is malformed ({error}); send a valid one") from error
    return parts
