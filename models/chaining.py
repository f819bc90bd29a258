"""Chains, extended by each closing window: facts about the topics that it names, and steps of events.

MAGIC-Video reads the whole video top-down for each chain. Here one call a window sees the window's texts, the topics
named in it, and the events that are still open, so that it costs the same on the last day as on the first; what is
open, and for how long, is the caller's to say, by what was known at the window's close.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Annotated

import msgspec

from biographer.models.chat import ChatRequest, Turn
from biographer.models.chat_model import ChatModel, Filled, Unusable
from biographer.models.fence import fenced, told, wearer_named
from biographer.models.form import Form
from biographer.models.prompt import Prompt
from biographer.models.told_texts import Rows, TimedText, cited, texts_shown
from biographer.models.words_cut import words_cut
from biographer.state.chain import EventStep, TopicFact
from biographer.state.stretch import Stretch
from biographer.state.unwritten import Unwritten

MOST_TOPICS, MOST_EVENTS = 40, 20
"""Topics and open events that one request shows; the caller gives the weightiest first."""

_TOKENS_MAX = 2000

Sentence = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]


class FactForm(Form, frozen=True):
    """A fact about a topic, by its number."""

    topic: int
    text: Sentence
    rows: Rows


class StepForm(Form, frozen=True):
    """A step of an event, by its number, or of a new one."""

    event: int | None
    title: Annotated[str, msgspec.Meta(max_length=100)]
    text: Sentence
    rows: Rows


class ChainsForm(Form, frozen=True):
    """What the model fills in."""

    facts: Annotated[list[FactForm], msgspec.Meta(max_length=60)]
    steps: Annotated[list[StepForm], msgspec.Meta(max_length=30)]


@dataclass(frozen=True, slots=True)
class Chapter:
    """What chains are extended from: a window's texts, the topics named in it, and open events: number to words."""

    stretch: Stretch
    texts: tuple[TimedText, ...]
    topics: tuple[str, ...]
    events: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Extended:
    """What a window adds to chains."""

    stretch: Stretch
    facts: tuple[TopicFact, ...]
    steps: tuple[EventStep, ...]


def chaining(chapter: Chapter, prompt: Prompt, wearer: str, zone: tzinfo) -> ChatRequest:
    """Return the request; pure."""
    topics = (f"{number}. {told(topic, 80)}" for number, topic in enumerate(chapter.topics[:MOST_TOPICS], 1))
    events = (f"{number}. {told(words)}" for number, words in list(chapter.events.items())[:MOST_EVENTS])
    parts = (
        wearer_named(wearer),
        fenced("topics", topics),
        fenced("open events", events),
        texts_shown("texts", chapter.texts, zone),
    )
    return ChatRequest(prompt, (Turn("user", parts),), tokens_max=_TOKENS_MAX)


def extended(chapter: Chapter, answer: Filled[ChainsForm] | Unusable) -> Extended | Unwritten:
    """Return the records of an answer; pure. What cites no text, topic or event that was shown is left out."""
    if isinstance(answer, Unusable):
        return Unwritten("chains", chapter.stretch, answer.author, answer.reason)
    facts = (_fact(chapter, answer, form) for form in answer.form.facts)
    steps = (_step(chapter, answer, form) for form in answer.form.steps)
    kept = tuple(dict.fromkeys(fact for fact in facts if fact is not None))
    return Extended(chapter.stretch, kept, tuple(dict.fromkeys(step for step in steps if step is not None)))


class Chronicler:
    """Extends chains by one model."""

    def __init__(self, model: ChatModel, prompt: Prompt, wearer: str, zone: tzinfo) -> None:
        self._model, self._prompt, self._wearer, self._zone = model, prompt, wearer, zone

    async def extend(self, chapter: Chapter) -> Extended | Unwritten:
        """Return what it adds; raises TransientError and RefusedError as `ChatModel.fill`."""
        request = chaining(chapter, self._prompt, self._wearer, self._zone)
        return extended(chapter, await self._model.fill(request, ChainsForm))


def _fact(chapter: Chapter, answer: Filled[ChainsForm], form: FactForm) -> TopicFact | None:
    where = cited(form.rows, chapter.texts)
    if where is None or not 1 <= form.topic <= len(chapter.topics[:MOST_TOPICS]):
        return None
    topic, text = chapter.topics[form.topic - 1], words_cut(form.text, 40)
    return TopicFact(chapter.stretch, answer.author, topic, text, where.clips, where.start_us, where.end_us)


def _step(chapter: Chapter, answer: Filled[ChainsForm], form: StepForm) -> EventStep | None:
    where, title, text = cited(form.rows, chapter.texts), words_cut(form.title, 8), words_cut(form.text, 40)
    shown = list(chapter.events)[:MOST_EVENTS]
    # A number that was not shown continues nothing, and a new event without a title could never be continued.
    if where is None or (form.event not in shown if form.event is not None else not title):
        return None
    span = (where.start_us, where.end_us)
    return EventStep(chapter.stretch, answer.author, form.event, title, text, where.clips, *span)
