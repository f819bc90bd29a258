"""The language endpoint: where an OpenAI-compatible server is, and how long and how often it is asked."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from biographer.state.errors import RefusedError


@dataclass(frozen=True, slots=True)
class LanguageEndpoint:
    """One server; raises RefusedError for an address or key that no request could be made with."""

    url: str
    """Base of its paths, with the version: http://127.0.0.1:8000/v1."""
    key: str = field(default="", repr=False)
    """Sent as a bearer token; shown nowhere."""
    connect_s: float = 5.0
    answer_s: float = 120.0
    """Seconds that a whole answer may take; of a stream, that it may be silent."""
    concurrency: int = 8
    """Requests at once; those over it wait here."""
    tries: int = 3
    """Times that one request is sent, before it is given back."""
    pause_first_s: float = 0.5
    pause_last_s: float = 20.0
    """Pauses between tries double from the first to the last; the server's Retry-After is kept to up to the last."""
    breaker_failures: int = 5
    breaker_pause_s: float = 30.0

    def __post_init__(self) -> None:
        """Refuse what is wrong in form, without showing the key."""
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise RefusedError(
                f"language endpoint {_without_user(self.url)!r:.200} is no http(s) address; write http://HOST:PORT/v1"
            )
        if parts.username or parts.password:
            raise RefusedError(
                "language endpoint's address holds a user or password; use the setting language.key_file"
            )
        if not self.key.isascii() or not (self.key.isprintable() and " " not in self.key):
            raise RefusedError("the language endpoint's key holds letters that no header takes; look at its file")
        if self.concurrency < 1 or self.tries < 1:
            raise RefusedError(f"concurrency={self.concurrency}, tries={self.tries}: each is at least 1")

    def pause_s(self, tries: int, chance: float) -> float:
        """Return the pause after so many failed tries (from 1): half of it fixed, half by `chance` (0..1).

        The jitter keeps requests that failed together from coming back together.
        """
        longest = min(self.pause_last_s, self.pause_first_s * 2.0 ** min(tries - 1, 30))
        return longest * (0.5 + 0.5 * chance)

    def hidden(self, text: str) -> str:
        """Return text of the server without our key, should it have been echoed."""
        return text.replace(self.key, "(key)") if self.key else text


def _without_user(url: str) -> str:
    return url.rpartition("@")[2]
