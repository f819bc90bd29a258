"""What went wrong with a request to a language endpoint, and so what its asker is to do."""

from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import NoReturn

from biographer.state.errors import RefusedError, TransientError

_BUSY = 429
_PASSING = frozenset({408, 409, 425, _BUSY})
_SETUP = frozenset({401, 403, 404, 405})
_NEVER = frozenset({501, 505})
_REMEDIES = {
    401: "set language.key_file to a file with its key",
    403: "give the key that right, or set another in language.key_file",
    404: "name a model that it serves and the address with its version (/v1); `biographer models check` lists them",
}


class FaultKind(Enum):
    """What to do about it."""

    PASSING = "try again"
    LEFT_ALONE = "try later: the breaker is open"
    REQUEST = "this request will never succeed; others may"
    SETUP = "no request will succeed until somebody changes the settings"


@dataclass(frozen=True, slots=True)
class Fault:
    """One failure. `alive`: the server itself is well. `again_s`: when it asked to be asked again, if it did."""

    kind: FaultKind
    reason: str
    alive: bool = False
    again_s: float | None = None

    def raised(self) -> NoReturn:
        """Raise TransientError for what passes, RefusedError for what never will."""
        if self.kind in (FaultKind.PASSING, FaultKind.LEFT_ALONE):
            raise TransientError(self.reason)
        raise RefusedError(self.reason)


def fault_of(status: int, said: str, asked: str, retry_after: str = "", now_s: float = 0.0) -> Fault:
    """Return what an answer without success means; `asked` names the endpoint and path, `said` is its body's start."""
    told = f"{asked} answers {status}: {' '.join(said.split())[:300] or 'nothing'}"
    if status in _SETUP or 300 <= status < 400:
        return Fault(
            FaultKind.SETUP, f"{told}; {_REMEDIES.get(status, 'set language.url to its own address')}", alive=True
        )
    if status in _PASSING or (status >= 500 and status not in _NEVER):
        again_s = _seconds(retry_after, now_s)
        return Fault(FaultKind.PASSING, f"{told}; it is asked again later", alive=status == _BUSY, again_s=again_s)
    return Fault(FaultKind.REQUEST, f"{told}; send less, or use a model that takes it", alive=True)


def _seconds(retry_after: str, now_s: float) -> float | None:
    """Return Retry-After in seconds: a number, or a date against `now_s` (seconds of UTC)."""
    if retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - now_s)
    except (TypeError, ValueError, OverflowError):
        return None
