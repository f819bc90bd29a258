"""Who asks, and what they may: deny by default; without any token only this machine is served.

A stream that somebody may not see is, to them, a stream that does not exist.
"""

import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from biographer.daemon.limits import Failures
from biographer.daemon.sessions import COOKIE, Sessions
from biographer.daemon.tokens import EVERY_STREAM, Role, Token, TokenBook

_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")

_CHALLENGE = {"www-authenticate": 'Bearer realm="biographer"'}


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks: a token's holder, or somebody on this machine while there are no tokens."""

    name: str
    roles: frozenset[Role]
    streams: frozenset[str]
    token: str | None = None

    @classmethod
    def of(cls, token: Token) -> "Principal":
        """Return who holds a token."""
        return cls(token.name, frozenset(token.roles), frozenset(token.streams), token.id)

    def may(self, role: Role) -> bool:
        """Whether they have a role; an admin has all."""
        return role in self.roles or "admin" in self.roles

    def sees(self, stream: str) -> bool:
        """Whether they may know of a stream."""
        return EVERY_STREAM in self.streams or stream in self.streams


LOCAL = Principal("this machine", frozenset(("admin",)), frozenset((EVERY_STREAM,)))


@dataclass(frozen=True, slots=True)
class Gate:
    """Lets askers in. `now_us` is the wall clock, by which tokens end."""

    book: TokenBook
    sessions: Sessions
    failures: Failures
    now_us: Callable[[], int]

    def admit(self, asker: HTTPConnection) -> Principal:
        """Return who asks; refuses with 401, or 429 after too many failures. Raises FatalError where none can tell."""
        secret, cookie = bearer(asker.headers), asker.cookies.get(COOKIE)
        if secret is not None:
            return self.bearer(secret, asker)
        if cookie is not None:
            token = self.book.known(self.sessions.token(cookie) or "", self.now_us())
            if token is not None:
                return Principal.of(token)
        if is_local(asker) and not self.book.tokens():
            return LOCAL
        if cookie is not None:
            raise self._failed(asker, "the session has ended; sign in again")
        raise HTTPException(401, "who asks? Send a token: Authorization: Bearer bio_…", headers=_CHALLENGE)

    def bearer(self, secret: str, asker: HTTPConnection) -> Principal:
        """Return who holds a secret; refuses as `admit` does."""
        token = self.book.find(secret, self.now_us())
        if token is None:
            raise self._failed(asker, "the token is unknown, revoked or over; `biographer token create` makes one")
        return Principal.of(token)

    def still(self, principal: Principal) -> bool:
        """Whether somebody who was let in would be let in now; for answers that last."""
        if principal.token is None:
            return not self.book.tokens()
        return self.book.known(principal.token, self.now_us()) is not None

    def trusts(self, asker: HTTPConnection) -> bool:
        """Whether they may see how the daemon fares: an admin, or anybody on this machine."""
        if is_local(asker):
            return True
        try:
            return self.admit(asker).may("admin")
        except HTTPException:
            return False

    def _failed(self, asker: HTTPConnection, why: str) -> HTTPException:
        wait_s = self.failures.note(asker.client.host if asker.client else "")
        if wait_s:
            headers = {"retry-after": str(int(wait_s) + 1)}
            return HTTPException(429, "too many failures from this address; wait", headers=headers)
        return HTTPException(401, why, headers=_CHALLENGE)


def need(principal: Principal, role: Role) -> None:
    """Refuse with 403 who lacks a role."""
    if not principal.may(role):
        raise HTTPException(403, f"{principal.name!r} lacks the role {role}; ask with a token that has it")


def need_stream(principal: Principal, stream: str) -> None:
    """Refuse a stream that somebody may not see, in the words for one that does not exist."""
    if not principal.sees(stream):
        raise unknown_stream(stream)


def unknown_stream(stream: str) -> HTTPException:
    """Return the refusal of a stream that is not there, or not for the one who asks."""
    return HTTPException(404, f"stream {stream!r:.200} is unknown here; GET /v1/streams lists those you may see")


def bearer(headers: Mapping[str, str]) -> str | None:
    """Return the secret that a request bears by its headers (names in small letters), None where it bears none."""
    kind, _, secret = headers.get("authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" and secret.strip() else None


def is_local(asker: HTTPConnection) -> bool:
    """Whether the asker is on this machine and no proxy stands between."""
    if asker.client is None or any(name in asker.headers for name in _FORWARDED):
        return False
    return is_loopback(asker.client.host)


def is_loopback(host: str) -> bool:
    """Whether an address or name is this machine's own."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
