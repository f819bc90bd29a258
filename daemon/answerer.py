"""Who answers questions: the models that the settings name for the stages of a question, and the bounds on it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from biographer.daemon.ask_section import Ask
from biographer.daemon.asking import Speaker
from biographer.daemon.language import LanguageModels
from biographer.daemon.language_roles import LanguageRole
from biographer.daemon.question import Limits
from biographer.daemon.question_loop import Stage
from biographer.models.token_counter import QuarterCounter, TokenCounter

ROLES: Mapping[Stage, LanguageRole] = {
    Stage.PLAN: LanguageRole.PLANNER,
    Stage.CONTROL: LanguageRole.CONTROLLER,
    Stage.JUDGE: LanguageRole.JUDGE,
    Stage.ANSWER: LanguageRole.ANSWERER,
}


@dataclass(frozen=True, slots=True)
class Answerer:
    """Who speaks at each stage, and within which bounds."""

    speakers: Mapping[Stage, Speaker] = field(default_factory=dict)
    limits: Limits = Limits()  # noqa: RUF009 - immutable
    counter: TokenCounter = QuarterCounter()  # noqa: RUF009 - holds nothing
    at_once: int = 4
    """Questions under way at once; more are to come back."""
    frame_side: int = 448


def answerer_of(section: Ask, models: LanguageModels) -> Answerer:
    """Return who answers by the settings."""
    played = {stage: models.chat(role) for stage, role in ROLES.items()}
    speakers = {stage: model for stage, model in played.items() if model is not None}
    return Answerer(speakers, limits_of(section), at_once=section.at_once, frame_side=section.frame_side)


def limits_of(section: Ask) -> Limits:
    """Return the bounds on one question."""
    return Limits(
        rounds=section.rounds,
        items=section.items,
        searches=section.searches,
        stale_rounds=section.stale_rounds,
        frames=section.frames,
        tokens=section.tokens,
        context_tokens=section.context_tokens,
        seconds=section.seconds,
        plan=section.plan,
        judge=section.judge,
    )
