"""Forms: the structured answers that models give, as msgspec structs, and how an answer is read into one.

A form's JSON schema is written without references, which not every server follows.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar, get_args, get_origin

import msgspec

FormT = TypeVar("FormT", bound="Form")

Short = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
"""In a form: a few words, and not none."""

_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_CODE = re.compile(r"\A```[a-z]*[^\S\n]*\n(.*)```\Z", re.DOTALL)
"""Each letter is taken in one way alone: an answer may be all newlines, and megabytes of them."""


class Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all forms: every field is asked for, and none beside them."""


def schema_of(form: type[Form]) -> Mapping[str, Any]:
    """Return the JSON schema of a form, self-contained; a form does not contain itself."""
    (root,), parts = msgspec.json.schema_components([form], ref_template="{name}")
    found: dict[str, Any] = _resolved(root, parts)
    return found


def read_form(text: str, form: type[FormT]) -> FormT:
    """Return the form in a model's answer, which may think aloud or write a code block first.

    Raises msgspec.DecodeError (or its ValidationError) that says what does not fit.
    """
    return msgspec.json.decode(_json_in(text), type=form)


def read_fitting_rows(text: str, form: type[FormT]) -> FormT:
    """Return the form in a model's answer without rows of its lists that do not fit: one is not to cost the others.

    Raises msgspec.DecodeError where a list has rows and none fits, or something else does not.
    """
    answer: Any = msgspec.json.decode(_json_in(text))
    for field in msgspec.structs.fields(form) if isinstance(answer, dict) else ():
        row = _row_of(field.type)
        if row is not None and isinstance(rows := answer.get(field.encode_name), list):
            answer[field.encode_name] = [one for one in rows if _fits(one, row)] or rows
    return msgspec.convert(answer, form)


def _row_of(kind: Any) -> type[Form] | None:  # noqa: ANN401 - annotations have no type of their own
    """Return the form that a field is a list of, None for any other field."""
    bare = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    if get_origin(bare) not in {list, tuple}:
        return None
    row = get_args(bare)[0]
    return row if isinstance(row, type) and issubclass(row, Form) else None


def _fits(row: object, form: type[Form]) -> bool:
    try:
        msgspec.convert(row, form)
    except msgspec.ValidationError:
        return False
    return True


def _json_in(text: str) -> str:
    bare = _THOUGHT.sub("", text).strip()
    block = _CODE.match(bare)
    bare = block.group(1).strip() if block else bare
    first, last = bare.find("{"), bare.rfind("}")
    return bare[first : last + 1] if 0 <= first < last else bare


def _resolved(part: Any, parts: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON is anything
    if isinstance(part, list):
        return [_resolved(item, parts) for item in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _resolved(parts[part["$ref"]], parts)
    resolved = {key: _resolved(value, parts) for key, value in part.items()}
    if resolved.get("type") == "object" and "properties" in resolved:
        resolved["required"] = list(resolved["properties"])
    return resolved
