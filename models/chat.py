"""A chat as records: what a model is told and shown, and what it answered; and how both look on the wire.

Ours first, always in the same words (a server may keep its prefix); recorded text only in user turns, fenced.
"""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec

from biographer.models.prompt import Prompt
from biographer.models.spending import NOTHING_SPENT, Spending
from biographer.state.authorship import Authorship


@dataclass(frozen=True, slots=True)
class Picture:
    """A JPEG file that is shown."""

    file: bytes


Part: TypeAlias = str | Picture


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side says."""

    role: Literal["user", "assistant"]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to a model: the prompt, then turns."""

    prompt: Prompt
    turns: tuple[Turn, ...]
    tokens_max: int = 1024
    """Tokens that may be written."""
    temperature: float = 0.0

    @property
    def text(self) -> str:
        """All that is read but pictures, for counting."""
        return "\n".join(
            [self.prompt.text, *(part for turn in self.turns for part in turn.parts if isinstance(part, str))]
        )

    @property
    def pictures(self) -> int:
        """How many pictures are shown."""
        return sum(isinstance(part, Picture) for turn in self.turns for part in turn.parts)


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """What a model said. `whole` is false where it was cut by `tokens_max`."""

    text: str
    author: Authorship
    spent: Spending = NOTHING_SPENT
    whole: bool = True
    refusal: str = ""


def body_of(request: ChatRequest, model: str, *, told: str = "") -> dict[str, object]:
    """Return the request's JSON; `told` is added to the prompt."""
    system = f"{request.prompt.text}\n\n{told}" if told else request.prompt.text
    messages: list[dict[str, object]] = [{"role": "system", "content": system}]
    messages += [{"role": turn.role, "content": content_of(turn.parts)} for turn in request.turns]
    return {
        "model": model,
        "messages": messages,
        "max_tokens": request.tokens_max,
        "temperature": request.temperature,
        "seed": 0,
    }


def content_of(parts: tuple[Part, ...]) -> str | list[Mapping[str, object]]:
    """Return the parts of a turn; words alone stay a plain string, which every server takes."""
    if all(isinstance(part, str) for part in parts):
        return "\n".join(part for part in parts if isinstance(part, str))
    return [_part(part) for part in parts]


def _part(part: Part) -> Mapping[str, object]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    return {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{b64encode(part.file).decode()}"}}


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Message(msgspec.Struct, frozen=True):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct, frozen=True):
    message: _Message
    finish_reason: str | None = None


class _Completion(msgspec.Struct, frozen=True):
    choices: tuple[_Choice, ...]
    usage: _Usage | None = None


def read_answer(content: bytes, author: Authorship) -> ChatAnswer:
    """Return the answer in a response; raises msgspec.DecodeError for what is none."""
    completion = msgspec.json.decode(content, type=_Completion)
    if not completion.choices:
        raise msgspec.DecodeError("it has no choices")
    first = completion.choices[0]
    whole, refusal = first.finish_reason != "length", first.message.refusal or ""
    return ChatAnswer(first.message.content or "", author, _spending(completion.usage, 1), whole=whole, refusal=refusal)


def _spending(usage: _Usage | None, requests: int) -> Spending:
    usage = usage or _Usage()
    return Spending(requests, usage.prompt_tokens, usage.completion_tokens)
