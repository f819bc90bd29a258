"""When the search index learns: at once while a memory grows, and only when somebody first asks after a restart.

Applying clips needs no index, so a restart need not wait for one; the store holds all that it has to learn.
"""

from collections.abc import Callable, Iterable
from threading import Lock

from biographer.state.index import Index
from biographer.state.learned import Learned


class Learning:
    """An index and, after a restart, where it is to be learned from. Any thread may ask; one thread grows it."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._pending: Callable[[], Iterable[Learned]] | None = None
        self._turn = Lock()

    def later(self, learned: Callable[[], Iterable[Learned]]) -> None:
        """Leave everything known so far to the first who asks; `learned` yields it from a reading of its own."""
        self._pending = learned

    @property
    def at_hand(self) -> Index | None:
        """The index, None where it is to be learned first."""
        return self._index if self._pending is None else None

    @property
    def index(self) -> Index:
        """The index, with all that has been applied; the first to ask after a restart waits for it."""
        if self._pending is None:
            # No turn is waited for: readers never wait for the writer.
            return self._index
        with self._turn:
            if self._pending is not None:
                for learned in self._pending():
                    self._index.grow(learned)
                self._pending = None
            return self._index

    def grow(self, clip_number: int, learned: Learned) -> None:
        """Learn one clip more, unless all is left for later or was read from the store already."""
        with self._turn:
            if self._pending is None and clip_number == len(self._index.clips):
                self._index.grow(learned)
