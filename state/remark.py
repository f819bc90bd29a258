"""Remarks: all that models wrote about what was applied before, as one family of records, and their form in the store.

Stored as JSON, so that a snapshot's reader needs no program of ours; each kind is known by a name that never changes.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

from biographer.state.caption import Caption
from biographer.state.cast import Casting, Profile
from biographer.state.chain import EventStep, TopicFact
from biographer.state.description import Description, Undescribable
from biographer.state.errors import FatalError
from biographer.state.heard import Heard
from biographer.state.name import Mention
from biographer.state.relation import Relation
from biographer.state.triple import Triple
from biographer.state.unwritten import Unwritten

Remark: TypeAlias = (
    Description
    | Undescribable
    | Caption
    | Mention
    | Triple
    | Relation
    | TopicFact
    | EventStep
    | Casting
    | Profile
    | Heard
    | Unwritten
)

KINDS: Mapping[str, type[Any]] = {
    "description": Description,
    "undescribable": Undescribable,
    "caption": Caption,
    "mention": Mention,
    "triple": Triple,
    "relation": Relation,
    "topic_fact": TopicFact,
    "event_step": EventStep,
    "casting": Casting,
    "profile": Profile,
    "heard": Heard,
    "unwritten": Unwritten,
}
"""The class of each kind, by the name under which the store has it."""

_NAMES = {kind: name for name, kind in KINDS.items()}


def kind_of(remark: Remark) -> str:
    """Return the name of a remark's kind."""
    return _NAMES[type(remark)]


def body_of(remark: Remark) -> str:
    """Return a remark as JSON; equal ones give the same."""
    return msgspec.json.encode(remark).decode()


def remark_of(kind: str, body: str) -> Remark:
    """Return the remark that was stored; raises FatalError for what none of this program's makes."""
    try:
        remark: Remark = msgspec.json.decode(body, type=KINDS[kind])
    except (KeyError, msgspec.MsgspecError) as error:
        raise FatalError(
            f"a remark of kind {kind!r:.40} cannot be read: {error}; use the program that wrote it"
        ) from error
    return remark
