"""The tools that a question may search with, behind one small protocol, and the box that checks and runs their calls.

A tool is a plain call on one immutable view: no model, no clock, no network. What a model writes reaches it only as the
tool's own typed arguments. `tests/daemon/test_tools.py` holds the suite that every tool must pass.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol, TypeVar, Union, cast

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from biographer.daemon.question_frames import Frames, no_frames
from biographer.models.form import Form
from biographer.state.errors import RefusedError
from biographer.state.observation import Embedding
from biographer.state.query import Item, Unit
from biographer.state.search_settings import SearchSettings
from biographer.state.view import View

Pair = tuple[int, int]


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="tool"):
    """Base of every tool's arguments; a subclass's tag is the tool's name, its docstring what a model reads of it."""


FormT = TypeVar("FormT", bound=Form)
A_contra = TypeVar("A_contra", bound=Arguments, contravariant=True)


@dataclass(frozen=True, slots=True)
class Reach:
    """What a question may see: one view of one stream, for all of its rounds.

    `embed` turns words into a vector, or None without an embedder; `apart` returns the pairs (low, high) of these
    entities, and of others, that were seen apart; `frames` reads pictures; `looks` tells how alike all observations
    look to one of them, None where that has no looks. All of it blocks.
    """

    view: View
    embed: Callable[[str], Embedding | None]
    settings: SearchSettings = SearchSettings()  # noqa: RUF009 - immutable
    apart: Callable[[Iterable[int]], frozenset[Pair]] = lambda _: frozenset()
    frames: Frames = no_frames
    looks: Callable[[int], NDArray[np.float64] | None] = lambda _: None

    def apart_pairs(self, items: Iterable[Item]) -> frozenset[Pair]:
        """Return the pairs of entities of the items, and of others, that were seen apart."""
        entities = {one.entity for one in items if one.entity is not None}
        return self.apart(sorted(entities)) if entities else frozenset()


@dataclass(frozen=True, slots=True)
class Bounds:
    """At most `limit` items, none of `exclude`: what was returned already is not returned again."""

    limit: int
    exclude: frozenset[Unit] = frozenset()


@dataclass(frozen=True, slots=True)
class Found:
    """What one search brought; `reason` says why nothing, `gap` (microseconds) a time in which nothing was recorded."""

    items: tuple[Item, ...]
    reason: str | None = None
    further: int = 0
    gap: Pair | None = None


class Tool(Protocol[A_contra]):
    """One way to search."""

    @property
    def arguments(self) -> type[Arguments]:
        """The record that its calls are."""

    def search(self, reach: Reach, call: A_contra, bounds: Bounds) -> Found:
        """Return what is found; blocks. Raises RefusedError, which the model is told, for what can't be searched."""


class Toolbox:
    """The tools there are, by name."""

    def __init__(self, tools: Sequence[Tool[Any]]) -> None:
        self._tools: Mapping[str, Tool[Any]] = {_name(tool.arguments): tool for tool in tools}
        if len(self._tools) < len(tools):
            raise RefusedError(f"two tools of one name among {[_name(tool.arguments) for tool in tools]}; rename one")
        # What a model may call is made of what there is: one field, a list of any tool's arguments.
        self.call_type: Any = Union[tuple(tool.arguments for tool in tools)]  # noqa: UP007 - made at run time

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools."""
        return tuple(self._tools)

    def form(self, base: type[FormT], most: int, meaning: str, *default: tuple[()]) -> type[FormT]:
        """Return a form whose field `searches` is at most so many calls of these tools; required without a default."""
        calls: Any = tuple[self.call_type, ...]  # type: ignore[name-defined] # made at run time
        fields: list[Any] = [("searches", Annotated[calls, Meta(max_length=most, description=meaning)], *default)]
        told = {"__doc__": base.__doc__}
        made = msgspec.defstruct(base.__name__, fields, bases=(base,), frozen=True, kw_only=True, namespace=told)
        return cast("type[FormT]", made)

    def search(self, reach: Reach, call: Arguments, bounds: Bounds) -> Found:
        """Run one call; what a tool refuses is a result with the reason, for the model to read."""
        try:
            found = self._tools[_name(type(call))].search(reach, call, bounds)
        except RefusedError as error:
            return Found((), f"refused: {error}")
        fresh = tuple(one for one in found.items if one.unit not in bounds.exclude)[: bounds.limit]
        return Found(fresh, found.reason, found.further, found.gap)


def _name(arguments: type[Arguments]) -> str:
    return str(arguments.__struct_config__.tag)


def call_name(call: Arguments) -> str:
    """Return the name of the tool that is called."""
    return _name(type(call))


def call_words(call: Arguments) -> dict[str, Any]:
    """Return the arguments that were given, as plain values."""
    values: dict[str, Any] = msgspec.to_builtins(call)
    return {name: value for name, value in values.items() if name != "tool" and value not in (None, "")}
