"""What was written about records, as a cut shows it: of each, the newest that was known by then."""

from collections.abc import Iterable
from dataclasses import replace

from biographer.state.caption import Caption
from biographer.state.chain import EventStep, TopicFact
from biographer.state.chains import Link
from biographer.state.cut import Cut
from biographer.state.description import Description
from biographer.state.episode import LOCAL
from biographer.state.name import Mention
from biographer.state.piece import OBSERVATION
from biographer.state.recalled_clips import ClipRecord, EpisodeRecord, with_heard
from biographer.state.remark import Remark, remark_of
from biographer.state.windows import SCALES, window_start
from biographer.state.wording import with_caption

_NEWEST = """
SELECT r.kind, r.body FROM piece p JOIN remark r ON r.piece = p.number
WHERE p.writing = :writing AND p.scale = :scale AND p.place = :place AND p.version = coalesce(:version, p.version)
  AND r.kind = :kind AND p.made <= :v AND r.known_us <= :t
ORDER BY r.known_us DESC, p.version DESC, r.piece DESC LIMIT 1
"""

_NAMES = """
SELECT p.version, r.kind, r.body FROM piece p JOIN remark r ON r.piece = p.number
WHERE p.writing = 'names' AND p.scale = :scale AND p.place = :place AND p.version = coalesce(:version, p.version)
  AND r.kind = 'mention' AND p.made <= :v AND r.known_us <= :t ORDER BY p.version DESC, r.n
"""

_NAMED_IN = "3min"
"""Names are written down by windows of this scale."""

_LINKS = """
SELECT p.number, r.kind, r.body FROM piece p JOIN remark r ON r.piece = p.number
WHERE p.number > :piece AND p.writing = 'chains' AND p.made <= :v AND r.known_us <= :t ORDER BY p.number, r.n
"""

_LAST = """
SELECT max(coalesce((SELECT made FROM piece WHERE made <= :v ORDER BY made DESC LIMIT 1), 0),
  coalesce((SELECT made FROM ruling WHERE made <= :v ORDER BY number DESC LIMIT 1), 0))
"""


def described(cut: Cut, observation: int) -> Description | None:
    """Return the newest description of an observation."""
    found = _newest(cut, "description", OBSERVATION, observation, "description")
    return found if isinstance(found, Description) else None


def with_texts(cut: Cut, episodes: Iterable[EpisodeRecord]) -> list[EpisodeRecord]:
    """Return episodes in the words that were written about them, where there are any."""
    return [_with_text(cut, one) for one in episodes]


def text_of(cut: Cut, writing: str, scale: str, place: int, version: int | None = None) -> str | None:
    """Return the caption of a local episode, by its clip's number, or summary of a window, by its start.

    Of a version, or the newest that there is.
    """
    found = _caption(cut, writing, scale, place, version)
    return None if found is None else found.text


def caption_of(cut: Cut, clip: int) -> Caption | None:
    """Return the newest caption of a clip's local episode."""
    return _caption(cut, "caption", LOCAL, clip)


def mentions(cut: Cut, scale: str, start_us: int, version: int | None = None) -> list[Mention]:
    """Return the names that occur in a window of a version; None: of the newest that any were written down of."""
    rows = cut.rows(_NAMES, scale=scale, place=start_us, version=version)
    found = [remark_of(*row[1:]) for row in rows if row[0] == rows[0][0]]
    return [one for one in found if isinstance(one, Mention)]


def names_in(cut: Cut, clip: ClipRecord) -> list[Mention]:
    """Return the names that occur in a clip, by the newest that was written about the window that holds its start."""
    start_us = window_start(clip.start_us, SCALES[_NAMED_IN], cut.zone)
    return [one for one in mentions(cut, _NAMED_IN, start_us) if clip.name in one.clips]


def links_after(cut: Cut, piece: int) -> list[tuple[int, Link]]:
    """Return the links of chains that were written behind a piece, each with its piece's number, in order."""
    rows = cut.rows(_LINKS, piece=piece)
    found = [(number, remark_of(kind, body)) for number, kind, body in rows]
    return [(number, one) for number, one in found if isinstance(one, TopicFact | EventStep)]


def amended_last(cut: Cut) -> int:
    """Return the version that the last amendment made, or the last user's word; 0 where there is none."""
    rows = cut.rows(_LAST)
    return int(rows[0][0])


def _with_text(cut: Cut, one: EpisodeRecord) -> EpisodeRecord:
    local = one.clip is not None
    place, writing = (one.number, "caption") if local else (one.start_us, "summary")
    caption = _caption(cut, writing, one.scale, place)
    own = with_heard(cut, one.number, one.text) if local else one.text
    if caption is None:
        return replace(one, text=own)
    text = with_caption(caption.text, own) if local else caption.text
    return replace(one, text=text, known_us=max(one.known_us, caption.known_us), author=caption.author)


def _caption(cut: Cut, writing: str, scale: str, place: int, version: int | None = None) -> Caption | None:
    found = _newest(cut, writing, scale, place, "caption", version)
    return found if isinstance(found, Caption) else None


def _newest(cut: Cut, writing: str, scale: str, place: int, kind: str, version: int | None = None) -> Remark | None:
    rows = cut.rows(_NEWEST, writing=writing, scale=scale, place=place, kind=kind, version=version)
    return remark_of(*rows[0]) if rows else None
