"""Sessions of browsers that signed in: a cookie stands for a token, since pages can send no headers with pictures.

They live in memory only, expire, and are bounded; a revoked token ends its sessions at once, for each request looks
the token up again.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from biographer.daemon.tokens import digest

COOKIE = "biographer_session"

LIFE_S = 12 * 3600

_SESSIONS_MAX = 1_000


@dataclass(frozen=True, slots=True)
class _Session:
    token: str
    ends: float


class Sessions:
    """Sessions by the hash of their cookie; `clock` returns seconds, `random` as many bytes as it is asked for."""

    def __init__(self, clock: Callable[[], float], random: Callable[[int], bytes]) -> None:
        self._clock, self._random = clock, random
        self._open: OrderedDict[str, _Session] = OrderedDict()

    def begin(self, token: str) -> str:
        """Open a session for the token of this id; return the cookie's value."""
        cookie = self._random(32).hex()
        self._open[digest(cookie)] = _Session(token, self._clock() + LIFE_S)
        if len(self._open) > _SESSIONS_MAX:
            self._open.popitem(last=False)
        return cookie

    def token(self, cookie: str) -> str | None:
        """Return the id of the token that the cookie stands for, None where there is none any more."""
        key = digest(cookie)
        session = self._open.get(key)
        if session is None:
            return None
        if self._clock() >= session.ends:
            del self._open[key]
            return None
        return session.token

    def end(self, cookie: str) -> None:
        """Close a session; one that is unknown is closed already."""
        self._open.pop(digest(cookie), None)
