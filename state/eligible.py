"""Which units a query's filters let through, as masks over what a view shows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.state.graph import NodeKind
from biographer.state.query import Query
from biographer.state.view import View

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Eligible:
    """Masks by number: local episodes, windows (by place), observations."""

    episodes: Mask
    windows: Mask
    observations: Mask

    @classmethod
    def of(cls, view: View, query: Query) -> "Eligible":
        """Return what may be returned; an episode passes by label or entity if one of its observations does."""
        episodes = _seen(view.clips.count, view.clips.mask)
        observations = _seen(view.observations.count, view.observations.mask)
        windows = np.ones(len(view.windows), np.bool_)
        if query.between_us is not None:
            start, end = query.between_us
            episodes &= _overlaps(view.starts, view.ends, start, end)
            windows &= _overlaps(*view.window_spans, start, end)
            count = view.observations.count
            spans = view.index.observations
            observations &= _overlaps(spans.starts[:count], spans.ends[:count], start, end)
        if query.label is not None or query.entity is not None:
            observations &= _subject(view, query)
            episodes &= np.bincount(view.clip_of[observations], minlength=len(episodes)).astype(np.bool_)
            windows &= False
        if query.speaker is not None:
            speaking = _speaking(view, query.speaker)
            episodes &= speaking
            observations &= speaking[view.clip_of]
            windows &= False
        eligible = cls(episodes, windows, observations)
        eligible._leave_out(view, query)
        return eligible

    def _leave_out(self, view: View, query: Query) -> None:
        for unit in query.exclude:
            mask = self.observations if unit.kind == NodeKind.OBSERVATION else self.episodes
            if unit.kind == NodeKind.WINDOW:
                self.windows[view.window_numbers == unit.number] = False
            elif 0 <= unit.number < len(mask):
                mask[unit.number] = False


def _seen(count: int, mask: Mask | None) -> Mask:
    return np.ones(count, np.bool_) if mask is None else mask.copy()


def _overlaps(starts: NDArray[np.int64], ends: NDArray[np.int64], start: int, end: int) -> Mask:
    result: Mask = (starts <= end) & (ends >= start)
    return result


def _subject(view: View, query: Query) -> Mask:
    found = np.ones(view.observations.count, np.bool_)
    if query.label is not None:
        found &= view.index.label_of[: len(found)] == view.index.labels.get(query.label.casefold(), -1)
    if query.entity is not None:
        found &= (view.entity_of == query.entity) & (query.entity >= 0)
    return found


def _speaking(view: View, speaker: str) -> Mask:
    number = view.index.speakers.get(speaker.casefold(), -1)
    first = view.index.first_line[: view.clips.count + 1]
    lines = np.flatnonzero(view.index.line_speakers[: first[-1]] == number)
    clips = np.searchsorted(first, lines, side="right") - 1
    return np.bincount(clips, minlength=view.clips.count).astype(np.bool_)
