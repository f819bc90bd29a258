"""Who wrote a text of the memory: a model, by which prompt. What nobody's model wrote has none."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Authorship:
    """The model's name as it was asked for, and the prompt's name and content hash (describe@3f2a9c1b04d7)."""

    model: str
    prompt: str
