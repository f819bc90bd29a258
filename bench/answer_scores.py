"""What an answer is worth: whether it is right, whether its evidence was found, and how well it is placed in time.

Plain values in, numbers out. Spans are (start, end) in microseconds.
"""

from collections.abc import Iterable, Sequence

from biographer.state.times import SECOND_US

Span = tuple[int, int]

WINDOWS_S = (10, 30, 60, 120, 300, 1800, 3600)
"""How near evidence counts as found (GEB's evidence access, at several widths)."""

LONGEST_US = 30 * SECOND_US
"""A longer unit shows nothing in particular, and finds nothing."""


def recalled(moments: Sequence[Span], found: Iterable[Span], within_s: float) -> float:
    """Return the share of moments of which a unit of at most 30 s lies within so many seconds, 0..1."""
    units = [one for one in found if one[1] - one[0] <= LONGEST_US]
    near_us = round(within_s * SECOND_US)
    hits = sum(any(_gap(moment, unit) <= near_us for unit in units) for moment in moments)
    return hits / len(moments) if moments else 0.0


def overlap(moments: Sequence[Span], cited: Sequence[Span]) -> float | None:
    """Return the temporal IoU of what is cited with the annotated spans, None where those are points."""
    if not any(end > start for start, end in moments):
        return None
    truth, given = joined(moments), joined(cited)
    both = sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in truth for b in given)
    union = _length(truth) + _length(given) - both
    return both / union if union else 0.0


def joined(spans: Iterable[Span]) -> list[Span]:
    """Return spans that rise and do not meet: those that meet or overlap as one; they may come in any order."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _gap(left: Span, right: Span) -> int:
    return max(0, left[0] - right[1], right[0] - left[1])


def _length(spans: Iterable[Span]) -> int:
    return sum(end - start for start, end in spans)
