"""Limits on what a model writes: it is asked to be short, and cut where it is not."""


def words_cut(text: str, most: int) -> str:
    """Return the text on one row, at most so many words; what is cut shows."""
    words = text.split()
    return " ".join(words) if len(words) <= most else " ".join(words[:most]) + " …"
