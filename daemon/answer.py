"""An answer: as a model drafts it, as it is checked against evidence and snapshot, and as it is given."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from biographer.daemon.citations import checked, without
from biographer.daemon.question import Question
from biographer.daemon.working_memory import WorkingMemory
from biographer.models.form import Form
from biographer.state.query import Item
from biographer.state.view import View

EMPTY = "the model's answer was empty"
"""Why there is none where a model was asked and said nothing."""

Status: TypeAlias = Literal["answered", "unknown", "not_recorded"]


class Draft(Form, frozen=True, kw_only=True):
    """The answer, as far as the evidence carries."""

    status: Annotated[
        Status,
        Meta(description="answered; unknown: the memory does not tell; not_recorded: nothing was recorded then."),
    ]
    answer: Annotated[
        str, Meta(max_length=4000, description="The answer in words, with names like [o12] behind claims.")
    ]
    choice: Annotated[str, Meta(max_length=2, description="The option's letter, or null.")] | None = None
    citations: Annotated[
        tuple[Annotated[str, Meta(max_length=20)], ...],
        Meta(max_length=40, description="Names of the evidence that shows it, such as o12, l7 or c7; no others."),
    ] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What is given: `text` is None where no model answered, and `reason` then says why.

    Every citation exists in the snapshot and was shown; `invented` are the names that were dropped for they do not.
    """

    text: str | None
    status: Status = "unknown"
    choice: str | None = None
    citations: Mapping[str, Item] = field(default_factory=dict)
    invented: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """A draft against what is there: the answer that may be given, and the faults worth one more try."""

    answer: Answer
    faults: tuple[str, ...]


def check(draft: Draft, question: Question, memory: WorkingMemory, view: View) -> Checked:
    """Return what of a draft holds. Faults are told in our words; of the model's only names of a citation's form."""
    found = checked(view, [one.item for one in memory.kept], draft.answer, draft.citations)
    faults = []
    if found.invented:
        faults.append("it cites what was not among the evidence; cite only names that stand there in brackets")
    status = draft.status
    if status == "answered" and not found.valid:
        faults.append("it cites nothing; cite what shows it, or say that the memory does not tell")
    if status == "not_recorded" and not memory.gaps:
        status = "unknown"
    choice = (draft.choice or "").strip().upper()[:1] or None
    if question.options and (choice is None or choice not in question.letters):
        choice = None
        faults.append(f"it chooses none of the options; choose one letter of {question.letters}")
    text = without(draft.answer, found.invented)
    if not text.strip() and choice is None:
        faults.append("it is empty; say in words what the evidence tells")
        return Checked(Answer(None, reason=EMPTY), tuple(faults))
    given = Answer(text, status, choice if question.options else None, found.valid, found.invented)
    return Checked(given, tuple(faults))
