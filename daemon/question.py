"""What is asked of the question loop, and the bounds that an answer must be found within. Nothing here answers."""

from dataclasses import dataclass
from string import ascii_uppercase

from biographer.state.errors import RefusedError
from biographer.state.query import MOST_TEXT

MOST_OPTIONS = len(ascii_uppercase)


@dataclass(frozen=True, slots=True)
class Question:
    """A question in words; with `options` it is multiple choice, and they are lettered from A.

    `as_of_us` is the event time that it is asked at; None asks now, of all that there is.
    """

    text: str
    options: tuple[str, ...] = ()
    as_of_us: int | None = None

    def __post_init__(self) -> None:
        """Refuse what nothing could answer."""
        if not self.text.strip():
            raise RefusedError("the question is empty; ask in words")
        if len(self.text) > MOST_TEXT:
            raise RefusedError(f"a question of {len(self.text)} characters: ask in at most {MOST_TEXT}")
        if len(self.options) == 1 or len(self.options) > MOST_OPTIONS:
            raise RefusedError(f"{len(self.options)} options: give 2 to {MOST_OPTIONS}, or none")

    @property
    def letters(self) -> str:
        """The letters of the options, in order."""
        return ascii_uppercase[: len(self.options)]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one question: GEB's (appendix A), and on time and tokens our own."""

    rounds: int = 5
    """Rounds of searches."""
    items: int = 16
    """New items a round, over all of its searches."""
    searches: int = 4
    """Searches a round."""
    stale_rounds: int = 2
    """Rounds running that brought nothing of use, after which it must answer."""
    frames: int = 64
    """Frames shown to a model that sees."""
    tokens: int = 60_000
    """Tokens read and written by models, after which it must answer."""
    context_tokens: int = 6_600
    """Tokens of evidence in one request, estimated."""
    seconds: float = 120.0
    """Time for the whole; at three quarters of it, it must answer."""
    plan: bool = True
    """Whether a planner splits the question first (EGAgent); else the question itself is searched for."""
    judge: bool = True
    """Whether what a search brought is judged for relevance (EGAgent); else all of it is kept."""
