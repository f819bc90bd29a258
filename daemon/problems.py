"""What is answered where a request fails: problem details (RFC 9457), whatever the reason."""

from http import HTTPStatus
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from structlog.typing import FilteringBoundLogger

from biographer.state.errors import BadClipError, BiographerError, RefusedError, TransientError

PROBLEM_TYPE = "application/problem+json"

_RETRY_S = 1


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Why a request was not answered (RFC 9457)."""

    type: Annotated[str, Meta(description="Always about:blank: the status says of what kind it is.")] = "about:blank"
    title: Annotated[str, Meta(description="What kind of failure it is, in words.")]
    status: Annotated[int, Meta(description="The HTTP status.")]
    detail: Annotated[str, Meta(description="What was wrong, and what to do about it.")]


def problem(status: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    """Return the response that says why."""
    body = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail)
    # Lone surrogates come in by JSON escapes and can't go out as UTF-8.
    readable = msgspec.structs.replace(body, detail=detail.encode("utf-8", "replace").decode())
    return Response(msgspec.json.encode(readable), status, headers, PROBLEM_TYPE)


async def refused(_: Request, error: Exception) -> Response:
    """Answer what the framework, or we through it, refused."""
    if not isinstance(error, HTTPException):
        raise error
    return problem(error.status_code, error.detail, dict(error.headers or {}))


def failed(error: BiographerError, log: FilteringBoundLogger) -> Response:
    """Answer an error of our tree: the asker's fault, the clip's, for now, or for good.

    What is for good is the operator's to mend: the log names the files, the asker hears nothing of them.
    """
    match error:
        case RefusedError():
            return problem(400, str(error))
        case BadClipError():
            return problem(422, str(error))
        case TransientError():
            return problem(503, str(error), {"retry-after": str(_RETRY_S)})
        case _:
            log.error("request failed", reason=str(error))
            return problem(500, "the memory can't be read as it is; the daemon's log says what to mend")


def broken(error: Exception, log: FilteringBoundLogger) -> Response:
    """Answer a fault of our own without showing its insides, which the log gets."""
    log.error("request failed", exc_info=error)
    return problem(500, "an error of Biographer's own; its log says more")
