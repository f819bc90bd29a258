"""The perceiver: the frames of one clip, or a device's own tracks, to the observations that the memory takes.

It keeps nothing between clips, so that several threads may perceive several clips at once.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from biographer.models.appearance import Portrait, best, look, portraits
from biographer.models.cleanup import is_observable, may_be_part
from biographer.models.crops import Candidate, choose
from biographer.models.device import Reported, opened, reported, sightings_at, stated_identity
from biographer.models.duplicates import merged
from biographer.models.observer import Observer, Sighted
from biographer.models.overlays import without_overlays
from biographer.models.perceiver_settings import PerceiverSettings
from biographer.models.regroup import regrouped
from biographer.models.roles import Describer, Detector, Embedder
from biographer.models.stages import Stage, Stages
from biographer.models.track import Track
from biographer.models.watch import Watch, grey_picture
from biographer.state.clip import Clip
from biographer.state.device_track import DeviceTrack
from biographer.state.errors import TransientError
from biographer.state.frame import Frame
from biographer.state.observation import Observation
from biographer.state.perceived import Perceived

Stop: TypeAlias = Callable[[], bool]


def never() -> bool:
    """Do not stop."""
    return False


class Perceiver:
    """Finds, tracks and describes what is in clips; blocking, thread-safe where its networks are, deterministic.

    Without a detector a clip has no observations of its own; without an embedder they have no evidence of identity.
    """

    def __init__(
        self,
        detector: Detector | None,
        embedder: Embedder | None,
        describer: Describer,
        settings: PerceiverSettings | None = None,
    ) -> None:
        self.settings = settings or PerceiverSettings()
        self._detector = detector
        self._embedder = embedder
        self._describer = describer

    def perceive(
        self, clip: Clip, frames: Iterable[Frame], *, stop: Stop = never, stages: Stages | None = None
    ) -> Perceived:
        """Return the clip with one observation a subject that is seen for long enough, numbered from 1 by start.

        Frames come in order of time; one that is no later than the one before it is passed over. `stages` adds up
        where the time went. Raises TransientError once `stop` says so; what reading `frames` raises passes through.
        """
        stages = stages or Stages()
        if self._detector is None:
            return Perceived(clip)
        watch = Watch(self.settings, stages)
        for batch in self._batches(frames, stages, clip, stop):
            with stages.timed(Stage.DETECT):
                found = self._detector.detect(batch)
            for frame, detections in zip(batch, found, strict=True):
                watch.step(frame, detections)
        watch.close()
        return self._written(clip, self._subjects(clip, watch, stages), self._detector.labels, stages)

    def adopt(
        self,
        clip: Clip,
        tracks: Sequence[DeviceTrack],
        frames: Iterable[Frame] = (),
        *,
        stop: Stop = never,
        stages: Stages | None = None,
    ) -> Perceived:
        """Return the clip with one observation a device track, under the device's own numbers and in their order.

        What the device chose to report is believed: the clean-up and its 2 s do not apply. Its embedding is kept under
        its embedder's name; without one, its crop, or crops cut from `frames`, are embedded by ours. A flawed embedding
        or crop costs the evidence of identity, not the observation. Raises BadClipError for a number that comes twice
        and a track without any usable box, TransientError once `stop` says so.
        """
        stages = stages or Stages()
        several = reported(tracks)
        watch = Watch(self.settings, stages, least_sightings=1)
        for batch in self._batches(frames, stages, clip, stop):
            for frame in batch:
                watch.offer(frame, grey_picture(frame), sightings_at(several, frame.at_us))
        watch.close()
        observer = self._observer(clip)
        observations = tuple(self._adopted(item, watch, observer, stages) for item in several)
        return Perceived(clip, observations, observer.media)

    def _batches(self, frames: Iterable[Frame], stages: Stages, clip: Clip, stop: Stop) -> Iterator[list[Frame]]:
        source = _rising(stages.timed_each(Stage.DECODE, frames))
        while True:
            if stop():
                raise TransientError(
                    f"perceiving clip {clip.name!r} of stream {clip.stream!r} was stopped; try it again"
                )
            batch = list(islice(source, max(self.settings.batch, 1)))
            if not batch:
                return
            stages.frames += len(batch)
            yield batch

    def _subjects(self, clip: Clip, watch: Watch, stages: Stages) -> list[tuple[Track, tuple[Portrait, ...]]]:
        """Return the tracks that become observations, cleaned up, with the portraits of all their parts."""
        cleanup, path, duration_us = self.settings.cleanup, watch.path, clip.end_us - clip.start_us
        with stages.timed(Stage.TRACK):
            things = without_overlays(watch.tracker.tracks(), path, cleanup)
            tracks = [track for track in merged(things, cleanup) if may_be_part(track, path, cleanup, duration_us)]
        pictures = [self._pictures(track, watch, duration_us) for track in tracks]
        with stages.timed(Stage.EMBED):
            taken = dict(zip((track.number for track in tracks), portraits(pictures, self._embedder), strict=True))
        with stages.timed(Stage.TRACK):
            seen = {number: look(several, cleanup.regroup_side) for number, several in taken.items()}
            looks = {number: seen_as for number, seen_as in seen.items() if seen_as is not None}
            whole = regrouped(tracks, looks, path, cleanup)
            kept = [track for track in whole if is_observable(track, path, cleanup, duration_us)]
        kept.sort(key=lambda track: (int(track.times_us[0]), track.number))
        return [(track, self._best(track, taken)) for track in kept]

    def _pictures(self, track: Track, watch: Watch, duration_us: int) -> tuple[Candidate, ...]:
        """Return the pictures to embed: all that are wanted of an observation, fewer of what may be part of one."""
        held = [picture for part in track.parts for picture in watch.crops.candidates(part)]
        sure = is_observable(track, watch.path, self.settings.cleanup, duration_us)
        return choose(held, self.settings.crops.count if sure else min(self.settings.crops.count, 2))

    def _best(self, track: Track, taken: dict[int, tuple[Portrait, ...]]) -> tuple[Portrait, ...]:
        parts = [portrait for part in track.parts for portrait in taken.get(part, ())]
        return best(parts, self.settings.crops.count)

    def _written(
        self, clip: Clip, subjects: Sequence[tuple[Track, tuple[Portrait, ...]]], labels: Sequence[str], stages: Stages
    ) -> Perceived:
        observer = self._observer(clip)
        with stages.timed(Stage.DESCRIBE):
            observations = tuple(
                observer.observe(
                    Sighted(number, labels[track.label], track.score, track.times_us, track.boxes, several)
                )
                for number, (track, several) in enumerate(subjects, start=1)
            )
        return Perceived(clip, observations, observer.media)

    def _adopted(self, item: Reported, watch: Watch, observer: Observer, stages: Stages) -> Observation:
        """Return the observation of one device track; the device's crop comes first, ours fill up."""
        track, count = item.track, self.settings.crops.count
        own, unopened = opened(item, self.settings.crops.side)
        pictures = choose(watch.crops.candidates(track.track), count - (own is not None))
        pictures = (own, *pictures) if own is not None else pictures
        stated = stated_identity(track, self._embedder)
        with stages.timed(Stage.EMBED):
            (several,) = portraits([pictures], self._embedder if stated is None else None)
        with stages.timed(Stage.DESCRIBE):
            embedding, flaw = stated if stated is not None else observer.identity(several)
            flaws = [text for text in (flaw, unopened) if text]
            sighted = Sighted(track.track, track.label, track.score, item.times_us, item.boxes, several, track.text)
            return observer.observe(sighted, (embedding, "; ".join(flaws) or None))

    def _observer(self, clip: Clip) -> Observer:
        return Observer(clip, self._embedder, self._describer, self.settings.crops.quality)


def _rising(frames: Iterable[Frame]) -> Iterator[Frame]:
    """Yield the frames that are later than all before them."""
    last: int | None = None
    for frame in frames:
        if last is None or frame.at_us > last:
            last = frame.at_us
            yield frame
