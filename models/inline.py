"""Inline description, the paper's order: an observation is described, then embedded with its words, then associated.

The clip waits for both. Deferred description is `GroundedDescriber` alone, whenever the model answers.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from biographer.models.describing import Encounter, GroundedDescriber
from biographer.models.endpoint_embedder import SubjectEmbedder
from biographer.state.description import Description, Undescribable
from biographer.state.observation import Observation


class InlineDescriber:
    """Describes all observations of a clip at once, as far as the endpoint's bound lets it.

    Without an embedder observations keep the identity that they were perceived with.
    """

    def __init__(self, describer: GroundedDescriber, embedder: SubjectEmbedder | None) -> None:
        self._describer, self._embedder = describer, embedder

    async def describe(self, encounters: Sequence[Encounter]) -> list[tuple[Observation, Description | Undescribable]]:
        """Return each observation with its text and embedding replaced, and its description, in order.

        Raises TransientError and RefusedError for the whole clip: it is to be tried again, nothing is half described.
        """
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._one(encounter)) for encounter in encounters]
        except ExceptionGroup as several:
            raise several.exceptions[0] from several
        return [task.result() for task in tasks]

    async def _one(self, encounter: Encounter) -> tuple[Observation, Description | Undescribable]:
        said = await self._describer.describe(encounter)
        seen = encounter.observation
        text = said.text if isinstance(said, Description) else seen.text
        if self._embedder is None or not encounter.crops:
            return replace(seen, text=text), said
        words = text if isinstance(said, Description) else seen.label
        embedding = await self._embedder.embed(encounter.crops, words)
        return replace(seen, text=text, embedding=embedding, flaw=None), said
