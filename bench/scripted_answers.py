"""A model for benches of the question loop: keeps all that it is shown, searches so many rounds, then answers.

It costs no time, so that what is measured is the loop's own. It speaks as the script of a language server, or in place
of a model at any stage.
"""

import json
import re
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TypeVar

from biographer.bench.language_server import Asked, Play
from biographer.daemon.answerer import Answerer
from biographer.daemon.question_loop import Stage
from biographer.models.chat import ChatRequest
from biographer.models.chat_model import Filled
from biographer.models.form import Form, read_form
from biographer.models.spending import Spending
from biographer.state.authorship import Authorship

FormT = TypeVar("FormT", bound=Form)

_NAMED = re.compile(r"^\| \[([olw][0-9]+)\]", re.MULTILINE)
_LEFT = re.compile(r"Rounds of searches left: (\d+)")
_OPTION = re.compile(r"^[A-Z]\. (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ScriptedAnswers:
    """`rounds` of the limit's `most` are made, each with a search for other words.

    A part of a round is made for that part of all questions, chosen by their words: 2.4 is two or three.
    """

    rounds: float
    most: int

    @property
    def name(self) -> str:
        """What it is called where models are named."""
        return f"script of {self.rounds:g} rounds"

    def __call__(self, asked: Asked) -> Play:
        """Answer by the form that is asked for."""
        return Play(self.says(asked.body["response_format"]["json_schema"]["name"], asked.text))

    async def fill(self, request: ChatRequest, form: type[FormT]) -> Filled[FormT]:
        """Return the form filled in; tokens are not counted."""
        author = Authorship(self.name, request.prompt.mark)
        return Filled(read_form(self.says(form.__name__, request.text), form), author, Spending())

    def says(self, form: str, text: str) -> str:
        """Return what it answers in a form of that name to such words, as JSON."""
        names = _NAMED.findall(text)
        match form:
            case "Plan":
                told: dict[str, object] = {"steps": ["find it"], "searches": [_call(_question(text))]}
            case "Judgement":
                told = {"relevant": [{"id": name, "why": "it bears on the question"} for name in names]}
            case "Decision":
                told = self._decided(text)
            case _:
                choice = "A" if _OPTION.search(text) else None
                told = {"status": "answered", "answer": "So it was.", "choice": choice, "citations": names[:3]}
        return json.dumps(told)

    def _decided(self, text: str) -> dict[str, object]:
        question, left = _question(text), _LEFT.search(text)
        made = self.most - int(left[1]) if left else self.most
        searching = made < self._rounds_of(question)
        calls = [_call(" ".join([question, *_OPTION.findall(text)[made - 1 :], str(made)]))] if searching else []
        return {"missing": "more", "action": "search" if searching else "answer", "searches": calls}

    def _rounds_of(self, question: str) -> int:
        whole, part = divmod(self.rounds, 1)
        drawn = int.from_bytes(sha256(question.encode()).digest()[:4], "big") / 2**32
        return int(whole) + (drawn < part)


def _question(text: str) -> str:
    return text.partition("Question: ")[2].partition("\n")[0]


def _call(text: str) -> dict[str, object]:
    return {"tool": "memory", "text": text, "begin": None, "until": None, "label": None, "entity": None}


def scripted(answerer: Answerer, rounds: float) -> Answerer:
    """Return an answerer with the script at every stage."""
    script = ScriptedAnswers(rounds, answerer.limits.rounds)
    return replace(answerer, speakers=dict.fromkeys(Stage, script))
