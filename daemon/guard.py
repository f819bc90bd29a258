"""What stands before every request, whatever it asks for: our own names, our own pages, and headers on each answer."""

from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from biographer.daemon.origins import Origins
from biographer.daemon.problems import problem

PROBES = ("/healthz", "/readyz")
"""Asked by balancers under whatever name, and telling nothing."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)

_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


@dataclass(frozen=True, slots=True)
class Guard:
    """Lets requests through to an application; connections other than HTTP are closed."""

    app: ASGIApp
    origins: Origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, then pass on with the path as it was sent: a name in it may hold an encoded slash."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        path = scope.get("raw_path", scope["path"].encode()).decode("latin-1")
        dressed = _dressed(send, path)
        try:
            if path not in PROBES:
                headers = Headers(scope=scope)
                self.origins.check(scope["method"], path, headers)
                if "cookie" in headers and "authorization" not in headers:
                    self.origins.check_cookie(scope["method"], headers)
        except HTTPException as error:
            await problem(error.status_code, error.detail)(scope, receive, dressed)
            return
        await self.app({**scope, "path": path}, receive, dressed)


def _dressed(send: Send, path: str) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            # The console's files are asked for anew each time, and answered with 304: a page must fit its daemon.
            headers.setdefault("cache-control", "no-store" if path.startswith("/v1") else "no-cache")
        await send(message)

    return sending
