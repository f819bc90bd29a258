"""Listening within perception: for whoever keeps no clips, so that there is nothing to listen to later.

Only so long, as with words: where no transcriber answers in time the clip goes on unheard. Blocks, in worker threads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from structlog.typing import FilteringBoundLogger

from biographer.daemon.inline_wait import InlineWait, Unanswered
from biographer.models.transcriber import Transcriber
from biographer.state.clip import Clip
from biographer.state.errors import BadClipError
from biographer.state.heard import Heard
from biographer.state.line import LineKind
from biographer.state.sound import Sound
from biographer.state.stretch import Stretch
from biographer.state.unwritten import Unwritten
from biographer.streams.sound import sound_of


@dataclass(frozen=True, slots=True)
class InlineHearing:
    """Listens to each clip whose speech nobody has written down."""

    transcriber: Transcriber
    wait: InlineWait
    log: FilteringBoundLogger

    def hear(self, clip: Clip, pixels: bytes | Path | None, stop: Callable[[], bool]) -> Heard | None:
        """Return what was said, without lines where nothing was; None where it was not listened to.

        Raises TransientError once `stop` says so.
        """
        if pixels is None or any(line.kind is LineKind.SPEECH for line in clip.lines):
            return None
        stretch = Stretch.of_clip(clip)
        sound = self._sound(clip, pixels)
        if sound is None:
            return Heard(stretch, self.transcriber.author, ())
        found = self.wait.answer(self.transcriber.hear(stretch, sound), stop, f"hearing clip {clip.name!r}")
        if isinstance(found, Heard):
            return found
        self._unheard(clip, found)
        return None

    def _sound(self, clip: Clip, pixels: bytes | Path) -> Sound | None:
        try:
            return sound_of(pixels, clip.start_us, clip.end_us - clip.start_us)
        except BadClipError as error:
            self._unheard(clip, Unanswered(str(error)))
            return None

    def _unheard(self, clip: Clip, why: Unwritten | Unanswered) -> None:
        self.log.warning("clip goes on unheard", clip=clip.name, reason=why.reason)
