"""From a user's word to what it changes: numbered, checked against what was seen, and refused where the two disagree.

Decides and changes nothing; reads the memory and its store.
"""

import json
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from biographer.state.change import Entity
from biographer.state.errors import RefusedError
from biographer.state.membership import Cause, Membership
from biographer.state.memory import NO_ENTITY, Memory
from biographer.state.recalled_people import people_recalled
from biographer.state.ruling import MOST_NAME, Act, Ruled, Ruling, Word
from biographer.state.standing import Standing
from biographer.state.store import Store

_LATEST = """
SELECT observation, max(version) FROM membership WHERE observation IN (SELECT value FROM json_each(?)) GROUP BY 1
"""
_APART = "SELECT low_observation, high_observation FROM apart ORDER BY low, high"
_EMBEDDERS = """
SELECT DISTINCT embedder FROM observation WHERE number IN (SELECT value FROM json_each(?)) ORDER BY 1
"""


def ruled(word: Word, memory: Memory, store: Store) -> Ruled:
    """Return what a word changes; raises RefusedError where it speaks of what is not there or against what was seen."""
    word = _meant(word, memory, store)
    ruling = _ruling(word, memory)
    standing = memory.standing.after(ruling)
    looks = _looks(memory, standing)
    look_of = _with(memory.look_of[:], looks)
    entities = standing.owned(look_of).astype(np.int64)
    _refuse_broken(word, standing)
    _refuse_apart(memory, store, entities)
    changed = np.flatnonzero(entities != memory.entity_of[:])
    begun = _begun(ruling, store)
    touched = {int(memory.look_of[number]) for number in looks} | set(looks.values())
    return Ruled(
        version=memory.version + 1,
        ruling=ruling,
        entities=begun,
        memberships=_memberships(store, changed, entities, ruling.known_us),
        looks=looks,
        reference_sets={entity: _references(memory, look_of, entity) for entity in sorted(touched)},
    )


def _meant(word: Word, memory: Memory, store: Store) -> Word:
    """Return a split of a person who is joined of fragments as one that this memory knows, which holds them apart."""
    seen = {int(memory.entity_of[one]) for one in word.observations if 0 <= one < len(memory.entity_of)}
    if word.act is not Act.SPLIT or len(seen) != 1 or word.entity in seen:
        return word
    bounds = {"clips": len(memory.clips), "v": memory.version, "t": memory.known_us}
    cursor = store.database.connection.cursor()
    owners = people_recalled(cursor, bounds, store.database.zone, memory.standing).owners
    (fragment,) = seen
    if owners.get(fragment) != word.entity:
        return word
    whole = len(set(word.observations)) == int(np.count_nonzero(memory.entity_of[:] == fragment))
    if whole:
        return replace(word, act=Act.APART, other=fragment, observations=())
    return replace(word, entity=fragment)


def _ruling(word: Word, memory: Memory) -> Ruling:
    """Return the word as a ruling; what it names is looked up, and is there."""
    number, known_us = len(memory.standing.rulings), memory.known_us
    match word.act:
        case Act.UNDO:
            undoes = _undone(word, memory)
            return Ruling(number, word.act, word.by, known_us, undoes=undoes)
        case Act.NAME:
            entity, name = _entity(word.entity, memory), _name(word.name)
            return Ruling(number, word.act, word.by, known_us, entity, name=name)
        case Act.SPLIT:
            entity = _entity(word.entity, memory)
            moved = _moved(word, memory, entity)
            seen_as = tuple(_first_looks(memory, one) for one in moved)
            begun = memory.entity_count
            return Ruling(number, word.act, word.by, known_us, entity, begun, observations=moved, looks=seen_as)
        case Act.MERGE | Act.APART:
            entity, other = _entity(word.entity, memory), _entity(word.other, memory)
            if entity == other:
                raise RefusedError(f"entity e{entity} was given twice; name two")
            return Ruling(number, word.act, word.by, known_us, entity, other)


def _first_looks(memory: Memory, observation: int) -> int:
    """Return what association had chosen for an observation, whichever splits named it since."""
    for ruling in memory.standing.rulings:
        if observation in ruling.observations:
            return ruling.looks[ruling.observations.index(observation)]
    return int(memory.look_of[observation])


def _entity(entity: int | None, memory: Memory) -> int:
    if entity is None or not 0 <= entity < memory.entity_count:
        raise RefusedError(f"entity e{entity} is not known in stream {memory.stream!r}; list the entities")
    owner = memory.standing.owner(entity)
    if owner != entity:
        raise RefusedError(f"entity e{entity} is one with e{owner} by a ruling; name e{owner}, or undo the ruling")
    if not bool(np.any(memory.entity_of[:] == entity)):
        raise RefusedError(f"entity e{entity} has no observations left by a ruling; undo that first")
    return entity


def _name(name: str | None) -> str:
    tidy = " ".join((name or "").split())
    if not tidy or len(tidy) > MOST_NAME or not tidy.isprintable():
        raise RefusedError(f"name {name!r:.60} is none; give 1 to {MOST_NAME} printable characters")
    return tidy


def _moved(word: Word, memory: Memory, entity: int) -> tuple[int, ...]:
    members = np.flatnonzero(memory.entity_of[:] == entity)
    moved = tuple(sorted(set(word.observations)))
    strange = sorted(set(moved) - set(members.tolist()))
    if strange:
        raise RefusedError(f"observation o{strange[0]} is not of entity e{entity}; name observations of its biography")
    if not moved:
        raise RefusedError(f"no observations to split from entity e{entity}; name at least one")
    if len(moved) == len(members):
        raise RefusedError(f"nothing would be left of entity e{entity}; name some of its {len(members)} observations")
    return moved


def _undone(word: Word, memory: Memory) -> int:
    known = memory.standing
    if word.undoes is None or not 0 <= word.undoes < len(known.rulings):
        raise RefusedError(f"ruling {word.undoes} is not known in stream {memory.stream!r}; list the rulings")
    if word.undoes not in known.in_force:
        raise RefusedError(f"ruling {word.undoes} was undone already; nothing to undo")
    return word.undoes


def _looks(memory: Memory, standing: Standing) -> dict[int, int]:
    """Return the observations whose looks a ruling changes, and whose they are then."""
    return {number: looks for number, looks in standing.looks.items() if int(memory.look_of[number]) != looks}


def _with(looks: NDArray[np.int32], changed: dict[int, int]) -> NDArray[np.int32]:
    found = looks.copy()
    found[list(changed)] = list(changed.values())
    return found


def _references(memory: Memory, look_of: NDArray[np.int32], entity: int) -> tuple[int, ...]:
    """Return the last observations by (start, end, number) that stand for an entity's looks, oldest first."""
    members = np.flatnonzero(look_of == entity)
    order = np.lexsort((members, memory.spans.ends[members], memory.spans.starts[members]))
    return tuple(members[order][-memory.rule.references :].tolist())


def _refuse_broken(word: Word, standing: Standing) -> None:
    found = standing.broken()
    if found is not None:
        (entity, _), number = found
        pair = f"e{word.entity} and e{word.other}" if word.act is Act.MERGE else f"what would be one as e{entity}"
        raise RefusedError(f"{pair}: ruling {number} says that they are two; undo that ruling first")


def _refuse_apart(memory: Memory, store: Store, entities: NDArray[np.int64]) -> None:
    """Nobody's word makes one of two that were seen at different places in the same frames (DESIGN section 4)."""
    pairs = np.array(store.fetch(_APART), np.int64).reshape(-1, 2)
    before = memory.entity_of[:]
    joined = (entities[pairs[:, 0]] == entities[pairs[:, 1]]) & (before[pairs[:, 0]] != before[pairs[:, 1]])
    if joined.any():
        low, high = pairs[np.flatnonzero(joined)[0]].tolist()
        raise RefusedError(
            f"e{before[low]} and e{before[high]} were seen apart in the same frames (o{low}, o{high}): they are two; "
            "split off what does not belong first"
        )


def _begun(ruling: Ruling, store: Store) -> tuple[Entity, ...]:
    if ruling.act is not Act.SPLIT or ruling.other is None:
        return ()
    embedders = [name for (name,) in store.fetch(_EMBEDDERS, (json.dumps(ruling.observations),))]
    if len(embedders) != 1:
        raise RefusedError(f"observations of several embedders ({', '.join(embedders)}); split them off one by one")
    return (Entity(ruling.other, embedders[0], ruling.known_us),)


def _memberships(
    store: Store, changed: NDArray[np.intp], entities: NDArray[np.int64], known_us: int
) -> tuple[Membership, ...]:
    versions = dict(store.fetch(_LATEST, (json.dumps(changed.tolist()),))) if len(changed) else {}
    return tuple(
        Membership(number, int(entities[number]), known_us, 1.0, Cause.RULING, versions[number] + 1)
        for number in changed.tolist()
        if entities[number] != NO_ENTITY
    )
