"""The section of the settings on language models: which endpoint plays which role, and how it is asked.

What the roles are is in `language_roles`. As in `sections`, the description of a field is its documentation.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from biographer.daemon.sections import OUTSIDE_FILES, Section
from biographer.models.language_endpoint import LanguageEndpoint
from biographer.state.name import WEARER

_ENDPOINT = LanguageEndpoint("http://127.0.0.1:8000/v1")
"""How an endpoint is asked is tuned where it is done; the defaults are taken from there."""


class Language(Section, frozen=True):
    """Language models at OpenAI-compatible endpoints; without `url` the embedded fallbacks serve."""

    url: Annotated[
        str, Meta(description="Base address of the endpoint, such as http://127.0.0.1:8000/v1; empty: none.")
    ] = ""
    model: Annotated[
        str, Meta(description="Vision-language model of all roles that read and write, unless `models` names another.")
    ] = ""
    models: Annotated[
        Mapping[str, str],
        Meta(
            description="Model by role: describer, captioner, summariser, extractor, relater, chronicler, caster, "
            "planner, controller, judge, answerer; and those that have none otherwise: text_embedder, embedder, "
            "transcriber."
        ),
    ] = {}
    urls: Annotated[
        Mapping[str, str], Meta(description="Address by role, where another server than `url` plays it.")
    ] = {}
    off: Annotated[tuple[str, ...], Meta(description="Roles that nobody plays, though `model` could.")] = ()
    key: Annotated[
        str,
        Meta(
            description="Key for `url`; taken from the environment only, never from a settings file.",
            extra=OUTSIDE_FILES,
        ),
    ] = ""
    key_file: Annotated[str, Meta(description="File whose first line is the key for `url`.")] = ""
    key_files: Annotated[
        Mapping[str, str], Meta(description="File of the key by role, for the addresses in `urls`.")
    ] = {}
    mode: Annotated[
        Literal["inline", "deferred"],
        Meta(
            description="When observations are described: inline, before association, which waits for the model; or "
            "deferred, whenever the model answers, with the lines of 40 s around."
        ),
    ] = "deferred"
    inline_s: Annotated[
        float,
        Meta(gt=0, description="Seconds that a clip waits inline for its descriptions; then it goes on without."),
    ] = 60.0
    hearing_s: Annotated[
        float,
        Meta(
            ge=0,
            description="Seconds that what is written of a clip waits for a transcriber that fails; then it is written "
            "without what was said, which is heard later all the same.",
        ),
    ] = 120.0
    quiet_s: Annotated[
        float,
        Meta(
            ge=0,
            description="Seconds without a clip after which a flush is sent to the log, by which what waits for the "
            "lines of 40 s behind it is described without them, and the windows that are open are written about as "
            "they are; 0: never.",
        ),
    ] = 60.0
    wearer: Annotated[
        str, Meta(min_length=1, max_length=40, description="The name by which texts call the wearer.")
    ] = WEARER
    spoken: Annotated[
        str, Meta(description="Language that is spoken (ISO 639-1), for the transcriber; empty: any.")
    ] = ""
    views: Annotated[
        int, Meta(ge=0, le=30, description="Most whole views that the describer is shown of a subject.")
    ] = 6
    clip_views: Annotated[int, Meta(ge=0, le=60, description="Views of a clip that the captioner is shown.")] = 8
    extra: Annotated[
        Mapping[str, Any],
        Meta(
            description='Sent with every chat as it is, such as {"chat_template_kwargs": {"enable_thinking": false}}.'
        ),
    ] = {}
    connect_s: Annotated[float, Meta(gt=0, description="Seconds that connecting may take.")] = _ENDPOINT.connect_s
    answer_s: Annotated[
        float, Meta(gt=0, description="Seconds that an answer may take, and that a stream may be silent.")
    ] = _ENDPOINT.answer_s
    concurrency: Annotated[int, Meta(ge=1, description="Requests to one endpoint at once.")] = _ENDPOINT.concurrency
    tries: Annotated[int, Meta(ge=1, description="Times that a request is sent before it waits for later.")] = (
        _ENDPOINT.tries
    )
    pause_first_s: Annotated[float, Meta(gt=0, description="First pause between tries; it doubles.")] = (
        _ENDPOINT.pause_first_s
    )
    pause_last_s: Annotated[float, Meta(gt=0, description="Longest pause between tries.")] = _ENDPOINT.pause_last_s
    breaker_failures: Annotated[
        int, Meta(ge=1, description="Failures in a row after which an endpoint is left alone.")
    ] = _ENDPOINT.breaker_failures
    breaker_pause_s: Annotated[float, Meta(gt=0, description="Seconds that it is left alone for.")] = (
        _ENDPOINT.breaker_pause_s
    )
