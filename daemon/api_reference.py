"""API.md: a page made from the API's own description, so that it can't say anything else."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import structlog

from biographer.daemon.access import Gate
from biographer.daemon.api import Api
from biographer.daemon.endpoint import MSGPACK, Endpoint
from biographer.daemon.health import Health
from biographer.daemon.limits import Failures
from biographer.daemon.openapi import INTRODUCTION, describe
from biographer.daemon.origins import Origins
from biographer.daemon.sessions import Sessions
from biographer.daemon.tokens import TokenBook

_HEAD = f"""\
# HTTP API

{INTRODUCTION}

`GET /openapi.json` is the same in OpenAPI 3.1. This page is made from the code: `make settings`.

**Access.** Without any token the daemon listens at this machine only and asks nobody who they are. With tokens
(`biographer token create`) every request bears one: `Authorization: Bearer bio_…`; or a browser signs in at
`POST /v1/session` and bears a cookie. A stream that a token may not see does not exist for it. Requests must ask for
the daemon by a literal address, localhost or one of `http.hosts`, and other sites' pages are refused.
`GET /healthz` tells whether the daemon lives, `GET /readyz` whether it is well (why not: admins and this machine only),
`GET /metrics` how it fares (likewise).
"""


def api_reference(endpoints: Sequence[Endpoint]) -> str:
    """Return the page, in Markdown."""
    description = describe(endpoints, "")
    parts = [_HEAD]
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            parts.append(_operation(path, method.upper(), operation))
    parts.append("\n# Records\n")
    parts += [_record(name, schema) for name, schema in sorted(description["components"]["schemas"].items())]
    return "".join(parts)


def meaning(schema: Mapping[str, Any]) -> str:
    """Return what a field means; of one that may be null, what it means otherwise."""
    kinds = [schema, *schema.get("anyOf", ())]
    return str(next((one["description"] for one in kinds if "description" in one), ""))


def _operation(path: str, method: str, operation: Mapping[str, Any]) -> str:
    role = operation.get("x-role")
    need = "No token needed." if role is None else "Any token." if role == "any" else f"Needs the role {role}."
    text = f"\n## {method} {path}\n\n{operation['summary']} {need}\n"
    body = operation.get("requestBody", {}).get("content", {})
    if body:
        text += f"\nTakes {_contents(body)}.\n"
    for status, response in operation["responses"].items():
        if status != "default":
            text += f"\nAnswers {status}{_answer(response)}.\n"
    if "x-events" in operation:
        events = ", ".join(f"`{name}` {_type(each)}" for name, each in operation["x-events"].items())
        text += f"\nEvents bear: {events}.\n"
    if operation["parameters"]:
        text += "\n| parameter | in | type | meaning |\n|---|---|---|---|\n"
        text += "".join(_parameter(one) for one in operation["parameters"])
    return text


def _answer(response: Mapping[str, Any]) -> str:
    return f" with {_contents(response['content'])}" if "content" in response else ""


def _contents(content: Mapping[str, Any]) -> str:
    kinds = [_type(each["schema"]) if each["schema"] else f"`{kind}`" for kind, each in content.items()]
    return " or ".join(dict.fromkeys(kinds)) if MSGPACK in content else " or ".join(kinds)


def _parameter(one: Mapping[str, Any]) -> str:
    place = one["in"] if one["required"] else f"{one['in']}, optional"
    default = f" Default: `{one['schema']['default']}`." if "default" in one["schema"] else ""
    return f"| `{one['name']}` | {place} | {_type(one['schema'])} | {_cell(one['description'])}{default} |\n"


def _record(name: str, schema: Mapping[str, Any]) -> str:
    text = f"\n## {name}\n\n{schema.get('description', '')}\n\n"
    if "enum" in schema:
        return f"{text}One of {_type(schema)}.\n"
    rows = schema.get("properties", {}).items()
    return f"{text}| field | type | meaning |\n|---|---|---|\n" + "".join(
        f"| `{field}` | {_type(one)} | {_cell(meaning(one))} |\n" for field, one in rows
    )


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(f"`{one}`" for one in schema["enum"])
    if "prefixItems" in schema:
        return f"list of {len(schema['prefixItems'])} {_type(schema['prefixItems'][0])}s"
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type") or "any") + _range(schema)


def _range(schema: Mapping[str, Any]) -> str:
    bounds = [("minimum", ">="), ("exclusiveMinimum", ">"), ("maximum", "<=")]
    found = [f"{sign} {schema[name]:g}" for name, sign in bounds if name in schema]
    return f" {', '.join(found)}" if found else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def api_page() -> str:
    """Return the page of the API as it is; nothing is opened or served for it."""
    nowhere = Path("nowhere")
    gate = Gate(TokenBook(nowhere), Sessions(_still, bytes), Failures(_still), lambda: 0)
    api = Api(nowhere, gate, Origins(), Health(), bytes, 0, _still, structlog.get_logger())
    try:
        return api_reference(api.endpoints)
    finally:
        api.close()


def _still() -> float:
    return 0.0
