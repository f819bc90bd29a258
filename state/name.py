"""Names that occur in what was seen and said, and the one key that a name goes by however it is written."""

import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from biographer.state.stretch import AboutStretch

WEARER = "wearer"
"""Whoever wears the camera, where no other name is set."""

_FIRST_PERSON = frozenset(
    {"i", "me", "my", "mine", "myself", "wearer", "camera wearer", "wearer of the camera", "camera operator"}
    | {"cameraman", "camera person", "camera-wearer", "narrator", "first person", "first-person"}
)
"""By what texts mean the wearer. Not "we": that is several."""

_NOBODY = frozenset(
    {"somebody", "someone", "anybody", "anyone", "nobody", "no one", "noone", "everybody", "everyone", "somebody else"}
    | {"someone else", "unknown", "unknown person", "unknown speaker", "unidentified person", "unnamed person"}
    | {"none", "null", "n/a"}
)
"""What stands where a name is not known: under it all who ever went unnamed would be one."""

_ARTICLES = ("the ", "a ", "an ")


class NameKind(StrEnum):
    """What is named."""

    PERSON = "person"
    OBJECT = "object"
    PLACE = "place"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Mention(AboutStretch):
    """A name in a stretch: which of its local episodes mention it, and from when to when they reach."""

    name: str
    kind: NameKind
    clips: tuple[str, ...]
    start_us: int
    end_us: int

    @property
    def key(self) -> str:
        """What it is kept under."""
        return name_key(self.name)


def name_key(name: str) -> str:
    """Return what a name is compared by: without case, article, marks around it or doubled spaces."""
    folded = " ".join(unicodedata.normalize("NFKC", name).casefold().split()).strip(" .,;:!?\"'")
    for article in _ARTICLES:
        folded = folded.removeprefix(article)
    return folded


def names_nobody(name: str) -> bool:
    """Whether a name is none: a word for whoever it may be, or nothing but marks."""
    key = name_key(name)
    return not key or key in _NOBODY


def called(name: str, wearer: str = WEARER) -> str:
    """Return a name as it is kept: tidied, and the wearer's for every word by which a text means its wearer."""
    key = name_key(name).removesuffix("'s").strip()
    if key in _FIRST_PERSON or key == name_key(wearer):
        return wearer
    # A letter that turns the direction of writing would turn what stands around the name as well.
    return " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
