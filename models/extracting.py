"""Names and triples of a window, read out of its local episodes' texts (MAGIC-Video's preprocessing, its OpenIE).

Each is given with the numbers of the texts that state it, so that it has local episodes and a time; what cites no text
is dropped. The wearer goes by one name. MAGIC-Video consolidates triples over the whole recording; here those of one
key are one fact, each known from its own window on (`Triple.key`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Annotated

import msgspec

from biographer.models.chat import ChatRequest, Turn
from biographer.models.chat_model import ChatModel, Filled, Unusable
from biographer.models.fence import wearer_named
from biographer.models.form import Form, Short
from biographer.models.prompt import Prompt
from biographer.models.told_texts import Rows, TimedText, cited, texts_shown
from biographer.models.words_cut import words_cut
from biographer.state.name import Mention, NameKind, called, names_nobody
from biographer.state.stretch import Stretch
from biographer.state.triple import Triple
from biographer.state.unwritten import Unwritten

_TOKENS_MAX = 2000


class NameForm(Form, frozen=True):
    """One name."""

    name: Short
    kind: NameKind
    rows: Rows


class TripleForm(Form, frozen=True):
    """One fact."""

    subject: Short
    relation: Short
    object: Short
    rows: Rows


class FactsForm(Form, frozen=True):
    """What the model fills in."""

    names: Annotated[list[NameForm], msgspec.Meta(max_length=60)]
    triples: Annotated[list[TripleForm], msgspec.Meta(max_length=40)]


@dataclass(frozen=True, slots=True)
class Facts:
    """The names and triples of one stretch, each key once."""

    stretch: Stretch
    names: tuple[Mention, ...]
    triples: tuple[Triple, ...]


def extracting(texts: Sequence[TimedText], prompt: Prompt, wearer: str, zone: tzinfo) -> ChatRequest:
    """Return the request; pure."""
    parts = (wearer_named(wearer), texts_shown("texts", texts, zone))
    return ChatRequest(prompt, (Turn("user", parts),), tokens_max=_TOKENS_MAX)


def extracted(
    stretch: Stretch, texts: Sequence[TimedText], answer: Filled[FactsForm] | Unusable, wearer: str
) -> Facts | Unwritten:
    """Return the records of an answer; pure."""
    if isinstance(answer, Unusable):
        return Unwritten("names", stretch, answer.author, answer.reason)
    names: dict[str, Mention] = {}
    for name in answer.form.names:
        where, own = cited(name.rows, texts), called(words_cut(name.name, 8), wearer)
        if where is not None and not names_nobody(own):
            one = Mention(stretch, answer.author, own, name.kind, where.clips, where.start_us, where.end_us)
            names.setdefault(one.key, one)
    triples: dict[tuple[str, str, str], Triple] = {}
    for fact in answer.form.triples:
        where = cited(fact.rows, texts)
        subject, thing = (called(words_cut(side, 12), wearer) for side in (fact.subject, fact.object))
        if where is not None:
            relation = words_cut(fact.relation, 6)
            found = Triple(stretch, answer.author, subject, relation, thing, where.clips, where.start_us, where.end_us)
            if all(found.key) and not names_nobody(subject) and not names_nobody(thing):
                triples.setdefault(found.key, found)
    return Facts(stretch, tuple(names.values()), tuple(triples.values()))


class Extractor:
    """Reads names and triples by one model."""

    def __init__(self, model: ChatModel, prompt: Prompt, wearer: str, zone: tzinfo) -> None:
        self._model, self._prompt, self._wearer, self._zone = model, prompt, wearer, zone

    async def extract(self, stretch: Stretch, texts: Sequence[TimedText]) -> Facts | Unwritten:
        """Return what it finds; raises TransientError and RefusedError as `ChatModel.fill`."""
        request = extracting(texts, self._prompt, self._wearer, self._zone)
        return extracted(stretch, texts, await self._model.fill(request, FactsForm), self._wearer)
