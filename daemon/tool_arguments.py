"""What arguments of several tools are made of: times and names as a model writes them, and what they mean."""

from typing import Annotated

from msgspec import Meta

from biographer.daemon.tools import Pair, Reach
from biographer.state.ablation import Ablation
from biographer.state.errors import RefusedError
from biographer.state.times import format_time, parse_time

When = Annotated[str, Meta(max_length=64, description="RFC 3339 with an offset, such as 2026-05-01T09:00:00Z.")]
EntityName = Annotated[str, Meta(pattern=r"^e[0-9]{1,15}$", description="An entity of the evidence, such as e12.")]


def between(reach: Reach, begin: str | None, until: str | None) -> Pair | None:
    """Return a stretch of time, an open end being the view's; None where none is named. Raises RefusedError."""
    if not begin and not until:
        return None
    watermark = reach.view.watermark_us or 0
    pair = (parse_time(begin) if begin else 0, parse_time(until) if until else watermark)
    if pair[0] > pair[1]:
        told = f"{format_time(pair[0])} to {format_time(pair[1])}"
        raise RefusedError(f"{told}: the end lies before the start; turn them round, or ask for an earlier time")
    return pair


def known_entity(reach: Reach, name: str | None) -> int | None:
    """Return the number of an entity that is named; raises RefusedError for one that is not in the memory."""
    if name is None:
        return None
    if Ablation.ASSOCIATION in reach.settings.without:
        raise RefusedError(f"entity {name}: this memory knows no identities; search by words")
    entity = int(name[1:])
    if entity >= reach.view.extent.entities:
        raise RefusedError(f"entity {name} is not in this memory; take one from the evidence")
    return entity
