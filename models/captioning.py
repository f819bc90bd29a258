"""Captions of local episodes: a clip's views, lines and what was found in it, to a few sentences.

GEB and MAGIC-Video caption from frames and merge with the transcript in a second call; here one call reads both, of
the clip alone: nothing that follows it.
"""

from dataclasses import dataclass
from typing import Annotated

import msgspec

from biographer.models.chat import ChatRequest, Part, Picture, Turn
from biographer.models.chat_model import ChatModel, Filled, Unusable
from biographer.models.describing import View
from biographer.models.fence import fenced, told, wearer_named
from biographer.models.form import Form
from biographer.models.lines_shown import lines_shown, nearest, seconds
from biographer.models.prompt import Prompt
from biographer.models.words_cut import words_cut
from biographer.state.caption import Caption
from biographer.state.line import Line
from biographer.state.stretch import Stretch
from biographer.state.unwritten import Unwritten

_TOKENS_MAX = 400
_WORDS_MAX = 150


class CaptionForm(Form, frozen=True):
    """What the model fills in."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=4000)]


@dataclass(frozen=True, slots=True)
class Moment:
    """All that a local episode's caption is made from: its views in order of time, lines, and what was found in it."""

    stretch: Stretch
    views: tuple[View, ...]
    lines: tuple[Line, ...]
    found: tuple[str, ...] = ()
    """Labels, such as "2 x cup"."""


def captioning(moment: Moment, prompt: Prompt, wearer: str) -> ChatRequest:
    """Return the request; pure. Lines that end after the clip are not heard yet and are left out."""
    start_us, end_us = moment.stretch.start_us, moment.stretch.end_us
    lines = nearest((line for line in moment.lines if line.end_us <= moment.stretch.known_us), start_us, end_us)
    parts: list[Part] = [wearer_named(wearer)]
    for view in moment.views:
        parts += [f"View at {seconds(view.at_us, start_us)}:", Picture(view.file)]
    parts.append(lines_shown(lines, start_us))
    parts.append(fenced("what was found", (told(label, 60) for label in moment.found)))
    return ChatRequest(prompt, (Turn("user", tuple(parts)),), tokens_max=_TOKENS_MAX)


def captioned(stretch: Stretch, answer: Filled[CaptionForm] | Unusable) -> Caption | Unwritten:
    """Return the record of an answer; pure."""
    if isinstance(answer, Unusable):
        return Unwritten("caption", stretch, answer.author, answer.reason)
    return Caption(stretch, answer.author, words_cut(answer.form.text, _WORDS_MAX))


class Captioner:
    """Captions local episodes by one model."""

    def __init__(self, model: ChatModel, prompt: Prompt, wearer: str) -> None:
        self._model, self._prompt, self._wearer = model, prompt, wearer

    async def caption(self, moment: Moment) -> Caption | Unwritten:
        """Return what it says; raises TransientError and RefusedError as `ChatModel.fill`."""
        request = captioning(moment, self._prompt, self._wearer)
        return captioned(moment.stretch, await self._model.fill(request, CaptionForm))
