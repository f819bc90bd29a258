"""The memories that this daemon holds, as views for whoever reads: each view is made once for all who ask the same.

And the store beside a view, which tells what pictures and proofs there are of the same version.
"""

from contextlib import AbstractContextManager
from pathlib import Path
from threading import Lock
from typing import Protocol

from biographer.state.cut import Cut, cut_of
from biographer.state.errors import TransientError
from biographer.state.folder import stream_store
from biographer.state.index import Index
from biographer.state.memory import Memory
from biographer.state.view import View
from biographer.state.views import Views

_PATIENCE_S = 5.0
"""So long a reader waits for an index; then it hears how far that is, and asks again."""


class Memories(Protocol):
    """The memories of a state folder."""

    path: Path

    def memory(self, name: str) -> Memory | None:
        """Return a stream's memory, opened, None where there is no such stream. Blocks."""

    def at_hand(self, name: str) -> Index | None:
        """Return a stream's search index if no one has to wait for it."""


class Live:
    """Views of the memories of this daemon, once it has opened them. Any thread may ask."""

    def __init__(self) -> None:
        self._memories: Memories | None = None
        self._views: dict[str, Views] = {}
        self._turn = Lock()

    def connect(self, memories: Memories) -> None:
        """Show these memories from now on."""
        self._memories = memories

    @property
    def connected(self) -> bool:
        """Whether the daemon has opened its folder."""
        return self._memories is not None

    def memory(self, stream: str) -> Memory | None:
        """Return a stream's memory, None where there is no such stream; blocks until it is open.

        Raises TransientError while the daemon is still opening its folder.
        """
        if self._memories is None:
            raise TransientError("the memory is being opened; ask again in a moment")
        return self._memories.memory(stream)

    def view(self, stream: str, as_of_us: int | None) -> View | None:
        """Return a view of a stream, None where there is no such stream.

        Blocks a while where its index is still being learned; raises TransientError where that takes longer.
        """
        memory = self.memory(stream)
        return None if memory is None else self._of(stream, memory.learning.soon(_PATIENCE_S)).at(as_of_us)

    def at_hand(self, stream: str, as_of_us: int | None) -> View | None:
        """Return a view that needs no waiting for, None where there is none."""
        index = None if self._memories is None else self._memories.at_hand(stream)
        return None if index is None else self._of(stream, index).at(as_of_us)

    def _of(self, stream: str, index: Index) -> Views:
        with self._turn:
            views = self._views.get(stream)
            if views is None or views.index is not index:
                views = self._views[stream] = Views(index)
            return views


def cut_beside(view: View, state: Path, stream: str, as_of_us: int | None) -> AbstractContextManager[Cut]:
    """Return what the store in a state folder tells of a view's version, with the people that the view shows. Blocks.

    `as_of_us` is what the view was asked for. The store is never behind the memory. Raises as `cut_of`.
    """
    return cut_of(stream_store(state, stream), stream, as_of_us, view.version, view.cast)
