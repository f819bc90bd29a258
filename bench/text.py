"""The text embedder of a bench, and the count of tokens by its tokenizer."""

from pathlib import Path

from biographer.models.catalogue import load_text_embedder, model_path
from biographer.models.runtime import Runtime
from biographer.models.text_embedder import MiniLm
from biographer.models.token_counter import TokenizerCounter


def opened_text_embedder(name: str, models: Path) -> MiniLm:
    """Open a text embedder; its engines are kept beside its weights."""
    return load_text_embedder(name, models, Runtime(models / "engines"))


def opened_counter(name: str, models: Path) -> TokenizerCounter:
    """Open the counter of a text embedder's word pieces."""
    file = model_path(name, "text_embedder", models).with_suffix(".tokenizer.json")
    return TokenizerCounter(f"{name}'s word pieces", file)
