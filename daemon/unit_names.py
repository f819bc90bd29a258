"""Names as models and clients read them: e12 an entity, o12 an observation, l12 a local episode, w12 a window.

n12 a name and f12 a fact are nodes alone: nothing is cited by them.
"""

import re
from collections.abc import Iterable

from biographer.state.graph import Node, NodeKind
from biographer.state.query import Item, Unit
from biographer.state.view import View

_LETTERS = {
    NodeKind.ENTITY: "e",
    NodeKind.OBSERVATION: "o",
    NodeKind.CLIP: "c",
    NodeKind.EPISODE: "l",
    NodeKind.WINDOW: "w",
    NodeKind.NAME: "n",
    NodeKind.FACT: "f",
}
KINDS = {letter: kind for kind, letter in _LETTERS.items()}

CITATION = re.compile(r"[olwc][0-9]{1,15}", re.ASCII)
"""The form of what may be cited; a clip is c12."""


def unit_name(unit: Unit | Node) -> str:
    """Return the name of a unit or a node, such as l12."""
    return f"{_LETTERS[unit.kind]}{unit.number}"


def clip_number(view: View, unit: Unit) -> int | None:
    """Return the number of the clip that a unit comes from, None for a window, which has many."""
    if unit.kind == NodeKind.WINDOW:
        return None
    return int(view.clip_of[unit.number]) if unit.kind == NodeKind.OBSERVATION else unit.number


def citable(view: View, items: Iterable[Item]) -> dict[str, Item]:
    """Return the items by every name that they may be cited by: their own, and that of their clip."""
    found: dict[str, Item] = {}
    for one in items:
        found[unit_name(one.unit)] = one
        if (clip := clip_number(view, one.unit)) is not None:
            found.setdefault(f"c{clip}", one)
    return found


def shown(view: View, name: str) -> bool:
    """Whether the view shows a unit or clip of this name, whose form has been checked."""
    number = int(name[1:])
    kind = KINDS[name[0]]
    if kind == NodeKind.WINDOW:
        return number in view.window_numbers
    seen = view.observations if kind == NodeKind.OBSERVATION else view.clips
    return number < seen.count and (seen.mask is None or bool(seen.mask[number]))
