"""Which frames of a video to look at, and which packets must be decoded to see them; plain numbers in and out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TICK_SLACK_US = 1_000
"""A frame this little before a tick still counts as at it: containers round times to a millisecond."""


def sampled(offsets_us: NDArray[np.int64], rate: float, duration_us: int) -> NDArray[np.int64]:
    """Return the times to look at: for each tick of `rate` per second the first frame at or after it, each once.

    `offsets_us` (n,) are the frames' times from the clip's start in any order; those after `duration_us` never
    count, so that no frame lies outside its clip.
    """
    times = np.unique(offsets_us[offsets_us <= duration_us])
    if not times.size:
        return times
    ticks = np.arange(int(times[-1] * rate / 1_000_000) + 2) * (1_000_000 / rate)
    rows = np.unique(np.searchsorted(times, ticks - TICK_SLACK_US))
    found: NDArray[np.int64] = times[rows[rows < len(times)]]
    return found


def needed(offsets_us: NDArray[np.int64], keys: NDArray[np.bool_], wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which packets must be decoded for the wanted ones; all arrays (n,), in decoding order.

    A key packet opens a group that stands alone, up to its last wanted packet; where a wanted packet is shown
    ahead of its group's key packet (open groups), the group before is needed as well.
    """
    result = np.zeros(len(keys), dtype=np.bool_)
    starts = np.union1d([0], np.flatnonzero(keys))
    ends = np.append(starts[1:], len(keys))
    leant_on = False
    for start, end in zip(reversed(starts), reversed(ends), strict=True):
        rows = start + np.flatnonzero(wanted[start:end])
        last = end if leant_on else rows[-1] + 1 if rows.size else start
        result[start:last] = True
        leant_on = bool(rows.size) and bool(offsets_us[rows].min() < offsets_us[start])
    return result


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What to decode of one video, and what to take of it.

    `times_us` (int64, (k,), rising) are the frames to take, from the clip's start; `wanted` and `needed` (bool, (n,))
    say of each packet in decoding order whether it holds one, and whether it must be decoded for one.
    """

    times_us: NDArray[np.int64]
    wanted: NDArray[np.bool_]
    needed: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        offsets_us: NDArray[np.int64],
        keys: NDArray[np.bool_],
        shown: NDArray[np.bool_],
        rate: float,
        duration_us: int,
    ) -> "Plan":
        """Choose from packets in decoding order; those not `shown` are there for others only."""
        times = sampled(offsets_us[shown], rate, duration_us)
        wanted = shown & np.isin(offsets_us, times)
        return cls(times, wanted, needed(offsets_us, keys, wanted))
