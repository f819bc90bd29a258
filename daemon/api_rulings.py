"""The endpoints by which users say who is who, and read what was said.

A word is written in turn with the stream's clips by the pipeline; it is in the memory once it is answered.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from biographer.daemon import api_ruling_records as records
from biographer.daemon.access import unknown_stream
from biographer.daemon.api_answers import number_of, snapshot_record
from biographer.daemon.api_memory import moment
from biographer.daemon.endpoint import Asked, Nothing
from biographer.daemon.readings import Readings
from biographer.state.cut import Cut
from biographer.state.errors import TransientError
from biographer.state.ruling import Act, Ruled, Ruling, Word
from biographer.state.times import format_time

Obey = Callable[[str, Word], Awaitable[Ruled]]
"""From a stream that is there and a word to what it changed. Raises RefusedError, TransientError."""


class RulingApi:
    """Takes users' words; `connect` says who obeys them, once that runs."""

    def __init__(self, readings: Readings, now_us: Callable[[], int]) -> None:
        self._readings, self._now_us = readings, now_us
        self._obey: Obey | None = None

    def connect(self, obey: Obey) -> None:
        """Hand words on to this from now on."""
        self._obey = obey

    async def name(self, asked: Asked[records.OfRuled, records.NameOrder]) -> records.RulingMade:
        """Give an entity its name."""
        return await self._ruled(asked, Word(Act.NAME, "", _entity(asked), name=asked.body.name))

    async def merge(self, asked: Asked[records.OfRuled, records.OtherOrder]) -> records.RulingMade:
        """Say that another entity is this one."""
        return await self._ruled(asked, Word(Act.MERGE, "", _entity(asked), number_of(asked.body.other)))

    async def apart(self, asked: Asked[records.OfRuled, records.OtherOrder]) -> records.RulingMade:
        """Say that another entity is not this one."""
        return await self._ruled(asked, Word(Act.APART, "", _entity(asked), number_of(asked.body.other)))

    async def split(self, asked: Asked[records.OfRuled, records.SplitOrder]) -> records.RulingMade:
        """Say that some observations of an entity are of another, which is begun."""
        observations = tuple(number_of(one) for one in asked.body.observations)
        return await self._ruled(asked, Word(Act.SPLIT, "", _entity(asked), observations=observations))

    async def undo(self, asked: Asked[records.OfRuling, Nothing]) -> records.RulingMade:
        """Withdraw a ruling."""
        return await self._ruled(asked, Word(Act.UNDO, "", undoes=number_of(asked.params.ruling)))

    async def rulings(self, asked: Asked[records.OfRulings, Nothing]) -> records.RulingList:
        """Return all that was said, as of a time if asked."""

        def listed(cut: Cut) -> records.RulingList:
            standing = cut.standing
            rows = tuple(_record(one, one.number in standing.in_force) for one in standing.rulings)
            return records.RulingList(snapshot=snapshot_record(cut.snapshot, self._now_us()), rulings=rows)

        found = await self._readings.read(asked.params.stream, listed, moment(asked.params.as_of))
        if found is None:
            raise unknown_stream(asked.params.stream)
        return found

    async def _ruled(
        self, asked: Asked[records.OfRuled, object] | Asked[records.OfRuling, object], word: Word
    ) -> records.RulingMade:
        stream, by = asked.params.stream, asked.principal.name
        if stream not in await self._readings.names():
            raise unknown_stream(stream)
        if self._obey is None:
            raise TransientError("the daemon is still starting; say it again soon")
        ruled = await self._obey(stream, replace(word, by=by))
        return records.RulingMade(
            version=ruled.version, ruling=_record(ruled.ruling, in_force=True), moved=len(ruled.memberships)
        )


def _entity(asked: Asked[records.OfRuled, object]) -> int:
    return number_of(asked.params.entity)


def _record(one: Ruling, in_force: bool) -> records.RulingRecord:  # noqa: FBT001 - private
    return records.RulingRecord(
        ruling=f"r{one.number}",
        act=one.act.value,
        by=one.by,
        known=format_time(one.known_us),
        entity=None if one.entity is None else f"e{one.entity}",
        other=None if one.other is None else f"e{one.other}",
        name=one.name,
        observations=tuple(f"o{number}" for number in one.observations),
        undoes=None if one.undoes is None else f"r{one.undoes}",
        in_force=in_force,
    )
