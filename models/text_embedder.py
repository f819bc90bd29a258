"""Sentences to vectors: a BERT-like encoder in ONNX and its tokenizer.json, as a TextEmbedder.

Every text runs alone and without padding, so what else is asked at the same time never changes a vector. `tokenizers`
(extra `cpu` or `gpu`) is imported only when an embedder is made.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biographer.models.runtime import Network
from biographer.state.errors import FatalError

TOKENS = 256
"""Word pieces after which a text is cut: what the encoder was trained on (all-MiniLM-L6-v2's model card)."""

_LONGEST = 8 * TOKENS
"""Characters that are looked at; more than this many for TOKENS pieces occur in no writing."""

_FED = 4
"""Texts in hand at once: enough to keep a few cores busy, few enough to stay behind other work."""


class MiniLm:
    """Mean of the encoder's last layer over a text's word pieces, normalised."""

    def __init__(self, name: str, network: Network, tokenizer: Path) -> None:
        self._name, self._network = name, network
        self._tokenizer = _open_tokenizer(tokenizer)
        self._output = next(iter(network.outputs))
        self._dim = network.outputs[self._output][-1] or 0

    @property
    def name(self) -> str:
        """The catalogue's name."""
        return self._name

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._dim

    @property
    def provider(self) -> str:
        """Where its network runs now."""
        return self._network.provider

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, dim) unit vectors of n texts; an empty or blank text gets a row of zeros."""
        vectors = np.zeros((len(texts), self._dim), np.float32)
        rows = [row for row, text in enumerate(texts) if text.strip()]
        if len(rows) == 1:
            vectors[rows[0]] = self._embed(texts[rows[0]])
        elif rows:
            with ThreadPoolExecutor(_FED) as pool:
                for row, vector in zip(rows, pool.map(self._embed, [texts[row] for row in rows]), strict=True):
                    vectors[row] = vector
        return vectors

    def _embed(self, text: str) -> NDArray[np.float32]:
        ids = np.array([self._tokenizer.encode(text[:_LONGEST]).ids], np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        wanted = {name: array for name, array in feeds.items() if name in self._network.inputs}
        (layer,) = self._network.run_together(wanted, [self._output])
        mean = layer[0].astype(np.float64).mean(axis=0)
        vector: NDArray[np.float32] = (mean / np.linalg.norm(mean)).astype(np.float32)
        return vector


def _open_tokenizer(path: Path) -> Any:  # noqa: ANN401 - the package's types are of its extension module
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415 - an extra: what needs no network must start without it
    except ImportError as error:
        raise FatalError(f"text needs tokenizers ({error}): install biographer[cpu] or biographer[gpu]") from error
    tokenizer = Tokenizer.from_file(str(path))
    # The published file pads every text to 128 pieces and cuts there; unmasked padding makes all texts alike.
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS)
    return tokenizer
