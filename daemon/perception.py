"""Clip -> frames -> detections -> tracks -> observations, as one blocking call; no broker and no store is known here.

The daemon calls it in worker threads, `biographer ingest` and the benches directly.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Literal, Protocol

from biographer.daemon.inline_hearing import InlineHearing
from biographer.daemon.inline_words import InlineWords
from biographer.daemon.text_vectors import TextVectors
from biographer.models.perceiver import Perceiver, never
from biographer.models.stages import Stage, Stages
from biographer.state.clip import Clip
from biographer.state.frame import Frame
from biographer.state.perceived import Perceived
from biographer.state.told import texts_of
from biographer.streams.message import ClipMessage

Keep = Literal["clips", "crops", "nothing"]


class Fetches(Protocol):
    """Brings the pixels of clips that lie elsewhere; blocks."""

    def fetch(self, uri: str, sha256: str) -> bytes | Path:
        """Return the file of this hash. Raises BadClipError, TransientError."""


class Decodes(Protocol):
    """Turns a video file into frames."""

    def frames(self, source: bytes | Path, start_us: int, duration_us: int) -> Iterator[Frame]:
        """Yield frames in order. Raises BadClipError."""


class Perception:
    """Makes clips ready to apply; several threads may call `perceive` at once.

    `timed` is given each clip and its stages.
    """

    def __init__(
        self,
        fetcher: Fetches,
        decoder: Decodes,
        perceiver: Perceiver,
        keep: Keep,
        timed: Callable[[Clip, Stages], None],
        texts: TextVectors | None = None,
        words: InlineWords | None = None,
        hearing: InlineHearing | None = None,
    ) -> None:
        self._fetcher, self._decoder, self._perceiver, self._texts = fetcher, decoder, perceiver, texts
        self._words, self._hearing = words, hearing
        self._keep = keep
        self._timed = timed

    def perceive(self, message: ClipMessage, stop: Callable[[], bool] = never) -> Perceived:
        """Return the clip with its observations and the media to keep, by the setting `state.keep`.

        A device's tracks are adopted, with pixels or without; pixels alone are looked at; lines alone are a clip
        without observations. Raises BadClipError, and TransientError once `stop` says so or a file is late in coming.
        """
        pixels = self._pixels(message)
        file = _content(pixels) if pixels is not None and self._keep == "clips" else None
        clip = _clip(message, file)
        stages = Stages()
        perceived = self._observed(clip, message, pixels, stop, stages)
        if self._hearing is not None:
            with stages.timed(Stage.HEAR):
                perceived = replace(perceived, heard=self._hearing.hear(clip, pixels, stop))
        if self._words is not None:
            with stages.timed(Stage.DESCRIBE):
                perceived = self._words.describe(perceived, pixels, stop)
        kept = self._kept(perceived, file)
        if self._texts is not None:
            with stages.timed(Stage.TEXTS):
                kept = replace(kept, texts=self._texts.of_clip(kept), told=self._texts.of_texts(_told(kept)))
        self._timed(clip, stages)
        return kept

    def _pixels(self, message: ClipMessage) -> bytes | Path | None:
        if message.uri is not None and message.sha256 is not None:
            return self._fetcher.fetch(message.uri, message.sha256)
        return message.video

    def _observed(
        self, clip: Clip, message: ClipMessage, pixels: bytes | Path | None, stop: Callable[[], bool], stages: Stages
    ) -> Perceived:
        if pixels is None:
            return self._perceiver.adopt(clip, message.tracks or (), stop=stop, stages=stages)
        frames = self._decoder.frames(pixels, message.start_us, message.duration_us)
        with closing(frames):  # type: ignore[type-var]  # a generator, though only its iterator is promised
            if message.tracks is not None:
                return self._perceiver.adopt(clip, message.tracks, frames, stop=stop, stages=stages)
            return self._perceiver.perceive(clip, frames, stop=stop, stages=stages)

    def _kept(self, perceived: Perceived, file: bytes | None) -> Perceived:
        if self._keep == "nothing":
            bare = tuple(replace(observation, crops=()) for observation in perceived.observations)
            return replace(perceived, observations=bare, media={})
        if file is None or perceived.clip.media is None:
            return perceived
        media: Mapping[str, bytes] = {**perceived.media, perceived.clip.media: file}
        return replace(perceived, media=media)


def _told(perceived: Perceived) -> list[str]:
    """Return the texts of what was written and heard within perception."""
    remarks = (*perceived.remarks, *(() if perceived.heard is None else (perceived.heard,)))
    return [text for remark in remarks for text in texts_of(remark)]


def _clip(message: ClipMessage, file: bytes | None) -> Clip:
    return Clip(
        stream=message.stream,
        name=message.clip,
        start_us=message.start_us,
        end_us=message.end_us,
        lines=message.lines,
        media=None if file is None else hashlib.sha256(file).hexdigest(),
        media_type=None if file is None else media_type(file),
        extra=message.extra,
    )


def _content(pixels: bytes | Path) -> bytes:
    return pixels if isinstance(pixels, bytes) else pixels.read_bytes()


def media_type(file: bytes) -> str:
    """Return the media type by the file's first bytes; what is neither MP4, Matroska nor WebM is left unnamed."""
    if file[4:8] == b"ftyp":
        return "video/mp4"
    if file[:4] == b"\x1a\x45\xdf\xa3":
        return "video/webm" if b"webm" in file[:64] else "video/x-matroska"
    return "application/octet-stream"
