"""The smallest content that fits a JSON schema: what a language endpoint without a model fills forms in with."""

from collections.abc import Callable, Mapping
from typing import Any

_PLAIN: Mapping[str, Any] = {"boolean": False, "number": 0.0, "null": None}


def smallest(schema: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON is anything
    """Return it: first choices, least numbers, and lists and texts as short as is allowed."""
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return smallest(min(schema["anyOf"], key=lambda one: one.get("type") != "null"))
    kind = schema.get("type", "null")
    return _BY_TYPE[kind](schema) if kind in _BY_TYPE else _PLAIN[kind]


_BY_TYPE: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "object": lambda schema: {name: smallest(part) for name, part in schema.get("properties", {}).items()},
    "array": lambda schema: [smallest(schema["items"]) for _ in range(schema.get("minItems", 0))],
    "string": lambda schema: "x" * schema.get("minLength", 0),
    "integer": lambda schema: schema.get("minimum", 0),
}
