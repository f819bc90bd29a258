"""Where the evidence of one question comes from: one view of a stream, and what the store tells of the same version."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biographer.daemon.api_answers import snapshot_record
from biographer.daemon.api_records import SnapshotRecord
from biographer.daemon.api_search import item_record, snapshot_of
from biographer.daemon.api_search_records import ItemRecord
from biographer.daemon.live import cut_beside
from biographer.daemon.question_frames import Moment, Shown
from biographer.daemon.tools import Pair
from biographer.models.crops import jpeg
from biographer.state.cut import Cut
from biographer.state.errors import BadClipError
from biographer.state.folder import stream_folder
from biographer.state.gallery import Gallery
from biographer.state.looks import looks_of
from biographer.state.media import MediaFolder
from biographer.state.query import Item
from biographer.state.recalled_clips import clip
from biographer.state.recalled_entities import apart_pairs
from biographer.state.view import View
from biographer.streams.still import stills

_QUALITY = 80


@dataclass(frozen=True, slots=True)
class Sources:
    """A view with its store; every method opens the store, and blocks. Raise TransientError and FatalError."""

    state: Path
    stream: str
    view: View
    as_of_us: int | None = None
    galleries: Mapping[str, Gallery] = field(default_factory=dict)

    def snapshot(self, now_us: int) -> SnapshotRecord:
        """Name the snapshot."""
        with self._cut() as cut:
            return snapshot_record(snapshot_of(cut, self.view), now_us)

    def items(self, items: Sequence[Item]) -> tuple[ItemRecord, ...]:
        """Return items with where their pictures are."""
        with self._cut() as cut:
            return tuple(item_record(cut, self.view, one) for one in items)

    def looks(self, observation: int) -> NDArray[np.float64] | None:
        """Return how alike each observation looks to one of them (count,), None where that has no looks."""
        return looks_of(self.view, dict(self.galleries), observation)

    def apart(self, entities: Iterable[int]) -> frozenset[Pair]:
        """Return the pairs (low, high) of these entities and others that were seen apart."""
        with self._cut() as cut:
            return apart_pairs(cut, entities)

    def frames(self, moments: Sequence[Moment], side: int) -> tuple[Shown, ...]:
        """Return the moments whose clips are kept, with their frames; what can't be decoded is left out."""
        with self._cut() as cut:
            files = {number: one.media for number in {one.clip for one in moments} if (one := clip(cut, number))}
        media = MediaFolder(stream_folder(self.state, self.stream) / "media")
        found = {
            number: _stills(media.path(name), [one.offset_us for one in moments if one.clip == number], side)
            for number, name in files.items()
            if name is not None
        }
        shown = [(one, _nearest(found.get(one.clip, {}), one.offset_us)) for one in moments]
        return tuple(Shown(one, file) for one, file in shown if file is not None)

    def _cut(self) -> AbstractContextManager[Cut]:
        return cut_beside(self.view, self.state, self.stream, self.as_of_us)


def _stills(path: Path, offsets_us: Sequence[int], side: int) -> Mapping[int, bytes]:
    """Return frames by their times; all in one pass, for each alone is read from a key frame on."""
    if not path.exists():
        return {}
    try:
        return {one.at_us: jpeg(one.pixels(), _QUALITY) for one in stills(path, offsets_us, side)}
    except BadClipError:
        return {}


def _nearest(files: Mapping[int, bytes], offset_us: int) -> bytes | None:
    return files[min(files, key=lambda at_us: abs(at_us - offset_us))] if files else None
