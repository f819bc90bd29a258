"""The judge: which of a round's items bear on the question, and why (EGAgent's analyzer)."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from biographer.daemon.unit_names import unit_name
from biographer.models.form import Form
from biographer.state.query import Item, Unit


class Relevant(Form, frozen=True, kw_only=True):
    """One item that bears on the question."""

    id: Annotated[str, Meta(max_length=20, description="The item's name as it stands in brackets, such as o12.")]
    why: Annotated[str, Meta(max_length=400, description="What it tells about the question, in one short sentence.")]


class Judgement(Form, frozen=True, kw_only=True):
    """The items that bear on the question; all others are dropped."""

    relevant: Annotated[tuple[Relevant, ...], Meta(max_length=64)]


def notes_of(judgement: Judgement, items: Sequence[Item]) -> dict[Unit, str]:
    """Return the notes by item; names that are none of the items' count for nothing."""
    named = {unit_name(one.unit): one.unit for one in items}
    return {named[one.id]: one.why for one in judgement.relevant if one.id in named}
