"""Prompts: our instructions to models, one file each in `prompts/`, known by what is in them.

What a prompt says is fixed text; what was recorded follows it, fenced, in another message. The mark of a prompt goes
into every record that it led to, so that a changed prompt never passes for the old one.
"""

from dataclasses import dataclass
from hashlib import sha256
from importlib import resources

from biographer.state.errors import RefusedError


@dataclass(frozen=True, slots=True)
class Prompt:
    """One instruction."""

    name: str
    text: str

    @property
    def mark(self) -> str:
        """Its name and the start of its content's SHA-256, such as describe@3f2a9c1b04d7."""
        return f"{self.name}@{sha256(self.text.encode()).hexdigest()[:12]}"


def load_prompt(name: str) -> Prompt:
    """Return the prompt of `prompts/NAME.md`; raises RefusedError where there is none."""
    file = resources.files("biographer.models") / "prompts" / f"{name}.md"
    if not file.is_file():
        raise RefusedError(f"there is no prompt {name!r}; add models/prompts/{name}.md")
    return Prompt(name, file.read_text(encoding="utf-8").replace("\r\n", "\n").strip())
