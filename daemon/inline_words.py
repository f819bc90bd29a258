"""Describing within perception, before association: the paper's order, for whoever would rather have a clip wait.

Only so long: where no model answers in time the clip goes on as it was perceived, and is described like any other once
it is applied. Blocks, in worker threads; the models are asked on the event loop.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from structlog.typing import FilteringBoundLogger

from biographer.daemon.inline_wait import InlineWait, Unanswered
from biographer.daemon.writing_pictures import framed_views, frames_of
from biographer.models.describing import Encounter, lines_around
from biographer.models.inline import InlineDescriber
from biographer.state.description import Mode
from biographer.state.observation import Observation
from biographer.state.perceived import Perceived


@dataclass(frozen=True, slots=True)
class InlineWords:
    """Asks `describer`; `views` bounds what it is shown of a subject."""

    describer: InlineDescriber
    wait: InlineWait
    views: int
    log: FilteringBoundLogger

    def describe(self, perceived: Perceived, pixels: bytes | Path | None, stop: Callable[[], bool]) -> Perceived:
        """Return a clip with its observations described, and embedded with their words where that is configured.

        Raises TransientError once `stop` says so.
        """
        if not perceived.observations:
            return perceived
        asked = self._encounters(perceived, pixels)
        found = self.wait.answer(self.describer.describe(asked), stop, f"describing clip {perceived.clip.name!r}")
        if isinstance(found, Unanswered):
            return self._undescribed(perceived, found.reason)
        observations = tuple(observation for observation, _ in found)
        return replace(perceived, observations=observations, remarks=tuple(said for _, said in found))

    def _undescribed(self, perceived: Perceived, reason: str) -> Perceived:
        self.log.warning("clip goes on undescribed", clip=perceived.clip.name, reason=reason)
        return perceived

    def _encounters(self, perceived: Perceived, pixels: bytes | Path | None) -> list[Encounter]:
        clip, heard = perceived.clip, () if perceived.heard is None else perceived.heard.lines
        frames = [] if pixels is None else frames_of(pixels, clip.start_us, clip.end_us)
        return [
            Encounter(
                clip.name,
                one,
                _crops(perceived, one),
                framed_views(frames, one, self.views),
                # Those of the clip itself: whether an earlier one is applied yet is nothing to depend on.
                lines_around((*clip.lines, *heard), one, clip.end_us, Mode.INLINE),
                clip.known_us,
                Mode.INLINE,
            )
            for one in perceived.observations
        ]


def _crops(perceived: Perceived, observation: Observation) -> tuple[bytes, ...]:
    files = (perceived.media.get(crop.sha256) for crop in observation.crops)
    return tuple(file for file in files if file is not None)
