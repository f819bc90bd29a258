"""Signing in and out: the token, sent once in a body, becomes a cookie that pages carry by themselves."""

from starlette.responses import Response

from biographer.daemon.access import Gate, Principal
from biographer.daemon.api_queries import SignIn
from biographer.daemon.api_records import Who
from biographer.daemon.endpoint import Asked, Nothing, written
from biographer.daemon.sessions import COOKIE, LIFE_S


class SessionApi:
    """Sessions for browsers."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    async def begin(self, asked: Asked[Nothing, SignIn]) -> Response:
        """Exchange a token for a session cookie."""
        request = asked.request
        principal = self._gate.bearer(asked.body.token, request)
        response = written(_who(principal), 200, request.headers.get("accept", ""))
        response.set_cookie(
            COOKIE,
            self._gate.sessions.begin(principal.token or ""),
            max_age=LIFE_S,
            path="/",
            # Behind a proxy that ends TLS only the page's own address tells that the way is encrypted.
            secure=request.url.scheme == "https" or request.headers.get("origin", "").startswith("https:"),
            httponly=True,
            samesite="strict",
        )
        return response

    async def who(self, asked: Asked[Nothing, Nothing]) -> Who:
        """Return who one is to the daemon."""
        return _who(asked.principal)

    async def end(self, asked: Asked[Nothing, Nothing]) -> Response:
        """End the session."""
        self._gate.sessions.end(asked.request.cookies.get(COOKIE, ""))
        response = Response(status_code=204)
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        return response


def _who(principal: Principal) -> Who:
    return Who(name=principal.name, roles=tuple(sorted(principal.roles)), streams=tuple(sorted(principal.streams)))
