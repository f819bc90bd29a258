"""MessagePack to plain values, with limits; and words for what is wrong with them.

Nothing here knows the clip message's fields.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgpack

from biographer.state.errors import BadClipError

NESTING_MAX = 32
"""Lists and maps lie at most this deep in each other."""

_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")


def unpacked(value: bytes) -> dict[str, Any]:
    """Return the map that the bytes hold; raises BadClipError where they are not exactly one such map."""
    try:
        fields = msgpack.unpackb(value, object_pairs_hook=_distinct)
    except ValueError as error:
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


def _distinct(pairs: list[tuple[str | bytes, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if not isinstance(name, str):
            raise BadClipError(f"field name {name!r:.80} is no text; name fields by strings")
        if name in fields:
            raise BadClipError(f"field {name!r:.80} comes twice in one map; send it once")
        fields[name] = value
    return fields


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
