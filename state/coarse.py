"""Coarse episodes as a reader sees them: the closed windows of a view or of a cut, by number, clip and neighbour."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from biographer.state.closing import Closing, WindowVersion
from biographer.state.cut import Cut
from biographer.state.episode import LOCAL
from biographer.state.graph import ADJACENT_WITHIN_US
from biographer.state.piece import ENDED
from biographer.state.recalled_clips import EpisodeRecord, Span
from biographer.state.view import View

_CLIPS = """
SELECT c.number, c.start_us, e.text, c.watermark_us, c.known_us,
  EXISTS (SELECT 1 FROM piece WHERE writing = :ended AND scale = :local AND place = c.number AND made <= :v) FROM clip c
JOIN episode e ON e.number = c.number AND e.version = 0 WHERE c.number < :clips ORDER BY c.number
"""


@dataclass(frozen=True, eq=False)
class Coarse:
    """Closed windows of all scales, each in its last version."""

    closed: tuple[WindowVersion, ...]

    @classmethod
    def of_view(cls, view: View) -> "Coarse":
        """Return what a view shows."""
        return cls(tuple(view.index.windows.versions[number] for number in view.windows.tolist()))

    @classmethod
    def of_cut(cls, cut: Cut) -> "Coarse":
        """Return what a view of the cut would show; reads every local episode, and so wants to be kept."""
        closing, latest, known_us = Closing(cut.zone), dict[int, WindowVersion](), 0
        rows = cut.rows(_CLIPS, ended=ENDED, local=LOCAL)
        for number, start_us, text, watermark_us, clip_known_us, rests in rows:
            known_us = max(known_us, clip_known_us, watermark_us)
            closed = closing.grow(number, start_us, text, watermark_us, known_us)
            closed += closing.rest(known_us) if rests else []
            latest |= {one.window: one for one in closed if one.known_us <= cut.bounds["t"]}
        return cls(tuple(latest[number] for number in sorted(latest)))

    def of_scale(self, scale: str) -> list[WindowVersion]:
        """Return the windows of a scale in order of time."""
        return sorted((one for one in self.closed if one.scale == scale), key=lambda one: one.start_us)

    def records(self, scale: str, span: Span) -> list[EpisodeRecord]:
        """Return a page of the windows of a scale; `late` is one that a late clip has opened again."""
        found = [_record(one) for one in self.of_scale(scale)]
        return [one for one in found if span.takes(one.place)][: span.limit]

    def named(self, number: int) -> WindowVersion | None:
        """Return the window of a number, None where it is not closed or not there."""
        return self._by_number.get(number)

    def of_clip(self, clip: int) -> list[WindowVersion]:
        """Return the windows that hold a local episode."""
        return self._by_clip.get(clip, [])

    def beside(self, number: int) -> list[tuple[WindowVersion, int]]:
        """Return the windows of the same scale before and after, with the gap to each in microseconds."""
        return self._beside.get(number, [])

    @cached_property
    def _by_number(self) -> dict[int, WindowVersion]:
        return {one.window: one for one in self.closed}

    @cached_property
    def _by_clip(self) -> dict[int, list[WindowVersion]]:
        found: dict[int, list[WindowVersion]] = defaultdict(list)
        for one in self.closed:
            for clip in one.clips:
                found[clip].append(one)
        return dict(found)

    @cached_property
    def _beside(self) -> dict[int, list[tuple[WindowVersion, int]]]:
        found: dict[int, list[tuple[WindowVersion, int]]] = defaultdict(list)
        for left, right in self._adjacent():
            gap = max(0, right.start_us - left.end_us)
            if gap <= ADJACENT_WITHIN_US:
                found[left.window].append((right, gap))
                found[right.window].append((left, gap))
        return dict(found)

    def _adjacent(self) -> Iterable[tuple[WindowVersion, WindowVersion]]:
        for scale in sorted({one.scale for one in self.closed}):
            yield from pairwise(self.of_scale(scale))


def _record(one: WindowVersion) -> EpisodeRecord:
    span = (one.start_us, one.end_us, one.known_us)
    return EpisodeRecord(one.window, one.scale, None, None, *span, one.late, one.text, one.clips)
