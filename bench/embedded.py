"""The vectors of a bench's texts, made once a machine: kept where footage is, by what they are of and by whom."""

import os
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from biographer.bench.footage import kept_folder
from biographer.bench.report import Say, paced
from biographer.models.roles import TextEmbedder

_BATCH = 4096
"""Texts embedded between two words of progress; many, so that those of one length meet."""


def embedded(texts: Sequence[str], embedder: TextEmbedder, say: Say) -> NDArray[np.float32]:
    """Return the vectors of texts (n, d), in their order."""
    mark = blake2b("\n\n".join(texts).encode(), digest_size=8).hexdigest()
    path = kept_folder() / f"{mark}-{embedder.name}.npy"
    if not path.exists():
        parts = [texts[at : at + _BATCH] for at in range(0, len(texts), _BATCH)]
        say(f"embedding {len(texts)} texts")
        matrix = np.concatenate([embedder.embed(part) for part in paced(parts, len(parts), "batches", say)])
        waiting = path.with_suffix(f".{os.getpid()}.npy")
        np.save(waiting, matrix)
        waiting.replace(path)
    kept: NDArray[np.float32] = np.load(path)
    return kept
