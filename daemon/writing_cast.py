"""What people are cast from, and profiles are distilled from: of one cut, as it was known when a piece was due.

Which names a clip's people may bear follows from the profiles that the piece waited for and no others: what else is
written by now depends on how fast a model was.
"""

from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations

from biographer.daemon.writing_pictures import ClipPictures
from biographer.models.casting import Ensemble
from biographer.state.agenda import Due
from biographer.state.cast import Profile
from biographer.state.cut import Cut
from biographer.state.people import PEOPLE
from biographer.state.recalled_clips import lines
from biographer.state.recalled_observations import Sighting, sightings_of_clip, trail_of
from biographer.state.remark import remark_of
from biographer.state.stretch import Stretch
from biographer.state.trail import Separation
from biographer.state.windows import midnight

_PROFILES = """
SELECT r.kind, r.body FROM piece p JOIN remark r ON r.piece = p.number
WHERE p.writing = 'profiles' AND r.kind = 'profile' AND p.made <= :v AND r.known_us <= :t AND p.number <= (
  SELECT number FROM piece WHERE writing = 'profiles' AND scale = :scale AND place = :place AND version = :version)
ORDER BY p.number, r.n
"""

_NOTES = """
SELECT json_extract(r.body, '$.name'), json_extract(r.body, '$.clothing') FROM remark r
JOIN piece p ON p.number = r.piece JOIN clip c ON c.number = r.clip
WHERE r.kind = 'casting' AND p.made <= :v AND r.known_us <= :t AND c.number <= :reads
  AND c.start_us >= :day AND c.start_us < :until ORDER BY c.start_us, c.number, r.n
"""


def ensemble(cut: Cut, due: Due, stretch: Stretch, pictures: ClipPictures) -> Ensemble:
    """Return a clip's people that there are pictures of, and by which names they may go."""
    number = due.clips[0]
    seen = [one for one in sightings_of_clip(cut, number) if one.label.casefold() in PEOPLE]
    people = {one.track: files for one in seen if (files := pictures.crops(one.crops))}
    shown = [one for one in seen if one.track in people]
    return Ensemble(stretch, people, _known(cut, due, stretch), tuple(lines(cut, number)), _apart(cut, shown))


def notes(cut: Cut, due: Due, stretch: Stretch) -> tuple[int, Mapping[str, list[str]]]:
    """Return the start of a window's day, and what those who were cast by then wore on it, by name."""
    day_us = midnight(stretch.start_us, cut.zone)
    found: dict[str, list[str]] = defaultdict(list)
    for name, clothing in cut.rows(_NOTES, reads=due.reads, day=day_us, until=stretch.end_us):
        if name and clothing:
            found[name].append(clothing)
    return day_us, found


def _known(cut: Cut, due: Due, stretch: Stretch) -> dict[str, str]:
    """Return the names of profiles and of users, with what is worn on this day."""
    known = dict.fromkeys(cut.ruled.names.values(), "")
    day_us = midnight(stretch.start_us, cut.zone)
    for piece in due.needs:
        if piece.writing == "profiles":
            rows = cut.rows(_PROFILES, scale=piece.scale, place=piece.place, version=piece.version)
            for one in (remark_of(*row) for row in rows):
                if isinstance(one, Profile):
                    known[one.name] = _worn(one) if one.day_us == day_us else known.get(one.name, "")
    return known


def _worn(one: Profile) -> str:
    return f"{one.clothing} (others wear too: {one.shared})" if one.shared else one.clothing


def _apart(cut: Cut, seen: list[Sighting]) -> frozenset[tuple[int, int]]:
    """Return the pairs of tracks that were seen at different places at once."""
    trails = {one.track: trail for one in seen if (trail := trail_of(cut, one.number)) is not None}
    separation = Separation()
    return frozenset(
        (left, right)
        for left, right in combinations(sorted(trails), 2)
        if separation.apart(trails[left], trails[right])
    )
