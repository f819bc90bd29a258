"""The section of the settings on questions: the bounds that an answer is found within (GEB, appendix A).

Which models answer is in `language_section`. As in `sections`, the description of a field is its documentation.
"""

from typing import Annotated

from msgspec import Meta

from biographer.daemon.question import Limits
from biographer.daemon.sections import Section

_LIMITS = Limits()
"""Questions are bounded where they are answered; the defaults are taken from there."""


class Ask(Section, frozen=True):
    """How a question is answered; `language` says by whom."""

    rounds: Annotated[int, Meta(ge=1, le=20, description="Most rounds of searches.")] = _LIMITS.rounds
    items: Annotated[int, Meta(ge=1, le=200, description="Most new items a round, over all of its searches.")] = (
        _LIMITS.items
    )
    searches: Annotated[int, Meta(ge=1, le=4, description="Most searches a round.")] = _LIMITS.searches
    stale_rounds: Annotated[
        int, Meta(ge=1, le=20, description="Rounds running that bring nothing of use, after which it must answer.")
    ] = _LIMITS.stale_rounds
    frames: Annotated[
        int, Meta(ge=0, le=256, description="Most frames that the answering model is shown; 0 where it does not see.")
    ] = _LIMITS.frames
    frame_side: Annotated[int, Meta(ge=64, le=2048, description="Longest side of such a frame, in pixels.")] = 448
    tokens: Annotated[
        int, Meta(ge=1000, description="Tokens read and written by models; at three quarters of it, it must answer.")
    ] = _LIMITS.tokens
    context_tokens: Annotated[
        int, Meta(ge=200, description="Most tokens of evidence in one request, at four characters each.")
    ] = _LIMITS.context_tokens
    seconds: Annotated[
        float, Meta(gt=0, le=3600, description="Time for a question; at three quarters of it, it must answer.")
    ] = _LIMITS.seconds
    plan: Annotated[bool, Meta(description="Whether a planner splits the question into steps first.")] = _LIMITS.plan
    judge: Annotated[bool, Meta(description="Whether what a search brought is judged before it is kept.")] = (
        _LIMITS.judge
    )
    at_once: Annotated[
        int, Meta(ge=1, le=256, description="Questions answered at once; more are told to come back.")
    ] = 4
