"""A call of the HTTP API and the words to ask it in: what a client sends, gets back, and takes from its caller."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Literal, TypeAlias, TypedDict, TypeVar

import msgspec

T = TypeVar("T")

Moment: TypeAlias = datetime | str
"""An event time: a datetime that knows its offset, or RFC 3339 text with one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status, the headers by lower-case name, and the body."""

    status: int
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request, and what its answer is read into."""

    method: str
    path: str
    read: Callable[[Answer], T]
    query: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float | None = None
    """How long to wait for the answer where that is longer than for others."""


@dataclass(frozen=True, slots=True)
class Pixels:
    """A picture or a video; `at` is the time of a frame (RFC 3339), None for what is no frame."""

    content: bytes
    media_type: str
    at: str | None = None


class Ready(msgspec.Struct, frozen=True):
    """Whether the daemon is well; the reasons why not are told to admins and to its own machine."""

    ready: bool
    reasons: tuple[str, ...] = ()
    last_failures: tuple[str, ...] = ()


class ListEntities(TypedDict, total=False):
    """Filters of a list of entities; `sort`: most often seen first, earliest first, last seen first, or by number."""

    label: str | None
    name: str | None
    text: str | None
    sort: Literal["seen", "first", "last", "entity"]
    as_of: Moment | None


class ListSpan(TypedDict, total=False):
    """Filters of a list in order of time: what overlaps `begin` to `until`."""

    begin: Moment | None
    until: Moment | None
    as_of: Moment | None


class FindRelations(TypedDict, total=False):
    """What relations are looked for; `begin` and `until` bound their time, `enough` rows end the relaxing."""

    source: str | None
    target: str | None
    kind: Literal["talks_to", "interacts_with", "uses", "mentions"] | None
    source_kind: Literal["person", "object", "location"] | None
    target_kind: Literal["person", "object", "location"] | None
    entity: str | None
    text: str
    begin: Moment | None
    until: Moment | None
    limit: int
    enough: int
    as_of: Moment | None


class ListChains(TypedDict, total=False):
    """Filters of a list of chains: those of one name or of one entity; and how many links of each at most."""

    name: str | None
    entity: str | None
    links: int
    as_of: Moment | None


class Ask(TypedDict, total=False):
    """What a search is for besides words.

    `image` is a JPEG, PNG or WebP that looks like it, `between` the first and the last moment, `exclude` names units
    that one has already.
    """

    image: bytes | None
    limit: int
    as_of: Moment | None
    between: tuple[Moment, Moment] | None
    label: str | None
    entity: str | None
    speaker: str | None
    exclude: tuple[str, ...]
