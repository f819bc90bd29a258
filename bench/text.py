"""The text embedder of a bench."""

from pathlib import Path

from biographer.models.catalogue import load_text_embedder
from biographer.models.runtime import Runtime
from biographer.models.text_embedder import MiniLm


def opened_text_embedder(name: str, models: Path) -> MiniLm:
    """Open a text embedder; its engines are kept beside its weights."""
    return load_text_embedder(name, models, Runtime(models / "engines"))
