"""The book of bearer tokens: who may ask for what. Kept as hashes in access.json of the state folder.

A token is 256 random bits, so nobody guesses it and SHA-256 is hash enough: a slow one would protect only secrets that
people choose, and would let strangers keep the processor busy.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from biographer.state.errors import FatalError, RefusedError
from biographer.state.times import format_time, parse_time

Role: TypeAlias = Literal["read", "write", "admin"]

PREFIX = "bio_"
"""How tokens begin, so that scanners for secrets and people know one when they see it."""

EVERY_STREAM = "*"

_NAME = "access.json"
_SECRET_BYTES = 32


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of one token; the secret itself is not."""

    id: str
    name: Annotated[str, Meta(min_length=1, max_length=200)]
    sha256: str
    roles: tuple[Role, ...]
    streams: tuple[str, ...]
    created: str
    expires: str | None = None

    def alive(self, now_us: int) -> bool:
        """Whether it is not over yet."""
        return self.expires is None or now_us < parse_time(self.expires)

    def sees(self, stream: str) -> bool:
        """Whether the stream is one of its own."""
        return EVERY_STREAM in self.streams or stream in self.streams

    def may(self, role: Role) -> bool:
        """Whether it has a role; an admin has all."""
        return role in self.roles or "admin" in self.roles


class Page(msgspec.Struct, frozen=True):
    """The file as a whole."""

    tokens: tuple[Token, ...] = ()


class TokenBook:
    """The tokens of one state folder, read anew when the file is another one. Small reads only; safe in any thread."""

    def __init__(self, state: Path) -> None:
        self.path = state / _NAME
        self._stamp: tuple[int, int, int] | None = None
        self._by_hash: dict[str, Token] = {}
        self._by_id: dict[str, Token] = {}

    def tokens(self) -> tuple[Token, ...]:
        """Return all, the oldest first. Raises FatalError where the file can't be understood: never "no tokens"."""
        self._refresh()
        return tuple(self._by_id.values())

    def find(self, secret: str, now_us: int) -> Token | None:
        """Return the token with this secret, None where there is none or it is over."""
        self._refresh()
        # Looked up by hash: how long that takes tells nothing of a secret that the asker doesn't have.
        token = self._by_hash.get(digest(secret))
        return token if token is not None and token.alive(now_us) else None

    def known(self, token: str, now_us: int) -> Token | None:
        """Return the token with this id, None where it was revoked or is over."""
        self._refresh()
        found = self._by_id.get(token)
        return found if found is not None and found.alive(now_us) else None

    def create(
        self,
        name: str,
        roles: tuple[Role, ...],
        streams: tuple[str, ...],
        now_us: int,
        random: Callable[[int], bytes],
        expires_us: int | None = None,
    ) -> tuple[Token, str]:
        """Add a token; return it with its secret, which is told this once. Raises RefusedError, FatalError."""
        if not roles or not streams:
            raise RefusedError(f"token {name!r} would be allowed nothing; name a role and a stream, or '*' for all")
        secret = PREFIX + random(_SECRET_BYTES).hex()
        token = Token(
            id=random(4).hex(),
            name=name,
            sha256=digest(secret),
            roles=roles,
            streams=streams,
            created=format_time(now_us),
            expires=None if expires_us is None else format_time(expires_us),
        )
        with self._held():
            self._write((*self.tokens(), token))
        return token, secret

    def revoke(self, token: str) -> Token:
        """Strike the token with this id; it opens nothing from then on. Raises RefusedError for an unknown one."""
        with self._held():
            kept = self.tokens()
            found = self._by_id.get(token)
            if found is None:
                raise RefusedError(f"token {token!r} is unknown; `biographer token list` shows the ids")
            self._write(tuple(one for one in kept if one.id != token))
        return found

    def _refresh(self) -> None:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            self._stamp, self._by_hash, self._by_id = None, {}, {}
            return
        stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
        if stamp != self._stamp:
            tokens = _read(self.path)
            self._by_hash = {one.sha256: one for one in tokens}
            self._by_id = {one.id: one for one in tokens}
            self._stamp = stamp

    def _write(self, tokens: tuple[Token, ...]) -> None:
        waiting = self.path.with_name(f"{_NAME}.part")
        waiting.unlink(missing_ok=True)
        descriptor = os.open(waiting, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(Page(tokens)), indent=2))
            file.flush()
            os.fsync(file.fileno())
        waiting.rename(self.path)

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Hold others off who would write the file."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.with_name(f"{_NAME}.lock").open("w", encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except OSError as error:
            raise FatalError(f"{self.path} can't be written: {error}; free or unlock the state folder") from error


def digest(secret: str) -> str:
    """Return what is kept of a secret."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _read(path: Path) -> tuple[Token, ...]:
    try:
        page = msgspec.json.decode(path.read_bytes(), type=Page)
        for one in page.tokens:
            if one.expires is not None:
                parse_time(one.expires)
    except (OSError, msgspec.MsgspecError, RefusedError) as error:
        raise FatalError(f"{path} can't be understood: {error}; nobody is let in before it is mended") from error
    return page.tokens
