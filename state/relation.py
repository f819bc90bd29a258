"""Relations: who did what with whom or what, and when: the edges of EGAgent's entity scene graph (its appendix C)."""

from dataclasses import dataclass
from enum import StrEnum

from biographer.state.name import name_key
from biographer.state.stretch import AboutStretch


class RelationKind(StrEnum):
    """Few and coarse: finer ones scatter what belongs together (EGAgent appendix F)."""

    TALKS_TO = "talks_to"
    INTERACTS_WITH = "interacts_with"
    USES = "uses"
    MENTIONS = "mentions"


class PartyKind(StrEnum):
    """What may stand at an end of a relation."""

    PERSON = "person"
    OBJECT = "object"
    LOCATION = "location"


@dataclass(frozen=True, slots=True)
class Party:
    """One end: its name in words, and where the model could point at it, the track in that clip.

    The track is the bridge that the paper lacks: the observation's entity, as it is known at the time of asking, is who
    the relation is about.
    """

    name: str
    kind: PartyKind
    track: int | None = None

    @property
    def key(self) -> str:
        """By which names are compared."""
        return name_key(self.name)


@dataclass(frozen=True, slots=True)
class Relation(AboutStretch):
    """One edge, from `start_us` to `end_us`: the time of what it was read from, within its local episode."""

    source: Party
    kind: RelationKind
    target: Party
    start_us: int
    end_us: int
    evidence: str
    """What it was read from, in a few words."""

    @property
    def text(self) -> str:
        """Return what is embedded and searched."""
        said = f"{self.source.name} {self.kind.value.replace('_', ' ')} {self.target.name}"
        return f"{said}: {self.evidence}" if self.evidence else said

    @property
    def clip(self) -> str:
        """The clip it was read from."""
        return self.stretch.clips[0]
