"""Which texts of a stream have a vector in the store already: known without the index, from the first clip on."""

from collections.abc import Iterable, Mapping
from hashlib import blake2b

from biographer.state.observation import Embedding
from biographer.state.texts import Vectors


class Worded:
    """Digests of the texts that have vectors. The first embedder that gives one is the stream's."""

    def __init__(self) -> None:
        self.embedder: str | None = None
        self._known: set[bytes] = set()

    def fresh(self, given: Mapping[str, Embedding]) -> Vectors:
        """Return those of the given vectors that are new, of the stream's embedder."""
        embedder = self.embedder or next((one.embedder for one in given.values()), None)
        return Vectors.of(
            {text: one for text, one in given.items() if one.embedder == embedder and _digest(text) not in self._known}
        )

    def learn(self, embedder: str, texts: Iterable[str]) -> None:
        """Note that these texts have vectors now."""
        self._known.update(map(_digest, texts))
        self.embedder = self.embedder or embedder


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=12).digest()
