"""A model for benches of the question loop: keeps all that it is shown, searches so many rounds, then answers.

It costs no time, so that what is measured is the loop's own.
"""

import json
import re
from dataclasses import dataclass

from biographer.bench.language_server import Asked, Play

_NAMED = re.compile(r"^\| \[([olw][0-9]+)\]", re.MULTILINE)
_LEFT = re.compile(r"Rounds of searches left: (\d+)")


@dataclass(frozen=True, slots=True)
class ScriptedAnswers:
    """The script of a language server; `rounds` of the limit's `most` are made, each with a search for other words."""

    rounds: int
    most: int

    def __call__(self, asked: Asked) -> Play:
        """Answer by the form that is asked for."""
        form = asked.body["response_format"]["json_schema"]["name"]
        names = _NAMED.findall(asked.text)
        return Play(json.dumps(self._said(form, asked.text, names)))

    def _said(self, form: str, text: str, names: list[str]) -> dict[str, object]:
        question = text.partition("Question: ")[2].partition("\n")[0]
        match form:
            case "Plan":
                return {"steps": ["find it"], "searches": [_call(question)]}
            case "Judgement":
                return {"relevant": [{"id": name, "why": "it bears on the question"} for name in names]}
            case "Decision":
                left = _LEFT.search(text)
                searching = left is not None and self.most - int(left[1]) < self.rounds
                calls = [_call(f"{question} {left[1] if left else ''}")] if searching else []
                return {"missing": "more", "action": "search" if searching else "answer", "searches": calls}
        return {"status": "answered", "answer": "So it was.", "choice": None, "citations": names[:3]}


def _call(text: str) -> dict[str, object]:
    return {"tool": "memory", "text": text, "begin": None, "until": None, "label": None, "entity": None}
