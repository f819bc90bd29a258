"""What was written about one clip, as a cut shows it: its caption, and the names that occur in it."""

from biographer.state.caption import Caption
from biographer.state.cut import Cut
from biographer.state.episode import LOCAL
from biographer.state.name import Mention
from biographer.state.recalled_clips import ClipRecord
from biographer.state.remark import remark_of
from biographer.state.times import SECOND_US

_CAPTION = """
SELECT r.kind, r.body FROM piece p JOIN remark r ON r.piece = p.number
WHERE p.writing = 'caption' AND p.scale = :scale AND p.place = :place AND r.kind = 'caption'
  AND p.made <= :v AND r.known_us <= :t ORDER BY r.known_us DESC, r.piece DESC LIMIT 1
"""

_NAMED_IN = "3min"
"""Names are written down by the window of this scale that holds the clip's start."""

_NAMES = """
SELECT p.place, p.version, r.kind, r.body FROM piece p JOIN remark r ON r.piece = p.number
WHERE p.writing = 'names' AND p.scale = :scale AND p.place > :after AND p.place <= :start AND r.kind = 'mention'
  AND p.made <= :v AND r.known_us <= :t ORDER BY p.place DESC, p.version DESC, r.n
"""


def caption_of(cut: Cut, clip: int) -> Caption | None:
    """Return the newest caption of a clip's local episode."""
    rows = cut.rows(_CAPTION, scale=LOCAL, place=clip)
    found = remark_of(*rows[0]) if rows else None
    return found if isinstance(found, Caption) else None


def names_in(cut: Cut, clip: ClipRecord) -> list[Mention]:
    """Return the names that occur in a clip, by the newest that was written about its window."""
    span = {"after": clip.start_us - 180 * SECOND_US, "start": clip.start_us}
    rows = cut.rows(_NAMES, scale=_NAMED_IN, **span)
    found = [remark_of(*row[2:]) for row in rows if row[:2] == rows[0][:2]]
    return [one for one in found if isinstance(one, Mention) and clip.name in one.clips]
