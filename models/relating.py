"""Relations of a clip for the entity scene graph, read out of its caption, lines and subjects (EGAgent appendix C, F).

EGAgent has the model annotate times; here a relation's time is that of the rows it cites. The numbered subjects are the
bridge that the paper lacks: a cited one ties the relation to an observation, and so to an entity.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Annotated

import msgspec

from biographer.models.chat import ChatRequest, Turn
from biographer.models.chat_model import ChatModel, Filled, Unusable
from biographer.models.fence import fenced, told, wearer_named
from biographer.models.form import Form, Short
from biographer.models.prompt import Prompt
from biographer.models.told_texts import Rows, TimedText, cited, texts_shown
from biographer.models.words_cut import words_cut
from biographer.state.name import called, names_nobody
from biographer.state.relation import Party, PartyKind, Relation, RelationKind
from biographer.state.stretch import Stretch
from biographer.state.unwritten import Unwritten

_TOKENS_MAX = 1500
_MOST_SUBJECTS = 80


class RelationForm(Form, frozen=True):
    """One relation."""

    source: Short
    source_kind: PartyKind
    source_subject: int | None
    relation: RelationKind
    target: Short
    target_kind: PartyKind
    target_subject: int | None
    rows: Rows
    evidence: Annotated[str, msgspec.Meta(max_length=400)]


class RelationsForm(Form, frozen=True):
    """What the model fills in."""

    relations: Annotated[list[RelationForm], msgspec.Meta(max_length=40)]


@dataclass(frozen=True, slots=True)
class Scene:
    """What relations are read from: rows with times, and the clip's subjects: track to label or name.

    All of it is known by the end of the clip: a name that was learned later would be known too early here.
    """

    stretch: Stretch
    rows: tuple[TimedText, ...]
    subjects: Mapping[int, str]


def relating(scene: Scene, prompt: Prompt, wearer: str, zone: tzinfo) -> ChatRequest:
    """Return the request; pure. Subjects are shown by their track numbers, the first 80 of them."""
    tracks = sorted(scene.subjects)[:_MOST_SUBJECTS]
    parts = (
        wearer_named(wearer),
        texts_shown("rows", scene.rows, zone),
        fenced("subjects", (f"{track}. {told(scene.subjects[track], 80)}" for track in tracks)),
    )
    return ChatRequest(prompt, (Turn("user", parts),), tokens_max=_TOKENS_MAX)


def related(scene: Scene, answer: Filled[RelationsForm] | Unusable, wearer: str) -> tuple[Relation, ...] | Unwritten:
    """Return the records of an answer, each pair and kind once; pure. What cites no row is left out."""
    if isinstance(answer, Unusable):
        return Unwritten("relations", scene.stretch, answer.author, answer.reason)
    found: dict[tuple[Party, RelationKind, Party], Relation] = {}
    for form in answer.form.relations:
        where = cited(form.rows, scene.rows)
        source = _party(form.source, form.source_kind, form.source_subject, scene, wearer)
        target = _party(form.target, form.target_kind, form.target_subject, scene, wearer)
        if where is None or not source.key or not target.key or _one(source, target):
            continue
        span = (where.start_us, where.end_us)
        one = Relation(scene.stretch, answer.author, source, form.relation, target, *span, words_cut(form.evidence, 16))
        found.setdefault((_compared(source), one.kind, _compared(target)), one)
    return tuple(found.values())


class Relater:
    """Reads relations by one model."""

    def __init__(self, model: ChatModel, prompt: Prompt, wearer: str, zone: tzinfo) -> None:
        self._model, self._prompt, self._wearer, self._zone = model, prompt, wearer, zone

    async def relate(self, scene: Scene) -> tuple[Relation, ...] | Unwritten:
        """Return what it finds; raises TransientError and RefusedError as `ChatModel.fill`."""
        request = relating(scene, self._prompt, self._wearer, self._zone)
        return related(scene, await self._model.fill(request, RelationsForm), self._wearer)


def rows_of(caption: TimedText | None, lines: Sequence[TimedText]) -> tuple[TimedText, ...]:
    """Return the rows of a scene: the caption, where there is one, then the lines."""
    return (*([caption] if caption is not None else []), *lines)


def _one(source: Party, target: Party) -> bool:
    """Whether both ends are the same: two cups are two where the model points at both."""
    return source.key == target.key and source.track == target.track


def _compared(party: Party) -> Party:
    return Party(party.key, party.kind, party.track)


def _party(name: str, kind: PartyKind, subject: int | None, scene: Scene, wearer: str) -> Party:
    """Return an end of a relation; without a key where it is nothing. A person without a name is called a person."""
    own = called(words_cut(name, 8), wearer)
    if names_nobody(own):
        own = PartyKind.PERSON.value if kind is PartyKind.PERSON else ""
    # The wearer holds the camera: nothing that it sees is the wearer as a whole.
    track = subject if subject in scene.subjects and own != wearer else None
    return Party(own, kind, track)
