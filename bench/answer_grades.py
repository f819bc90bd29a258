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


class Grade(Form, frozen=True, kw_only=True):
    """Whether an answer is right."""

    why: Annotated[str, Meta(max_length=600, description="What it says beside what the reference says, in a sentence.")]
    right: bool


async def grade(grader: Speaker, question: str, reference: str, answer: str) -> bool | None:
    """Return whether an answer is right, None where the grader's word is not understood.

    Raises TransientError and RefusedError where no grader answers.
    """
    asked = f"Question: {question}\nReference answer: {reference}\n\n{fenced('answer', [told(answer, _LONGEST)])}"
    filled = await grader.fill(ChatRequest(load_prompt("grade"), (Turn("user", (asked,)),), _TOKENS), Grade)
    return None if isinstance(filled, Unusable) else filled.form.right
