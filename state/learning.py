"""When the search index learns: at once while a memory grows, and after a restart beside it.

Applying clips needs no index, so neither a restart nor the writer waits for one; the store holds all that it has to
learn, and a shelf what it learned before. Whoever asks meanwhile waits a while, or is told to come again.
"""

from collections.abc import Callable, Iterable, Sequence
from threading import Event, Lock, Thread

from biographer.state.amendment import Amended, FiledPiece
from biographer.state.errors import TransientError
from biographer.state.index import Index
from biographer.state.learned import Learned
from biographer.state.membership import Membership
from biographer.state.posted_shelf import PostedShelf
from biographer.state.ruling import Ruled, Ruling
from biographer.state.shelf import Shelf
from biographer.state.told import Told

Source = Callable[[int], Iterable[Learned]]
"""From a clip's number to it and all that the store holds after it, from a reading of its own."""

Remarks = Callable[[int, int], Iterable[tuple[int, FiledPiece]]]
"""From a piece's number to those behind it, each with its version, that were added before a clip, by number, was."""

RulingsSource = Callable[[], tuple[int, Sequence[Ruling], Sequence[Membership]]]
"""The version that the last ruling made, all rulings, and the memberships that they changed; from one reading."""


class Learning:
    """An index and, after a restart, where it is to be learned from. Any thread may ask; one at a time grows it.

    `new` returns an empty index.
    """

    def __init__(self, new: Callable[[], Index]) -> None:
        self._new = new
        self._index = new()
        self._source: Source | None = None
        self._remarks: Remarks = _no_remarks
        self._posted: PostedShelf | None = None
        self._posted_last = -1
        self._rulings: RulingsSource = _no_rulings
        self._shelf: Shelf | None = None
        self._clips = 0
        self._turn, self._learner, self._learned = Lock(), Lock(), Event()
        self._learned.set()
        self._closed = False

    def later(
        self,
        source: Source,
        clips: int,
        shelf: Shelf | None = None,
        remarks: Remarks | None = None,
        rulings: RulingsSource | None = None,
        posted: PostedShelf | None = None,
    ) -> None:
        """Leave the clips known so far, and remarks on them, to `learn`; what clips teach then is kept on the shelf."""
        self._source, self._clips, self._shelf = source, clips, shelf
        self._remarks, self._rulings = remarks or _no_remarks, rulings or _no_rulings
        self._posted = posted
        if clips:
            self._learned.clear()
        elif shelf is not None:
            shelf.clear()

    @property
    def at_hand(self) -> Index | None:
        """The index, None where it is to be learned first."""
        return self._index if self._learned.is_set() else None

    @property
    def index(self) -> Index:
        """The index, with all that has been applied; after a restart whoever asks waits until it is learned."""
        # Once learned no turn is waited for: readers never wait for the writer.
        if not self._learned.is_set():
            self.learn()
        return self._index

    @property
    def progress(self) -> str | None:
        """How far it is learned, in words; None where all is."""
        if self._learned.is_set():
            return None
        return f"{min(self._index.extent.clips, self._clips)} of {self._clips} clips are learned"

    def soon(self, patience_s: float) -> Index:
        """Return the index, if need be after so long. Raises TransientError where it is still being learned then."""
        if not self._learned.is_set():
            if not self._learner.locked():
                Thread(target=self.learn, name="learn", daemon=True).start()
            if not self._learned.wait(patience_s):
                raise TransientError(
                    f"the search index is being learned after a start ({self.progress}); ask again soon"
                )
        return self._index

    def learn(self) -> None:
        """Learn all that was left for later, or until closed; the writer goes on meanwhile.

        Raises TransientError or FatalError where the store cannot be read.
        """
        with self._learner:
            if self._learned.is_set() or self._source is None:
                return
            self._read(self._source)
            if not self._index.told.is_whole:
                self._begin_anew(self._source)
            # The writer waits for this last turn alone: for the clips since the last look.
            with self._turn:
                self._catch_up(self._source)
                if not self._closed:
                    self._index.obey(*self._rulings())
                    self._source = None
                    self._learned.set()
                self._flush()

    def grow(self, clip_number: int, learned: Learned) -> None:
        """Learn one clip more, unless all is left for later or was read from the store already."""
        with self._turn:
            if self._learned.is_set() and clip_number == len(self._index.clips):
                self._grow(learned)

    def amend(self, amended: Amended) -> None:
        """Learn what an amendment adds, unless all is left for later or was read from the store already."""
        with self._turn:
            told = self._index.told
            if self._learned.is_set() and amended.pieces and amended.pieces[0].number > told.last_piece:
                self._index.amend(amended.version, amended.pieces, self._keep_terms)

    def obey(self, ruled: Ruled) -> None:
        """Learn what a ruling changes, unless all is left for later."""
        with self._turn:
            if self._learned.is_set():
                self._index.obey(ruled.version, [ruled.ruling], ruled.memberships)

    def stop(self) -> None:
        """Learn no more of what was left for later; the next start does."""
        self._closed = True

    def close(self) -> None:
        """Stop, and write what the shelf has not yet."""
        self.stop()
        with self._learner, self._turn:
            self._flush()

    def _flush(self) -> None:
        for shelf in (self._shelf, self._posted):
            if shelf is not None:
                shelf.flush()

    def _begin_anew(self, source: Source) -> None:
        """Learn all of it without what was kept of remarks, which is of another program."""
        self._posted, self._posted_last = None, -1
        self._index = self._new()
        self._read(source)

    def _read(self, source: Source) -> None:
        """Take what the shelf has, then what the store holds behind it and what is applied meanwhile."""
        self._take_from_shelf()
        while self._catch_up(source):
            pass

    def _take_from_shelf(self) -> None:
        if self._shelf is not None and not self._index.extent.clips:
            deltas, vectors = self._shelf.read()
            try:
                self._index.refill(deltas, vectors)
            except (ValueError, IndexError, KeyError):
                self._shelf.clear()
                self._index = self._new()
        if self._posted is not None:
            self._posted_last, terms = self._posted.read()
            try:
                self._index.told.refill(terms)
            except (ValueError, IndexError, KeyError):
                self._posted_last = -1
                self._index.told = Told()

    def _catch_up(self, source: Source) -> int:
        """Learn what the store holds by now; return how many clips and pieces that was."""
        first, behind = len(self._index.clips), self._index.told.last_piece
        for learned in source(first):
            if self._closed:
                return 0
            self._grow(learned)
        # Those on clips that came meanwhile wait for these.
        for version, piece in self._remarks(behind, len(self._index.clips)):
            if self._closed:
                return 0
            self._index.amend(version, [piece], self._keep_terms)
        return len(self._index.clips) - first + self._index.told.last_piece - behind

    def _keep_terms(self, piece: FiledPiece) -> None:
        if self._posted is not None and piece.number > self._posted_last:
            self._posted.put(piece.number, self._index.told.taken())

    def _grow(self, learned: Learned) -> None:
        clip = len(self._index.clips)
        delta = self._index.grow(learned)
        if self._shelf is not None:
            self._shelf.put(clip, delta)


def _no_rulings() -> tuple[int, Sequence[Ruling], Sequence[Membership]]:
    """Return none: for who learns clips alone."""
    return 0, (), ()


def _no_remarks(*_: int) -> Iterable[tuple[int, FiledPiece]]:
    """Return none: for who learns clips alone."""
    return ()
