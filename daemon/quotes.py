"""What was recorded, quoted for a model on one row; worked out once for a question, whose requests tell it again."""

from biographer.models.fence import told
from biographer.state.query import Item

_TEXT_MOST = 1_600


class Quotes:
    """The quotations of one question, so that there are never more than its rounds bring items."""

    def __init__(self) -> None:
        self._rows: dict[str, str] = {}

    def of(self, item: Item) -> str:
        """Return an item's text on one row; "" where it says nothing."""
        text = item.text[:_TEXT_MOST]
        row = self._rows.get(text)
        if row is None:
            row = self._rows[text] = _on_one_row(text)
        return row


def _on_one_row(text: str) -> str:
    """Return recorded lines on one row, each once: a row a line, and lines said again, are a fifth of the tokens.

    Recorded text holds no bar, so it can't forge where one line ends and another begins.
    """
    lines = dict.fromkeys(told(line) for line in text.splitlines())
    return "> " + " | ".join(line for line in lines if line) if any(lines) else ""
