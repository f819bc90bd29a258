"""Fields of a clip message that this version does not know: kept on reading, put back on writing.

They are kept as a MessagePack map. Those of the message itself lie in it by name; those of single tracks and lines
lie under `tracks` and `lines` (which never name an unknown field) by row.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgpack
import msgspec

from biographer.streams.wire import WireClip, WireLine, WireTrack

_ROWS: Mapping[str, type[msgspec.Struct]] = {"tracks": WireTrack, "lines": WireLine}


def unknown(fields: Mapping[str, Any]) -> bytes:
    """Return the unknown fields of a message, b"" where there are none."""
    extra = _without(fields, WireClip)
    for name, kind in _ROWS.items():
        rows = {str(row): kept for row, inner in enumerate(fields.get(name) or ()) if (kept := _without(inner, kind))}
        if rows:
            extra[name] = rows
    return msgpack.packb(extra) if extra else b""


def merged(fields: dict[str, Any], extra: bytes) -> dict[str, Any]:
    """Return a message's fields with the unknown ones put back; known fields win."""
    kept: dict[str, Any] = msgpack.unpackb(extra) if extra else {}
    result = {**{name: value for name, value in kept.items() if name not in _ROWS}, **fields}
    for name in _ROWS.keys() & kept.keys() & fields.keys():
        result[name] = _merged_rows(fields[name], kept[name])
    return result


def _merged_rows(rows: Sequence[dict[str, Any]], kept: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**kept.get(str(number), {}), **row} for number, row in enumerate(rows)]


def _without(fields: Mapping[str, Any], kind: type[msgspec.Struct]) -> dict[str, Any]:
    known = kind.__struct_fields__
    return {name: value for name, value in fields.items() if name not in known}
