"""Where a page ended, as opaque text: the version that the list keeps to, and a place in it."""

import base64
import binascii

import msgspec

from biographer.state.errors import RefusedError

Place = tuple[int, int, int]


class Cursor(msgspec.Struct, frozen=True, array_like=True):
    """The version of the memory, and the order of event time or a plain count in the first number."""

    version: int
    place: Place


def cursor_text(version: int, place: Place) -> str:
    """Return a cursor as text that fits into a query."""
    return base64.urlsafe_b64encode(msgspec.msgpack.encode(Cursor(version, place))).rstrip(b"=").decode()


def parse_cursor(text: str | None) -> Cursor | None:
    """Return what a text says, None where there is none; raises RefusedError for what is no cursor."""
    if text is None:
        return None
    try:
        cursor = msgspec.msgpack.decode(
            base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True), type=Cursor
        )
    except (binascii.Error, ValueError, msgspec.MsgspecError) as error:
        raise RefusedError(f"cursor {text!r:.60} is none of ours; begin without one") from error
    if not 0 <= cursor.version < 2**53 or any(abs(part) >= 2**63 for part in cursor.place):
        raise RefusedError(f"cursor {text!r:.60} is none of ours; begin without one")
    return cursor
