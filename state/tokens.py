"""Texts to search terms: words, stemmed; character pairs where a script writes no spaces; pictographs by themselves.

Query and record go through the same steps, whatever their language; nothing here counts or ranks. No list of stop
words: measured on the evidence bench, rarity alone weighs them down as well (RANKING.md).
"""

import unicodedata

import regex
import Stemmer

_TERMS = regex.compile(r"[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}")
_RUNS = regex.compile(r"([\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+)")

_LONGEST = 64
"""Characters of a term that count: what is longer is no word, and must not fill the memory."""


class Tokens:
    """One thread's way from texts to terms: the stemmer keeps a cache and is not to be shared between threads."""

    __slots__ = ("_stem",)

    def __init__(self) -> None:
        self._stem = Stemmer.Stemmer("english")

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text in order, repeated where they repeat; empty for a text without any."""
        words: list[str] = _TERMS.findall(unicodedata.normalize("NFC", text).casefold())
        parts = [part for word in words for part in (_pairs(word) if _RUNS.search(word) else [word])]
        stemmed: list[str] = self._stem.stemWords([part[:_LONGEST] for part in parts])
        return stemmed


def _pairs(word: str) -> list[str]:
    found: list[str] = []
    for run in filter(None, _RUNS.split(word)):
        unspaced = _RUNS.fullmatch(run) is not None and len(run) > 1
        found += [run[at : at + 2] for at in range(len(run) - 1)] if unspaced else [run]
    return found
