"""Reading a clip's video over HTTP(S), from the host that was asked and from no other."""

import email.message
import http.client
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import IO
from urllib.parse import urlsplit

from biographer.state.errors import BadClipError, TransientError

_CHUNK = 1 << 20
_PASSING = frozenset({408, 425, 429})


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows redirections within one host only, and never from https to http."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: email.message.Message,
        newurl: str,
    ) -> urllib.request.Request | None:
        old, new = urlsplit(req.full_url), urlsplit(newurl)
        if (old.scheme, old.netloc) != (new.scheme, new.netloc):
            raise BadClipError(f"{req.full_url:.200} redirects to {newurl:.200}; send the final address")
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]  # as it came


def read_web(uri: str, limit_bytes: int, timeout_s: float, late: Callable[[], bool]) -> bytes:
    """Return the body of a GET; `late` says when the transfer has taken too long.

    Raises BadClipError for an answer of 4xx, a redirection elsewhere or a body over the limit; TransientError for
    timeouts, failed connections, an answer of 5xx and a body that breaks off.
    """
    try:
        # The opener's own handlers only: no proxy from the environment, no other scheme.
        with _opener().open(uri, timeout=timeout_s) as answer:
            return _body(uri, answer, limit_bytes, late)
    except urllib.error.HTTPError as error:
        with error:
            if error.code >= 500 or error.code in _PASSING:
                raise TransientError(f"{uri:.200} answers {error.code} {error.reason}; check that host") from error
            raise BadClipError(
                f"{uri:.200} answers {error.code} {error.reason}; put the file there and replay"
            ) from error
    except (OSError, http.client.HTTPException) as error:
        raise TransientError(f"{uri:.200} cannot be reached for now: {error}; check that host") from error
    except ValueError as error:
        raise BadClipError(f"uri {uri!r:.200} is malformed ({error}); send a valid one") from error


def _opener() -> urllib.request.OpenerDirector:
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(context=ssl.create_default_context()),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _SameHost(),
    ):
        opener.add_handler(handler)
    return opener


def _body(uri: str, answer: http.client.HTTPResponse, limit_bytes: int, late: Callable[[], bool]) -> bytes:
    promised = answer.length
    body = bytearray()
    while len(body) <= limit_bytes and (promised is None or promised <= limit_bytes):
        if late():
            raise TransientError(f"{uri:.200} came too slowly ({len(body)} bytes so far); check the network")
        part = answer.read1(_CHUNK)
        if not part:
            break
        body += part
    else:
        raise BadClipError(f"{uri:.200} is over the limit of {limit_bytes} bytes; raise it, or send shorter clips")
    if promised is not None and len(body) < promised:
        raise TransientError(f"{uri:.200} broke off after {len(body)} of {promised} bytes; check the network")
    return bytes(body)
