"""A chat model: one model of an endpoint that is asked in words and pictures, and answers in a form."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import msgspec

from biographer.models.chat import ChatAnswer, ChatRequest, Turn, body_of, read_answer
from biographer.models.form import Form, read_fitting_rows, read_form, schema_of
from biographer.models.language_client import LanguageClient
from biographer.models.language_fault import Fault, FaultKind
from biographer.models.spending import NOTHING_SPENT, Spending
from biographer.state.authorship import Authorship
from biographer.state.errors import TransientError

FormT = TypeVar("FormT", bound=Form)

PATH = "chat/completions"

ATTEMPTS = 3
"""Answers that are asked for until one fits the form."""


@dataclass(frozen=True, slots=True)
class Filled(Generic[FormT]):
    """A form that a model filled in, and what that took."""

    form: FormT
    author: Authorship
    spent: Spending


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why a model's answers to this one request cannot be used; asking the same again would bring the same."""

    reason: str
    author: Authorship
    spent: Spending = NOTHING_SPENT


class ChatModel:
    """One model by name. `extra` is sent with every request, for what a server wants beside the usual.

    Where the endpoint refuses a schema, the prompt asks for it in words from then on; answers are checked either way.
    """

    def __init__(self, client: LanguageClient, name: str, extra: Mapping[str, object] | None = None) -> None:
        self.name = name
        self.spent = Spending()
        self._client = client
        self._extra = dict(extra or {})
        self._takes_schemas = True
        self._schemas: dict[type[Form], Mapping[str, Any]] = {}

    async def fill(self, request: ChatRequest, form: type[FormT]) -> Filled[FormT] | Unusable:
        """Return the form filled in, or why no answer fits it after ATTEMPTS; of the last one the rows that fit serve.

        Raises TransientError where the endpoint fails for now, and RefusedError where it refuses all that we ask (key,
        model): both say nothing of this request.
        """
        asked, spent, reason, author = request, Spending(), "", self._author(request)
        for read in (*[read_form] * (ATTEMPTS - 1), read_fitting_rows):
            answer = await self._formed(asked, form)
            if isinstance(answer, Fault):
                if answer.kind is not FaultKind.REQUEST:
                    answer.raised()
                return Unusable(answer.reason, author, spent)
            spent += answer.spent
            if answer.refusal:
                return Unusable(f"the model refuses: {answer.refusal:.300}", author, spent)
            try:
                return Filled(read(answer.text, form), author, spent)
            except (msgspec.DecodeError, RecursionError) as error:
                reason = f"{error}" if answer.whole else f"it was cut after {request.tokens_max} tokens"
                asked = _asked_again(request, answer.text, reason)
        return Unusable(f"no answer of {ATTEMPTS} fits {form.__name__}: {reason}", author, spent)

    async def _formed(self, request: ChatRequest, form: type[Form]) -> ChatAnswer | Fault:
        schema = self._schemas.get(form)
        if schema is None:
            schema = self._schemas[form] = schema_of(form)
        if self._takes_schemas:
            wanted = {"name": form.__name__, "strict": True, "schema": schema}
            answer = await self._said(request, {"response_format": {"type": "json_schema", "json_schema": wanted}}, "")
            if not isinstance(answer, Fault) or answer.kind is not FaultKind.REQUEST:
                return answer
        answer = await self._said(request, {}, _in_words(schema))
        # Only where it takes the words but not the schema was the schema at fault.
        self._takes_schemas = self._takes_schemas and isinstance(answer, Fault)
        return answer

    async def _said(self, request: ChatRequest, more: Mapping[str, object], told: str) -> ChatAnswer | Fault:
        body = {**body_of(request, self.name, told=told), **more, **self._extra}
        content = await self._client.ask(PATH, body)
        if isinstance(content, Fault):
            return content
        try:
            answer = read_answer(content, self._author(request))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise TransientError(
                f"model {self.name!r} answers no chat completion: {error}; check its server"
            ) from error
        self.spent += answer.spent
        return answer

    def _author(self, request: ChatRequest) -> Authorship:
        return Authorship(self.name, request.prompt.mark)


def _in_words(schema: Mapping[str, Any]) -> str:
    return (
        "Answer with one JSON object and nothing else: no code block, no remark. It must fit this JSON schema:\n"
        + msgspec.json.encode(schema).decode()
    )


def _asked_again(request: ChatRequest, said: str, reason: str) -> ChatRequest:
    turns = (
        Turn("assistant", (said[:4000] or "(nothing)",)),
        Turn(
            "user", (f"That does not fit: {reason[:300]}. Give the whole object again, corrected, and nothing else.",)
        ),
    )
    return replace(request, turns=(*request.turns, *turns))
