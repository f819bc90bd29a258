"""An endpoint of the API, declared once: its types are what is checked, answered and described in OpenAPI.

Here is how a request becomes the typed values of an endpoint, and a typed answer bytes; what it means is elsewhere.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin
from urllib.parse import unquote

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from biographer.daemon.access import Principal
from biographer.daemon.tokens import Role

P_co = TypeVar("P_co", covariant=True)
B_co = TypeVar("B_co", covariant=True)

JSON, MSGPACK = "application/json", "application/msgpack"


class Nothing(msgspec.Struct, frozen=True):
    """No parameters, or no body."""


@dataclass(frozen=True, slots=True)
class Asked(Generic[P_co, B_co]):
    """A request that was let in and understood."""

    principal: Principal
    params: P_co
    body: B_co
    request: Request


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One path and method. `role` None asks nobody who they are, any asks no more than that.

    `media` names the media types of what is answered where that is no record; `events` has the records of those that
    are sent as events, by their names.
    `params` has a field for each name in the path, and the rest are the query's. `takes` are the media types of bodies
    that the endpoint reads for itself.
    """

    name: str
    method: str
    path: str
    summary: str
    role: Role | Literal["any"] | None
    answer: Callable[[Asked[Any, Any]], Awaitable[msgspec.Struct | Response]]
    params: type[msgspec.Struct] = Nothing
    body: type[msgspec.Struct] = Nothing
    body_max: int = 0
    takes: tuple[str, ...] = ()
    result: type[msgspec.Struct] | None = None
    media: tuple[str, ...] = ()
    events: Mapping[str, type[msgspec.Struct]] = field(default_factory=dict)
    status: int = 200

    @property
    def in_path(self) -> tuple[str, ...]:
        """The names of the fields that stand in the path."""
        return tuple(re.findall(r"{(\w+)}", self.path))


def read_params(endpoint: Endpoint, request: Request) -> msgspec.Struct:
    """Return path and query as typed values; refuses with 400 what is unknown, doubled or out of range."""
    known = {field.encode_name: field for field in msgspec.structs.fields(endpoint.params)}
    # The path comes as it was sent, so that a name may hold what would otherwise part it.
    values: dict[str, Any] = {name: _unquoted(request.path_params[name]) for name in endpoint.in_path}
    queried = set(known) - set(values)
    for name in request.query_params:
        if name not in queried:
            told = ", ".join(sorted(queried)) or "none"
            raise HTTPException(400, f"query parameter {name!r:.60} is unknown; known: {told}")
        given = request.query_params.getlist(name)
        if get_origin(known[name].type) is tuple:
            values[name] = given
        elif len(given) > 1:
            raise HTTPException(400, f"query parameter {name!r} is given {len(given)} times; give it once")
        else:
            values[name] = given[0]
    try:
        return msgspec.convert(values, endpoint.params, strict=False)
    except msgspec.ValidationError as error:
        raise HTTPException(400, f"parameters: {error}") from error


def read_body(endpoint: Endpoint, content: bytes, media_type: str) -> msgspec.Struct:
    """Return a typed body, of JSON or MessagePack; refuses with 415 other types and with 400 what does not fit."""
    try:
        if media_type == JSON:
            return msgspec.json.decode(content, type=endpoint.body)
        if media_type == MSGPACK:
            return msgspec.msgpack.decode(content, type=endpoint.body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise HTTPException(400, f"body: {error}") from error
    raise HTTPException(415, f"content-type {media_type!r:.60} is not taken here; send {JSON} or {MSGPACK}")


def written(answer: msgspec.Struct, status: int, accept: str) -> Response:
    """Return a record as MessagePack where that is asked for by name, else as JSON."""
    if MSGPACK in accept:
        return Response(msgspec.msgpack.encode(answer), status, media_type=MSGPACK)
    return Response(msgspec.json.encode(answer), status, media_type=JSON)


def media_type_of(headers: Mapping[str, str]) -> str:
    """Return the media type of a body, without its parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def is_required(field: msgspec.structs.FieldInfo) -> bool:
    """Whether a field has no default."""
    return field.default is msgspec.NODEFAULT and field.default_factory is msgspec.NODEFAULT


def is_many(field: msgspec.structs.FieldInfo) -> bool:
    """Whether a query parameter may be given several times."""
    return get_origin(field.type) is tuple and bool(get_args(field.type))


def _unquoted(text: str) -> str:
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError as error:
        raise HTTPException(400, f"path {text!r:.100} is not UTF-8; percent-encode its names as UTF-8") from error
