"""How many tokens a text is, before any endpoint is asked: budgets are kept by this, and say by whose count.

The count of the model that answers is in its `Spending`; another's tokenizer is an estimate, and its name says which.
"""

from pathlib import Path
from typing import Protocol

from biographer.models.text_embedder import open_tokenizer


class TokenCounter(Protocol):
    """Counts tokens of texts."""

    @property
    def name(self) -> str:
        """Whose count it is, for every output that quotes one."""

    def count(self, text: str) -> int:
        """Return how many tokens the text is, 0 for an empty one."""


class QuarterCounter:
    """A token for every four characters, rounded up: English, for want of a tokenizer; other scripts take more."""

    name = "characters/4"

    def count(self, text: str) -> int:
        """Return the estimate."""
        return -(-len(text) // 4)


class TokenizerCounter:
    """Counts by a tokenizer.json, such as the text embedder's; thread-safe. Raises FatalError without `tokenizers`."""

    def __init__(self, name: str, file: Path) -> None:
        self.name = name
        self._tokenizer = open_tokenizer(file)
        self._tokenizer.no_truncation()

    def count(self, text: str) -> int:
        """Return the number of word pieces, without those that mark begin and end."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)
