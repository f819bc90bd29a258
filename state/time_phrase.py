"""Time read-outs in words: "between DAY1 12:30 and 12:41", "yesterday between 9:00 and 10:15".

A question that says nothing else asks for what was recorded then (MAGIC-Video, "Agentic retrieval"); where it says
more, its words are searched. Days are the stream's own, in its zone: DAY1 is that of the first clip that is seen, today
that of the last.
"""

import re

from biographer.state.times import SECOND_US
from biographer.state.view import View
from biographer.state.windows import midnight

_DAY_US = 86_400 * SECOND_US
_DAY = r"(?:(?:on\s+)?(?P<{0}>day\s?[0-9]{{1,4}}|today|yesterday)[,:]?\s+)?"
_CLOCK = r"(?P<{0}>[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?)"
_PHRASE = re.compile(
    r"\s*(?:what (?:happened|was (?:said|seen|recorded))\s+)?"
    + _DAY.format("day")
    + r"(?:(?:between|from)\s+)?"
    + _DAY.format("first_day")
    + _CLOCK.format("first")
    + r"\s*(?:and|to|until|-|\N{EN DASH})\s*"
    + _DAY.format("last_day")
    + _CLOCK.format("last")
    + r"\s*[?.!]?\s*",
    re.IGNORECASE | re.ASCII,
)
_LONGEST = 100


def time_asked_for(view: View, text: str) -> tuple[int, int] | None:
    """Return the time (start, end in microseconds) that a question asks for, None where it asks for anything else."""
    match = _PHRASE.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None or view.watermark_us is None:
        return None
    first_day = match["first_day"] or match["day"] or "today"
    start = _moment(view, first_day, match["first"])
    end = _moment(view, match["last_day"] or first_day, match["last"])
    return (start, end) if start is not None and end is not None and start <= end else None


def _moment(view: View, day: str, clock: str) -> int | None:
    hour, minute, second = (int(part) for part in [*clock.split(":"), "0"][:3])
    if hour > 24 or minute > 59 or second > 59:
        return None
    return _midnight(view, day.lower()) + (hour * 3600 + minute * 60 + second) * SECOND_US


def _midnight(view: View, day: str) -> int:
    zone = view.index.zone
    if day.startswith("day"):
        known, later = int(view.starts[view.clips.numbers()].min()), int(day.removeprefix("day")) - 1
    else:
        # What ends at midnight was of the day before.
        known, later = (view.watermark_us or 1) - 1, -1 if day == "yesterday" else 0
    # By way of noon: a day is not always 24 hours long.
    return midnight(midnight(known, zone) + later * _DAY_US + _DAY_US // 2, zone)
