"""What a client makes of requests that fail: the project's errors with the daemon's own words, and how long to wait.

Pure: whoever asks does the sleeping.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from biographer.daemon.client_call import Answer
from biographer.state.errors import BadClipError, BiographerError, FatalError, RefusedError, TransientError

_BUSY = frozenset({429, 503})
"""Statuses that say: not now. The call was not begun, so it may be made again, whatever it is."""

_FOR_NOW = _BUSY | {408, 410, 502, 504}
"""Those, and what a new request may yet do: 410 ends a list that a user's word has changed, which begins anew."""

_WORDS = 500


@dataclass(frozen=True, slots=True)
class Patience:
    """Pauses between tries (seconds): the first, doubling to the longest, and all of one call's together at most."""

    first_s: float = 0.1
    longest_s: float = 5.0
    total_s: float = 30.0

    def pause_s(self, tries: int, waited_s: float, answer: Answer | None = None) -> float | None:
        """Return how long to wait after so many failed tries; None where it is to be given up.

        Where the daemon says how long (Retry-After, in seconds), it is never asked sooner.
        """
        if answer is not None and answer.status not in _BUSY:
            return None
        own = min(self.longest_s, self.first_s * 2.0 ** min(tries - 1, 30))
        pause = max(own, _retry_after_s(answer.headers) if answer is not None else 0.0)
        return pause if waited_s + pause <= self.total_s else None


class _Problem(msgspec.Struct):
    """The part of a problem (RFC 9457) that is for people."""

    detail: str


def failure(what: str, answer: Answer) -> BiographerError:
    """Return the error that a status says, in the daemon's words where it gave any; `what` names the request."""
    told = f"{what}: {answer.status}: {_told(answer)}"
    if answer.status in _FOR_NOW:
        return TransientError(told)
    if answer.status == 422:
        return BadClipError(told)
    if answer.status == 401:
        return RefusedError(f"{told}; a command takes it from client.token_file or BIOGRAPHER_CLIENT_TOKEN")
    if 400 <= answer.status < 500:
        return RefusedError(told)
    return FatalError(told)


def unanswered(what: str, url: str, error: Exception) -> TransientError:
    """Return the error of a request that nobody answered."""
    reason = str(error) or type(error).__name__
    return TransientError(
        f"{what}: no answer from {url} ({reason}); start the daemon with `biographer serve`, or name it"
    )


def _told(answer: Answer) -> str:
    try:
        return msgspec.json.decode(answer.content, type=_Problem).detail
    except (msgspec.MsgspecError, UnicodeDecodeError):
        words = answer.content[:_WORDS].decode("utf-8", "replace").strip()
        return words or "without a reason; is this a Biographer daemon?"


def _retry_after_s(headers: Mapping[str, str]) -> float:
    stated = headers.get("retry-after", "").strip()
    return float(stated) if stated.isascii() and stated.isdigit() and len(stated) < 8 else 0.0
