"""Searches that are timed: from a question's text to its evidence, the embedding of the question included."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from biographer.models.roles import TextEmbedder
from biographer.state.observation import Embedding
from biographer.state.query import Query
from biographer.state.search import search
from biographer.state.search_settings import SearchSettings
from biographer.state.views import Views


@dataclass(frozen=True, slots=True)
class TimedSearch:
    """The questions, and what embeds and ranks them."""

    texts: Sequence[str]
    embedder: TextEmbedder
    settings: SearchSettings

    def once(self, views: Views, number: int, as_of_us: int | None = None) -> float:
        """Return the seconds that one of the questions took; they come again where there are not enough."""
        began = time.perf_counter()
        query = self.query(number, as_of_us)
        search(views.at(as_of_us), query, self.settings)
        return time.perf_counter() - began

    def query(self, number: int, as_of_us: int | None = None) -> Query:
        """Return one of the questions, embedded."""
        text = self.texts[number % len(self.texts)]
        return Query(text, Embedding(self.embedder.name, self.embedder.embed([text])[0]), as_of_us=as_of_us)

    def open_loop(self, views: Views, every_s: float, seconds: float) -> list[float]:
        """Return how long after its turn each search was done: one begins every so often, whether or not others are."""
        began, taken = time.perf_counter(), list[float]()
        for number in range(round(seconds / every_s)):
            turn = began + number * every_s
            time.sleep(max(0.0, turn - time.perf_counter()))
            self.once(views, number)
            taken.append(time.perf_counter() - turn)
        return taken
