"""SETTINGS.md: a page made from the settings themselves, so that it can't say anything else."""

from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from biographer.daemon.settings import PREFIX, Settings, description

_HEAD = f"""\
# Settings

`biographer serve --config biographer.toml` reads these once, at start. Each can also be given as an environment
variable, `{PREFIX}<SECTION>_<NAME>`, which goes before the file; lists there are separated by commas, tables are JSON.
Unknown names and bad values are refused, all at once. This page is made from the code: `make settings`.
"""


def settings_reference() -> str:
    """Return the page, in Markdown."""
    parts = [_HEAD]
    for section in msgspec.structs.fields(Settings):
        parts.append(f"\n## [{section.name}]\n\n{_first_line(section.type)}\n\n")
        parts.append("| setting | type | default | meaning |\n|---|---|---|---|\n")
        parts += [_row(field) for field in msgspec.structs.fields(section.type)]
    return "".join(parts)


def _row(field: msgspec.structs.FieldInfo) -> str:
    return f"| `{field.name}` | {_type_name(field.type)} | `{_default(field.default)}` | {description(field)} |\n"


def _first_line(kind: type[Any]) -> str:
    return (kind.__doc__ or "").splitlines()[0]


def _type_name(kind: object) -> str:
    if get_origin(kind) is Annotated:
        inner, *metas = get_args(kind)
        return _type_name(inner) + "".join(_range(meta) for meta in metas if isinstance(meta, msgspec.Meta))
    if get_origin(kind) is Literal:
        return " or ".join(f"`{choice}`" for choice in get_args(kind))
    if get_origin(kind) is tuple:
        return "list of text"
    names: dict[object, str] = {str: "text", int: "whole number", float: "number", bool: "true or false"}
    return names.get(kind, "table")


def _range(meta: msgspec.Meta) -> str:
    bounds = [(">=", meta.ge), (">", meta.gt), ("<=", meta.le), ("<", meta.lt)]
    return "".join(f", {sign} {bound:g}" for sign, bound in bounds if bound is not None)


def _default(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return f'"{value}"'
    return str(list(value)) if isinstance(value, tuple) else "{}" if not isinstance(value, int) else str(value)
