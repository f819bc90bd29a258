"""The controller: after each round it searches again, or says that there is enough to answer (MAGIC-Video, GEB)."""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from biographer.daemon.tools import Arguments, Toolbox
from biographer.models.form import Form


class Decision(Form, frozen=True, kw_only=True):
    """What to do next: search for what is missing, or answer."""

    missing: Annotated[str, Meta(max_length=600, description="What the evidence does not tell yet; empty if nothing.")]
    action: Literal["search", "answer"]
    searches: Annotated[Sequence[Arguments], Meta(max_length=4)] = ()


def decision_type(toolbox: Toolbox, most: int) -> type[Decision]:
    """Return the record of a decision whose searches are calls of the tools that there are."""
    return toolbox.form(Decision, most, "Searches for what is missing; none when answering.", ())
