"""Texts to search terms: words, stemmed; character pairs where a script writes no spaces; pictographs by themselves.

Query and record go through the same steps, whatever their language; nothing here counts or ranks. Only a question
loses the English words that make it a question: rarity alone does not weigh them down enough (RANKING.md).
"""

import unicodedata
from hashlib import blake2b

import regex
import Stemmer

_TERMS = regex.compile(r"[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}")
_RUNS = regex.compile(r"([\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+)")

_LONGEST = 64
"""Characters of a term that count: what is longer is no word, and must not fill the memory."""


_ASKING = (
    "a an and are as at be been by did do does for from had has have he her his how i in is it me my of on or our she "
    "that the their there they this to was we were what when where which who whom whose why with you your"
)


class Tokens:
    """One thread's way from texts to terms: the stemmer keeps a cache and is not to be shared between threads."""

    __slots__ = ("_asking", "_stem")

    def __init__(self) -> None:
        self._stem = Stemmer.Stemmer("english")
        self._asking = frozenset(self._stem.stemWords(_ASKING.split()))

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text in order, repeated where they repeat; empty for a text without any."""
        words: list[str] = _TERMS.findall(unicodedata.normalize("NFC", text).casefold())
        parts = [part for word in words for part in (_pairs(word) if _RUNS.search(word) else [word])]
        stemmed: list[str] = self._stem.stemWords([part[:_LONGEST] for part in parts])
        return stemmed

    def asked(self, question: str) -> list[str]:
        """Return the terms of a question that say what is looked for; all, where nothing else is left."""
        terms = self.terms(question)
        return [term for term in terms if term not in self._asking] or terms

    def length(self, terms: list[str]) -> int:
        """Return how long a text of these terms is: words that only ask or join do not make it longer."""
        return sum(term not in self._asking for term in terms)

    @staticmethod
    def fingerprint() -> str:
        """Return what tells these steps from others: terms that were made by another are not comparable."""
        versions = (Stemmer.version(), regex.__version__, unicodedata.unidata_version)
        steps = (_TERMS.pattern, _RUNS.pattern, _LONGEST, _ASKING)
        return blake2b(repr((versions, steps)).encode(), digest_size=16).hexdigest()


def _pairs(word: str) -> list[str]:
    found: list[str] = []
    for run in filter(None, _RUNS.split(word)):
        unspaced = _RUNS.fullmatch(run) is not None and len(run) > 1
        found += [run[at : at + 2] for at in range(len(run) - 1)] if unspaced else [run]
    return found
