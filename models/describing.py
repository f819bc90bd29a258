"""Grounded description: one observation's pictures and the lines around it to a Description (GEB section 3.3).

One call an observation. What the paper returns as times of lines the model gives here as numbers of the lines shown,
which can be checked; an action without evidence is dropped, and a person is never named by a speaker's name.
"""

from dataclasses import dataclass
from typing import Annotated

import msgspec

from biographer.models.chat import ChatRequest, Part, Picture, Turn
from biographer.models.chat_model import ChatModel, Filled, Unusable
from biographer.models.fence import told
from biographer.models.form import Form
from biographer.models.lines_shown import lines_shown, nearest, seconds
from biographer.models.prompt import Prompt
from biographer.models.words_cut import words_cut
from biographer.state.agenda import REACH_US
from biographer.state.authorship import Authorship
from biographer.state.description import Confidence, Description, Mode, Undescribable
from biographer.state.line import Line
from biographer.state.observation import Observation
from biographer.state.times import SECOND_US

_TOKENS_MAX = 700
_NO_EVIDENCE = frozenset({"", "none", "n/a", "no", "null"})

Text = Annotated[str, msgspec.Meta(max_length=1500)]


class DescriptionForm(Form, frozen=True):
    """What the model fills in; the prompt explains each."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    is_person: bool
    appearance: Text
    location: Text
    action: Text
    action_evidence: Text
    event: Text
    summary: Annotated[str, msgspec.Meta(min_length=1, max_length=1500)]
    mark: Text
    lasting: Text
    lines_used: list[int]
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class View:
    """A whole view (JPEG) at one moment, with the subject framed."""

    at_us: int
    file: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Encounter:
    """All that a description is made from; two equal ones make the same request.

    `crops` are JPEG files in order of time. `lines` are those that `lines_around` gave; `known_us` is the end of the
    latest input: the clip's end inline, the watermark at which the lines were complete where deferred.
    """

    clip: str
    observation: Observation
    crops: tuple[bytes, ...]
    views: tuple[View, ...]
    lines: tuple[Line, ...]
    known_us: int
    mode: Mode


def lines_around(lines: tuple[Line, ...], observation: Observation, known_us: int, mode: Mode) -> tuple[Line, ...]:
    """Return the lines that a description may read, of those given; `known_us` is that of its clip.

    Inline none that ends after the clip, for then nobody has heard it yet; deferred within 40 s on both sides.
    """
    start_us, end_us = observation.start_us - REACH_US, observation.end_us + REACH_US
    around = [line for line in lines if line.end_us >= start_us and line.start_us <= end_us]
    if mode is Mode.INLINE:
        around = [line for line in around if line.end_us <= known_us]
    return nearest(around, observation.start_us, observation.end_us)


def describing(encounter: Encounter, prompt: Prompt) -> ChatRequest:
    """Return the request; pure."""
    seen = encounter.observation
    span = f"in view for {(seen.end_us - seen.start_us) / SECOND_US:.1f} s from time 0 on"
    parts: list[Part] = [f"A detector took the subject for: {told(seen.label, 60)} (it may be wrong). It is {span}."]
    for number, file in enumerate(encounter.crops, 1):
        parts += [f"Picture {number}, close:", Picture(file)]
    for number, view in enumerate(encounter.views, 1):
        parts += [
            f"View {number}, {seconds(view.at_us, seen.start_us)}, the subject in a red frame:",
            Picture(view.file),
        ]
    parts.append(lines_shown(encounter.lines, seen.start_us))
    return ChatRequest(prompt, (Turn("user", tuple(parts)),), tokens_max=_TOKENS_MAX)


def described(encounter: Encounter, answer: Filled[DescriptionForm] | Unusable) -> Description | Undescribable:
    """Return the record of an answer; pure."""
    key = (encounter.clip, encounter.observation.track, encounter.known_us, encounter.mode, answer.author)
    if isinstance(answer, Unusable):
        return Undescribable(*key, answer.reason)
    form = answer.form
    action_evidence = words_cut(form.action_evidence, 20)
    if action_evidence.casefold().strip(" .") in _NO_EVIDENCE:
        action_evidence = ""
    return Description(
        *key,
        name=_nameless(words_cut(form.name, 5), form, encounter),
        is_person=form.is_person,
        appearance=words_cut(form.appearance, 15),
        location=words_cut(form.location, 20),
        action=words_cut(form.action, 20) if action_evidence else "",
        action_evidence=action_evidence,
        event=words_cut(form.event, 50),
        summary=words_cut(form.summary, 90),
        mark=words_cut(form.mark, 20),
        lasting=words_cut(form.lasting, 40),
        sources=_sources(form.lines_used, encounter.lines),
        confidence=form.confidence,
    )


class GroundedDescriber:
    """Describes encounters by one vision-language model."""

    def __init__(self, model: ChatModel, prompt: Prompt) -> None:
        self._model, self._prompt = model, prompt

    async def describe(self, encounter: Encounter) -> Description | Undescribable:
        """Return what it says; raises TransientError and RefusedError as `ChatModel.fill`, to be asked again later.

        Without any picture nothing is asked: of lines alone a model would describe what it never saw.
        """
        if not encounter.crops and not encounter.views:
            author = Authorship(self._model.name, self._prompt.mark)
            return described(encounter, Unusable("no picture of it was kept", author))
        return described(encounter, await self._model.fill(describing(encounter, self._prompt), DescriptionForm))


def _sources(numbers: list[int], lines: tuple[Line, ...]) -> tuple[tuple[int, int], ...]:
    """Return the spans of the lines that exist under these numbers, in order."""
    used = sorted({number for number in numbers if 1 <= number <= len(lines)})
    return tuple((lines[number - 1].start_us, lines[number - 1].end_us) for number in used)


def _nameless(name: str, form: DescriptionForm, encounter: Encounter) -> str:
    """Return the name, or what a person looks like where the model used the name of somebody who spoke."""
    words = set(name.casefold().split())
    speakers = {word for line in encounter.lines if line.speaker for word in line.speaker.casefold().split()}
    if form.is_person and words & (speakers - {"person", "man", "woman", "child", "the", "a"}):
        return "person"
    return name
