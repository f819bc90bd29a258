"""Sentences to vectors: a BERT-like encoder in ONNX and its tokenizer.json, as a TextEmbedder.

Only texts of one length run together, and none is padded, so that what else is asked at the same time never changes a
vector (on ONNX Runtime's CPU kernels: not by a bit). `tokenizers` (extra `cpu` or `gpu`) is imported only when an
embedder is made.
"""

from collections.abc import Sequence
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

_TOGETHER = 16
"""Texts of one length that run at once: lines of speech take half the time of one by one, and more gain nothing."""


class MiniLm:
    """Mean of the encoder's last layer over a text's word pieces, normalised."""

    def __init__(self, name: str, network: Network, tokenizer: Path) -> None:
        self._name, self._network = name, network
        self._tokenizer = open_tokenizer(tokenizer)
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
        by_length: dict[int, list[int]] = {}
        pieces = [self._pieces(text) for text in texts]
        for row, ids in enumerate(pieces):
            if texts[row].strip():
                by_length.setdefault(len(ids), []).append(row)
        for rows in by_length.values():
            for at in range(0, len(rows), _TOGETHER):
                part = rows[at : at + _TOGETHER]
                vectors[part] = self._encoded(np.array([pieces[row] for row in part], np.int64))
        return vectors

    def _pieces(self, text: str) -> list[int]:
        found: list[int] = self._tokenizer.encode(text[:_LONGEST]).ids
        return found

    def _encoded(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        wanted = {name: array for name, array in feeds.items() if name in self._network.inputs}
        (layer,) = self._network.run_together(wanted, [self._output])
        means = layer.astype(np.float64).mean(axis=1)
        vectors: NDArray[np.float32] = (means / np.linalg.norm(means, axis=1, keepdims=True)).astype(np.float32)
        return vectors


def open_tokenizer(path: Path) -> Any:  # noqa: ANN401 - the package's types are of its extension module
    """Return the tokenizer of a tokenizer.json, cut at TOKENS and unpadded. Raises FatalError without `tokenizers`."""
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415 - an extra: what needs no network must start without it
    except ImportError as error:
        raise FatalError(f"text needs tokenizers ({error}): install biographer[cpu] or biographer[gpu]") from error
    tokenizer = Tokenizer.from_file(str(path))
    # The published file pads every text to 128 pieces and cuts there; unmasked padding makes all texts alike.
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS)
    return tokenizer
