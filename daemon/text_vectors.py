"""Vectors of the texts that are searched: a clip's as it comes in, a question's when it is asked; each text once."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from biographer.models.roles import TextEmbedder
from biographer.state.errors import RefusedError, TransientError
from biographer.state.observation import Embedding
from biographer.state.perceived import Perceived
from biographer.state.wording import wording

_KEPT = 4096


class TextVectors:
    """A text embedder and the texts that it was given last: cups are called a cup in clip after clip. Any thread.

    Where it is one that may fail, `report` is told why it does, and None once it does not: meanwhile texts have no
    vectors and are found by their words. Without `report` a failure is raised.
    """

    def __init__(self, embedder: TextEmbedder, report: Callable[[str | None], None] | None = None) -> None:
        self._embedder, self._report = embedder, report
        self._kept: OrderedDict[str, Embedding] = OrderedDict()
        self._name: str | None = None
        """Whose vectors are kept."""
        self._lock = Lock()

    def of_clip(self, perceived: Perceived) -> Mapping[str, Embedding]:
        """Return the vectors of a clip's texts; blocks."""
        return self._vectors(wording(perceived.clip, perceived.observations))

    def of_texts(self, texts: Sequence[str]) -> Mapping[str, Embedding]:
        """Return the vectors of texts, each once; blocks."""
        return self._vectors(list(dict.fromkeys(texts)))

    def of_question(self, text: str) -> Embedding | None:
        """Return the vector of a question, None where it says nothing; blocks."""
        return self._vectors([text]).get(text)

    def _vectors(self, texts: Sequence[str]) -> dict[str, Embedding]:
        with self._lock:
            known = {text: self._kept[text] for text in texts if text in self._kept}
        name, fresh = self._embedded([text for text in texts if text not in known])
        with self._lock:
            if name not in (None, self._name):
                # An endpoint's vectors are of another length than those that are kept, which compare with none of them.
                self._name, known = name, {}
                self._kept.clear()
            self._kept.update(fresh)
            for text in known:
                if text in self._kept:
                    self._kept.move_to_end(text)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return known | fresh

    def _embedded(self, texts: Sequence[str]) -> tuple[str | None, dict[str, Embedding]]:
        """Return whose vectors these are, None where there are none, and those of texts that have a direction."""
        found: dict[str, Embedding] = {}
        name, rows = self._rows(texts)
        for text, row in rows:
            try:
                found[text] = Embedding.of(name, row)
            except RefusedError:
                continue  # a blank text has no direction
        return name if rows else None, found

    def _rows(self, texts: Sequence[str]) -> tuple[str, Sequence[tuple[str, NDArray[np.float32]]]]:
        """Return whose vectors these are, and texts with their vectors, none at all where the embedder fails."""
        if not texts:
            return "", ()
        try:
            name, vectors = self._asked(texts)
        except (TransientError, RefusedError) as error:
            if self._report is None:
                raise
            self._report(f"texts have no vectors: {error}")
            return "", ()
        if self._report is not None:
            self._report(None)
        return name, list(zip(texts, vectors, strict=True))

    def _asked(self, texts: Sequence[str]) -> tuple[str, NDArray[np.float32]]:
        name, vectors = self._embedder.name, self._embedder.embed(texts)
        if self._embedder.name != name:
            raise TransientError(f"vectors were of {name}, and no more once they were there; ask again")
        return name, vectors
