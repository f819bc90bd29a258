"""MessagePack to plain values, with limits; and words for what is wrong with them.

Nothing here knows the clip message's fields.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgpack

from biographer.state.errors import BadClipError

NESTING_MAX = 32
"""Lists and maps lie at most this deep in each other."""

VALUES_MAX = 1_000_000
"""Values of lists and maps in one message, over all of them: a small message can hold as many as it has bytes, and each
takes some fifty in memory."""

_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")


def unpacked(value: bytes) -> dict[str, Any]:
    """Return the map that the bytes hold; raises BadClipError where they are not exactly one such map."""
    count = _Count()
    try:
        fields = msgpack.unpackb(
            value,
            object_pairs_hook=count.distinct,
            list_hook=count.list,
            max_array_len=min(len(value), VALUES_MAX),
            max_map_len=min(len(value), VALUES_MAX // 2),
        )
    except ValueError as error:
        if "exceeds max_" in str(error):
            raise _too_many() from error
        raise BadClipError(f"{len(value)} bytes are not MessagePack ({error}); see CLIP_SCHEMA.md") from error
    if not isinstance(fields, dict):
        raise BadClipError(f"the message is {type(fields).__name__}, not a map of fields; see CLIP_SCHEMA.md")
    _check_nesting(fields)
    return fields


def complaint(error: str, fields: Mapping[str, Any]) -> str:
    """Return msgspec's error with the offending value beside it."""
    text, _, path = error.partition(" - at `$")
    if not path:
        return f"clip message: {text}; see CLIP_SCHEMA.md"
    value: Any = fields
    for name, row in _STEP.findall(path):
        value = value[name] if name else value[int(row)]
    return f"field {path.rstrip('`').lstrip('.')} is {_short(value)}: {text}; see CLIP_SCHEMA.md"


def _short(value: Any) -> str:  # noqa: ANN401 - whatever the message holds
    return f"{len(value)} bytes" if isinstance(value, bytes) else f"{value!r:.80}"


class _Count:
    """Counts the values of one message while it is unpacked, so that too many are refused before all are made."""

    def __init__(self) -> None:
        self._left = VALUES_MAX

    def list(self, values: list[Any]) -> list[Any]:
        """Take a list."""
        self._take(len(values))
        return values

    def distinct(self, pairs: Sequence[tuple[str | bytes, Any]]) -> dict[str, Any]:
        """Take a map; raises BadClipError where a name is no text or comes twice."""
        self._take(2 * len(pairs))
        fields: dict[str, Any] = {}
        for name, value in pairs:
            if not isinstance(name, str):
                raise BadClipError(f"field name {name!r:.80} is no text; name fields by strings")
            if name in fields:
                raise BadClipError(f"field {name!r:.80} comes twice in one map; send it once")
            fields[name] = value
        return fields

    def _take(self, values: int) -> None:
        # One more for the list or map itself: a message of nothing but empty ones has no values otherwise.
        self._left -= values + 1
        if self._left < 0:
            raise _too_many()


def _too_many() -> BadClipError:
    return BadClipError(f"the message holds more than {VALUES_MAX} values; send fewer boxes, or shorter clips")


def _check_nesting(fields: dict[str, Any]) -> None:
    level: list[Any] = [fields]
    for _ in range(NESTING_MAX):
        level = [
            inner
            for value in level
            for inner in (value.values() if isinstance(value, dict) else value)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise BadClipError(f"lists and maps lie more than {NESTING_MAX} deep in each other; send flatter fields")
