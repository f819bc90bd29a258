"""Which daemon a client asks, and as whom: addresses, tokens and timeouts made into what HTTP takes, and back."""

import httpx

from biographer.daemon.client_call import Answer
from biographer.state.errors import RefusedError

DEFAULT_URL = "http://127.0.0.1:8640"
"""Where a daemon listens that was told nothing else."""

QUIET_S = 60.0
"""A connection of events that says nothing for so long is dead: a quiet daemon says every 15 s that it is there."""

SIDE = 1280
VIDEO = "video/mp4"

_CONNECT_S = 5.0


def base_of(url: str) -> str:
    """Return the address that paths are put behind; raises RefusedError for what is none."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise RefusedError(f"url {url!r} is no address ({error}); write it like {DEFAULT_URL}") from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise RefusedError(f"url {url!r} is no http address; write it like {DEFAULT_URL}")
    if parsed.userinfo or parsed.query or parsed.fragment:
        raise RefusedError(f"url of {parsed.host!r} holds more than an address; a token is given as `token`")
    return str(parsed).rstrip("/")


def bearing(token: str | None) -> dict[str, str]:
    """Return the header that bears a token; raises RefusedError for what can't stand in one."""
    if not token:
        return {}
    if not token.isascii() or not token.isprintable() or " " in token:
        raise RefusedError("the token holds what no token has; give what `biographer token create` printed")
    return {"authorization": f"Bearer {token}"}


def timeouts(seconds: float) -> httpx.Timeout:
    """Return how long one step of a request may take."""
    return httpx.Timeout(seconds, connect=min(seconds, _CONNECT_S))


def answer_of(response: httpx.Response) -> Answer:
    """Return what came back; the body has been read."""
    return Answer(response.status_code, response.headers, response.content)
