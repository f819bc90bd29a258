"""How long one thread of the daemon may keep Python's lock while others wait for it.

A search is some hundred short steps of numpy, each of which lets go of the lock and asks for it back; by default a
writer that runs meanwhile may keep it for 5 ms each time.
"""

import sys

TURN_S = 0.0005


def short_turns() -> None:
    """Let threads take turns often, in the whole process; before there are any."""
    sys.setswitchinterval(TURN_S)
