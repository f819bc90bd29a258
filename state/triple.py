"""Triples: facts of the form subject, relation, object that were read out of a stretch's episodes (MAGIC-Video)."""

from dataclasses import dataclass

from biographer.state.name import name_key
from biographer.state.stretch import AboutStretch


@dataclass(frozen=True, slots=True)
class Triple(AboutStretch):
    """One fact and where it stands: the local episodes by name, and the time from the first to the last of them.

    There is none without episodes: no fact without a time.
    """

    subject: str
    relation: str
    object: str
    clips: tuple[str, ...]
    start_us: int
    end_us: int

    @property
    def key(self) -> tuple[str, str, str]:
        """By which the same fact, told again, is one: consolidation joins those of one key, each known from its own."""
        return name_key(self.subject), name_key(self.relation), name_key(self.object)

    @property
    def text(self) -> str:
        """Return what is embedded and searched."""
        return f"{self.subject} {self.relation} {self.object}"
