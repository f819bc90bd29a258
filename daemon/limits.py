"""Bounds on what askers may do: failures a minute from one address, and bytes a request."""

import ipaddress
from collections import OrderedDict, deque
from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

_ADDRESSES_MAX = 10_000

_READ_ON_BYTES = 1 << 20


class Failures:
    """Counts failures by address, within a sliding window; the addresses that failed longest ago are forgotten.

    Only failures are slowed: who shares an address with a device whose token was revoked still gets in.
    """

    def __init__(self, clock: Callable[[], float], limit: int = 20, window_s: float = 60.0) -> None:
        self._clock, self._limit, self._window_s = clock, limit, window_s
        self._at: OrderedDict[str, deque[float]] = OrderedDict()

    def note(self, address: str) -> float:
        """Count one more failure; return for how many seconds the address is to wait, 0 while it need not."""
        now, key = self._clock(), _network(address)
        times = self._at.setdefault(key, deque(maxlen=self._limit + 1))
        self._at.move_to_end(key)
        if len(self._at) > _ADDRESSES_MAX:
            self._at.popitem(last=False)
        times.append(now)
        while now - times[0] >= self._window_s:
            times.popleft()
        return self._window_s - (now - times[0]) if len(times) > self._limit else 0.0


async def bounded_body(request: Request, limit: int) -> bytes:
    """Return the request's body; refuses with 413 what is larger than `limit` bytes, and keeps no more than that.

    As much again is read and dropped first: who is cut off while still sending sees a broken connection, not why. One
    who waits to be told to go on (`Expect`), or states more than that, is refused at once.
    """
    most = limit + max(limit, _READ_ON_BYTES)
    stated = request.headers.get("content-length", "0")
    size = int(stated[:20]) if stated.isascii() and stated.isdigit() else 0
    if size > most or (size > limit and "expect" in request.headers):
        raise _too_large(limit)
    parts: list[bytes] = []
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > most:
                break
            parts.append(part if size <= limit else b"")
    except ClientDisconnect as error:
        raise HTTPException(400, "the connection ended before the request did") from error
    if size > limit:
        raise _too_large(limit)
    return b"".join(parts)


def _too_large(limit: int) -> HTTPException:
    return HTTPException(413, f"the body is over {limit} bytes; send less at a time", headers={"connection": "close"})


def _network(address: str) -> str:
    """Return what counts as one asker: an IPv4 address, or the /64 that one IPv6 customer commonly has."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ip) if ip.version == 4 else str(ipaddress.ip_network(f"{ip}/64", strict=False))
