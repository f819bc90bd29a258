"""One stream: its memory, its store and its media, changed together (DESIGN section 5, effectively once)."""

from dataclasses import dataclass
from pathlib import Path

from biographer.state.amending import amended, written_inline
from biographer.state.amendment import Amended, Amendment, Written
from biographer.state.change import Change
from biographer.state.episode import LOCAL
from biographer.state.media import MediaFolder
from biographer.state.obeying import ruled
from biographer.state.perceived import Perceived
from biographer.state.piece import ENDED, Piece
from biographer.state.position import Position
from biographer.state.restore import restore
from biographer.state.rule import Rule
from biographer.state.ruling import Ruled, Word
from biographer.state.store import Store
from biographer.state.zones import UTC_ZONE


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a clip: `change` is None where it was known already and nothing changed."""

    version: int
    change: Change | None

    @property
    def known(self) -> bool:
        """Whether the clip had been applied before."""
        return self.change is None

    @property
    def late(self) -> bool:
        """Whether the clip came from before the watermark."""
        return self.change is not None and self.change.late


class Stream:
    """One wearer's memory on disk. Calls block; a single thread at a time may call."""

    def __init__(
        self, name: str, folder: Path, rule: Rule, *, media_limit: int | None = None, timezone: str = UTC_ZONE
    ) -> None:
        """Open a stream, or begin one whose days are those of `timezone`."""
        self.name = name
        self.folder = folder
        self.media = MediaFolder(folder / "media")
        self.store = Store(folder / "memory.db", name, timezone=timezone)
        self.memory = restore(self.store, name, rule, shelf=folder / "index.db")
        self._media_limit = media_limit

    @property
    def watermark_us(self) -> int | None:
        """Event time up to which the stream has been applied; None while it is empty."""
        return self.memory.watermark_us

    @property
    def version(self) -> int:
        """How many changes have been made: clips that were applied, amendments and rulings."""
        return self.memory.version

    def knows(self, clip: str) -> bool:
        """Whether a clip of that name has been applied."""
        return clip in self.memory.clips

    @property
    def newest(self) -> str | None:
        """The name of the clip that was applied last; None while it is empty."""
        return next(reversed(self.memory.clips), None)

    def apply(self, perceived: Perceived, position: Position | None = None) -> Applied:
        """Associate, remember and make durable one clip, and with it where the log stands.

        A known clip changes nothing but the position. Raises TransientError where the disk refuses: memory and store
        are then as before, and the same call may be made again; RefusedError where the clip cannot be applied at all.
        """
        if perceived.clip.stream == self.name and self.knows(perceived.clip.name):
            if position is not None:
                self.advance(position)
            return Applied(self.version, None)
        # Media first would make the folder anew where it is not any more.
        self.store.database.refuse_moved()
        change = self.memory.plan(perceived)
        for name, content in perceived.media.items():
            self.media.put(name, content)
        self.media.sync()
        sizes = {name: len(content) for name, content in perceived.media.items()}
        self.store.commit([change], position, sizes)
        self.memory.adopt(change)
        if perceived.remarks or perceived.heard:
            # A crash before this leaves the observations to be described like any others.
            self.amend(written_inline(change, perceived))
        self._bound_media(bool(sizes))
        return Applied(self.version, change)

    def amend(self, amendment: Amendment) -> Amended | None:
        """Add what was written about clips that were applied before; None where all of it is there already.

        Raises RefusedError where it does not fit, TransientError where the disk refuses; nothing has changed then.
        """
        change = amended(amendment, self.memory, self.store)
        if change is not None:
            self.store.amend(change)
            self.memory.amend(change)
        return change

    def end(self) -> Amended | None:
        """Note that nothing follows the last clip for now, so that what waits for more goes on without. As `amend`."""
        clips = self.memory.clips
        if not clips:
            return None
        piece = Piece(ENDED, LOCAL, len(clips) - 1)
        return self.amend(Amendment((Written(piece, self.memory.known_us, (next(reversed(clips)),), ()),)))

    def obey(self, word: Word) -> Ruled:
        """Do as a user says about who is who, from now on and for good. Raises as `amend`."""
        ruled_on = ruled(word, self.memory, self.store)
        self.store.obey(ruled_on)
        self.memory.obey(ruled_on)
        return ruled_on

    def advance(self, position: Position) -> None:
        """Make durable where the log stands although no clip was applied."""
        self.store.advance(position)

    def positions(self) -> tuple[Position, ...]:
        """Return where this stream stands in each partition's log."""
        return self.store.positions()

    def close(self) -> None:
        """Close the store; the stream is not to be used after."""
        self.memory.learning.close()
        self.store.close()

    def _bound_media(self, grown: bool) -> None:  # noqa: FBT001 - private, one caller
        if self._media_limit is None or not grown:
            return
        dropped = self.store.oldest_media(self._media_limit)
        if dropped:
            # Struck first: a crash between the two leaves a file too many, never a row without its file.
            self.store.forget_media(dropped)
            for name in dropped:
                self.media.drop(name)
