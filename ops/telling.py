"""How far models have come with what they are to write of a stream: what a command waits for before it asks."""

import time
from collections.abc import Callable
from pathlib import Path

from biographer.daemon.language_roles import played
from biographer.daemon.language_section import Language
from biographer.daemon.writing_roles import wanted
from biographer.state.agenda import Agenda
from biographer.state.folder import stream_store


class Telling:
    """What is to be written of one stream, as its store says; asks nobody."""

    def __init__(self, state: Path, stream: str, section: Language) -> None:
        self._wanted = wanted({one.role for one in played(section)})
        self._path, self._stream = stream_store(state, stream), stream

    @property
    def is_expected(self) -> bool:
        """Whether anybody writes at all."""
        return bool(self._wanted)

    def left(self) -> int:
        """Count what is due and not written, and one more while something waits for clips to come. Blocks."""
        agenda = Agenda(self._path, self._stream, self._wanted)
        agenda.look()
        return agenda.waiting.total() + agenda.is_waiting

    def wait(self, tell: Callable[[int], None], patience_s: float, pause_s: float = 0.3) -> int:
        """Wait until nothing is left, or nothing was written for so long; return what is left. Blocks."""
        moved, before = time.monotonic(), -1
        while (left := self.left()) and time.monotonic() - moved < patience_s:
            if left != before:
                moved, before = time.monotonic(), left
            tell(left)
            time.sleep(pause_s)
        tell(left)
        return left
