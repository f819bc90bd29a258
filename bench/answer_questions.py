"""Questions of benchmarks in their own files, each with options, the time it is asked at, and where its evidence is.

egolifeqa: a JSON list as EgoLifeQA is published: ID, type, question, choice_a to choice_d, answer (a letter),
query_time and target_time (date DAYn; time HHMMSS and hundredths), target_time also as time_list. Days are numbers
there; `questions` says where day 1 is put.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from biographer.bench.questions import Question, read_questions
from biographer.state.errors import RefusedError


@dataclass(frozen=True, slots=True)
class Choice:
    """A question of a benchmark: what is asked and when, its options, and the right one's letter."""

    asked: Question
    options: tuple[str, ...]
    right: str


def read_choices(path: Path, form: str) -> list[Choice]:
    """Return the questions of a file; raises RefusedError for a form that is not known or does not fit."""
    reader = FORMATS.get(form)
    if reader is None:
        raise RefusedError(f"format {form!r} is not read yet; formats are {', '.join(FORMATS)}")
    try:
        return reader(path)
    except (KeyError, ValueError, TypeError) as error:
        raise RefusedError(f"{path} is not of the format {form}: {type(error).__name__}: {error}") from error


def _egolifeqa(path: Path) -> list[Choice]:
    rows = json.loads(path.read_text("utf-8"))
    return [
        Choice(asked, tuple(str(row[f"choice_{letter}"]) for letter in "abcd"), str(row["answer"]).strip().upper()[:1])
        for asked, row in zip(read_questions(path), rows, strict=True)
    ]


FORMATS: Mapping[str, Callable[[Path], list[Choice]]] = {"egolifeqa": _egolifeqa}
"""Those whose files were at hand to read."""
