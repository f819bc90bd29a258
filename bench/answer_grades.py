"""Grades of answers in words, by a language model that knows the reference: for benchmarks without options.

The graders of the benchmarks' own figures are other models with other prompts, so ours are not theirs.
"""

from typing import Annotated

from msgspec import Meta

from biographer.daemon.asking import Speaker
from biographer.models.chat import ChatRequest, Turn
from biographer.models.chat_model import Unusable
from biographer.models.fence import fenced, told
from biographer.models.form import Form
from biographer.models.prompt import load_prompt

_LONGEST = 4_000
_TOKENS = 300
_WORTH = (0.0, 0.0, 0.0, 0.5, 1.0, 1.0)
"""What so many points are worth."""


class Grade(Form, frozen=True, kw_only=True):
    """Whether an answer is right."""

    why: Annotated[str, Meta(max_length=600, description="What it says beside what the reference says, in a sentence.")]
    right: bool


class Points(Form, frozen=True, kw_only=True):
    """How much of the reference an answer says."""

    why: Annotated[str, Meta(max_length=600, description="What it says beside what the reference says, in a sentence.")]
    points: Annotated[int, Meta(ge=0, le=5)]


async def grade(grader: Speaker, question: str, reference: str, answer: str, *, points: bool = False) -> float | None:
    """Return what an answer is worth, 0..1; None where the grader's word is not understood.

    By points (MM-Lifelong, appendix C.3, as MAGIC-Video's code has it), 4 and 5 are 1, 3 is a half, less is nothing;
    else it is right or wrong. Raises TransientError and RefusedError where no grader answers.
    """
    asked = f"Question: {question}\nReference answer: {reference}\n\n{fenced('answer', [told(answer, _LONGEST)])}"
    turns = (Turn("user", (asked,)),)
    if points:
        scored = await grader.fill(ChatRequest(load_prompt("grade_points"), turns, _TOKENS), Points)
        return None if isinstance(scored, Unusable) else _WORTH[scored.form.points]
    filled = await grader.fill(ChatRequest(load_prompt("grade"), turns, _TOKENS), Grade)
    return None if isinstance(filled, Unusable) else float(filled.form.right)
