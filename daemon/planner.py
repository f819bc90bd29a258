"""The planner: splits a question into steps and names the first searches (EGAgent's planning agent)."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from biographer.daemon.tools import Arguments, Toolbox
from biographer.models.form import Form

Step = Annotated[str, Meta(max_length=500, description="One thing to find out.")]


class Plan(Form, frozen=True, kw_only=True):
    """How to go about a question: what is to be found out, in order, and what to search for first."""

    steps: Annotated[tuple[Step, ...], Meta(max_length=6, description="What to find out, in order; few.")]
    searches: Annotated[Sequence[Arguments], Meta(max_length=4)] = ()


def plan_type(toolbox: Toolbox, most: int) -> type[Plan]:
    """Return the record of a plan whose searches are calls of the tools that there are."""
    return toolbox.form(Plan, most, "What to search for first, best first.")
