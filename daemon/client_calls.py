"""The calls of the HTTP API as a client makes them: path, question and reading of the answer. Nothing is sent.

Questions and answers are the types that the daemon itself checks and encodes, so the two can't drift apart.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import msgspec

from biographer.daemon import api_queries as queries
from biographer.daemon import api_records as records
from biographer.daemon.api_clip_records import ClipDetail, ClipPage, EpisodePage
from biographer.daemon.api_entity_records import Biography, EntityPage, ObservationPage
from biographer.daemon.api_graph_records import Graph
from biographer.daemon.api_search_records import Between, SearchQuery, SearchResult
from biographer.daemon.client_call import Answer, Ask, Call, ListChains, ListEntities, ListSpan, Moment, Pixels, Ready
from biographer.state.errors import FatalError, RefusedError

if TYPE_CHECKING:
    from biographer.daemon.api_ask_records import AskResult

MSGPACK = "application/msgpack"

T = TypeVar("T")
R = TypeVar("R", bound=msgspec.Struct)

_STREAM = "/v1/streams/{stream}"
_ANSWER_S = 600.0
"""Several rounds of a language model; the daemon's own bound is lower."""


def streams(as_of: Moment | None = None) -> Call[records.StreamList]:
    """List the streams that one may see."""
    return get("/v1/streams", queries.AtTime(as_of=time_text(as_of)), records.StreamList)


def stream(name: str, as_of: Moment | None = None) -> Call[records.StreamRecord]:
    """Ask for one stream in numbers."""
    return get(_STREAM, queries.OfStream(stream=name, as_of=time_text(as_of)), records.StreamRecord)


def entities(stream: str, asked: ListEntities, cursor: str | None = None) -> Call[EntityPage]:
    """List entities, as many a page as there may be."""
    params = queries.OfEntities(stream=stream, limit=queries.PAGE_MAX, cursor=cursor, **timed(asked))
    return get(f"{_STREAM}/entities", params, EntityPage)


def biography(stream: str, entity: str, as_of: Moment | None, cursor: str | None = None) -> Call[Biography]:
    """Ask for a page of an entity's biography."""
    params = queries.OfEntity(
        stream=stream, entity=entity, as_of=time_text(as_of), limit=queries.PAGE_MAX, cursor=cursor
    )
    return get(f"{_STREAM}/entities/{{entity}}", params, Biography)


def joined(pages: Sequence[Biography]) -> Biography:
    """Return the pages of one biography as a whole."""
    observations = tuple(one for page in pages for one in page.observations)
    return msgspec.structs.replace(pages[0], observations=observations, next=None)


def observation(stream: str, observation: str, as_of: Moment | None) -> Call[ObservationPage]:
    """Ask for one observation with its trail."""
    params = queries.OfObservation(stream=stream, observation=observation, as_of=time_text(as_of))
    return get(f"{_STREAM}/observations/{{observation}}", params, ObservationPage)


def episodes(stream: str, scale: str, asked: ListSpan, cursor: str | None = None) -> Call[EpisodePage]:
    """List episodes of a scale in order of time."""
    params = spanned(queries.OfEpisodes, stream=stream, scale=scale, limit=queries.PAGE_MAX, cursor=cursor, asked=asked)
    return get(f"{_STREAM}/episodes", params, EpisodePage)


def clips(stream: str, name: str | None, asked: ListSpan, cursor: str | None = None) -> Call[ClipPage]:
    """List clips in order of time."""
    params = spanned(queries.OfClips, stream=stream, name=name, limit=queries.PAGE_MAX, cursor=cursor, asked=asked)
    return get(f"{_STREAM}/clips", params, ClipPage)


def clip(stream: str, clip: str, as_of: Moment | None) -> Call[ClipDetail]:
    """Ask for one clip with its lines and observations."""
    params = queries.OfClip(stream=stream, clip=clip, as_of=time_text(as_of))
    return get(f"{_STREAM}/clips/{{clip}}", params, ClipDetail)


def graph(stream: str, node: str, hops: int, limit: int, as_of: Moment | None) -> Call[Graph]:
    """Ask for a node's surroundings."""
    params = queries.OfNode(stream=stream, node=node, hops=hops, limit=limit, as_of=time_text(as_of))
    return get(f"{_STREAM}/graph/{{node}}", params, Graph)


def frame(stream: str, clip: str, at: Moment | None, side: int, as_of: Moment | None) -> Call[Pixels]:
    """Ask for the frame that was on show at a time."""
    params = queries.OfFrame(stream=stream, clip=clip, at=time_text(at), side=side, as_of=time_text(as_of))
    return _pixels(f"{_STREAM}/clips/{{clip}}/frame", params)


def video(stream: str, clip: str, first: int, last: int | None, as_of: Moment | None) -> Call[Pixels]:
    """Ask for a clip's file, or its bytes from `first` to `last`."""
    params = queries.OfClip(stream=stream, clip=clip, as_of=time_text(as_of))
    whole = first == 0 and last is None
    headers = {} if whole else {"range": f"bytes={first}-{'' if last is None else last}"}
    return _pixels(f"{_STREAM}/clips/{{clip}}/video", params, headers)


def crop(stream: str, observation: str, n: int, as_of: Moment | None) -> Call[Pixels]:
    """Ask for one picture of an observation."""
    params = queries.OfCrop(stream=stream, observation=observation, n=n, as_of=time_text(as_of))
    return _pixels(f"{_STREAM}/observations/{{observation}}/crop/{{n}}", params)


def search(stream: str, text: str, asked: Ask) -> Call[SearchResult]:
    """Ask for evidence."""
    filters: dict[str, Any] = {**asked, "as_of": time_text(asked.get("as_of"))}
    if (span := asked.get("between")) is not None:
        filters["between"] = Between(begin=time_text(span[0]) or "", until=time_text(span[1]) or "")
    query = _checked(SearchQuery, {"text": text, **filters})
    path = _filled(f"{_STREAM}/search", {"stream": stream})
    return Call("POST", path, _record(SearchResult), body=msgspec.msgpack.encode(query), headers=_typed(MSGPACK))


def ask(stream: str, text: str, options: Sequence[str], as_of: Moment | None) -> "Call[AskResult]":
    """Ask for an answer in words."""
    # The records of answers bring the question loop along, which who only searches need not load.
    from biographer.daemon.api_ask_records import AskQuery, AskResult  # noqa: PLC0415

    query = _checked(AskQuery, {"text": text, "options": list(options), "as_of": time_text(as_of)})
    path, body = _filled(f"{_STREAM}/ask", {"stream": stream}), msgspec.msgpack.encode(query)
    return Call("POST", path, _record(AskResult), body=body, headers=_typed(MSGPACK), timeout_s=_ANSWER_S)


def upload(stream: str, message: bytes) -> Call[records.Accepted]:
    """Send a clip message in MessagePack (CLIP_SCHEMA.md)."""
    path = _filled(f"{_STREAM}/clips", {"stream": stream})
    return Call("POST", path, _record(records.Accepted), body=message, headers=_typed(MSGPACK))


def upload_video(
    stream: str, clip: str, start: Moment, content: bytes, media_type: str, duration_s: float | None
) -> Call[records.Accepted]:
    """Send a video alone, under the clip's name and with the time of its first frame."""
    params = queries.OfUpload(stream=stream, clip=clip, start=time_text(start), duration_s=duration_s)
    path, query = _placed(f"{_STREAM}/clips", params)
    return Call("POST", path, _record(records.Accepted), query, content, _typed(media_type))


def who() -> Call[records.Who]:
    """Ask who one is to the daemon."""
    return Call("GET", "/v1/session", _record(records.Who))


def ready() -> Call[Ready]:
    """Ask how the daemon is; 503 is an answer here."""
    return Call("GET", "/readyz", lambda answer: _decoded(answer, Ready))


def metrics() -> Call[str]:
    """Ask for the metrics in Prometheus' text format."""
    return Call("GET", "/metrics", lambda answer: answer.content.decode())


def description() -> Call[dict[str, Any]]:
    """Ask for the API's own description, OpenAPI 3.1."""
    return Call("GET", "/openapi.json", lambda answer: _decoded(answer, dict[str, Any]))


def events_path(stream: str) -> str:
    """Return where a stream's events are had."""
    return _filled(f"{_STREAM}/events", {"stream": stream})


def get(path: str, params: msgspec.Struct, result: type[R]) -> Call[R]:
    """Return a read of a record; raises RefusedError for parameters that the daemon would not take."""
    filled, query = _placed(path, params)
    return Call("GET", filled, _record(result), query, headers={"accept": MSGPACK})


def post(path: str, params: msgspec.Struct, result: type[R], body: msgspec.Struct | None = None) -> Call[R]:
    """Return a call that changes something; raises RefusedError for what the daemon would not take."""
    filled, query = _placed(path, params)
    if body is None:
        return Call("POST", filled, _record(result), query, headers={"accept": MSGPACK})
    content = msgspec.msgpack.encode(_checked(type(body), msgspec.to_builtins(body)))
    return Call("POST", filled, _record(result), query, content, _typed(MSGPACK))


def _pixels(path: str, params: msgspec.Struct, headers: Mapping[str, str] | None = None) -> Call[Pixels]:
    filled, query = _placed(path, params)

    def read(answer: Answer) -> Pixels:
        return Pixels(answer.content, answer.headers.get("content-type", ""), answer.headers.get("x-frame-time"))

    return Call("GET", filled, read, query, headers=headers or {})


def _record(result: type[R]) -> Callable[[Answer], R]:
    return lambda answer: _decoded(answer, result)


def _decoded(answer: Answer, kind: type[T]) -> T:
    try:
        if MSGPACK in answer.headers.get("content-type", ""):
            return msgspec.msgpack.decode(answer.content, type=kind)
        return msgspec.json.decode(answer.content, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        name = getattr(kind, "__name__", str(kind))
        raise FatalError(f"the answer is no {name} ({error}); use a client and a daemon of one version") from error


def _placed(path: str, params: msgspec.Struct) -> tuple[str, dict[str, str]]:
    """Return the path with its names filled in, and the rest as a query."""
    given = msgspec.to_builtins(_checked(type(params), msgspec.to_builtins(params)))
    inside = {name: str(value) for name, value in given.items() if f"{{{name}}}" in path}
    query = {name: str(value) for name, value in given.items() if name not in inside and value is not None}
    return _filled(path, inside), query


def _filled(path: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        # A name of dots alone would be taken for a way up.
        quoted = quote(value, safe="").replace(".", "%2E")
        path = path.replace(f"{{{name}}}", quoted)
    return path


def spanned(kind: type[R], /, *, asked: ListSpan, **rest: Any) -> R:  # noqa: ANN401 - fields of `kind`, checked below
    """Return a question that is bounded in time; raises RefusedError for what the daemon would not take."""
    named = {
        "from": time_text(asked.get("begin")),
        "to": time_text(asked.get("until")),
        "as_of": time_text(asked.get("as_of")),
    }
    return _checked(kind, {**named, **rest})


def _checked(kind: type[R], values: Mapping[str, Any]) -> R:
    """Return a question that the daemon would take; raises RefusedError, before anything is sent."""
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise RefusedError(f"{error}; API.md says what may be asked") from error


def timed(asked: ListEntities | ListChains) -> Any:  # noqa: ANN401 - fields of a question, which checks them
    """Return filters with their time as text."""
    return {**asked, "as_of": time_text(asked.get("as_of"))}


def time_text(moment: Moment | None) -> str | None:
    """Return a time as text; raises RefusedError for one without an offset."""
    if moment is None or isinstance(moment, str):
        return moment
    if moment.tzinfo is None:
        raise RefusedError(f"{moment!r} has no offset; give it a time zone, such as datetime.UTC")
    return moment.isoformat()


def _typed(media_type: str) -> dict[str, str]:
    return {"content-type": media_type, "accept": MSGPACK}
