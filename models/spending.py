"""What requests cost in tokens, as the endpoint counts them; estimates before asking are `token_counter`'s."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spending:
    """Tokens read and written, over a number of requests."""

    requests: int = 0
    read: int = 0
    written: int = 0

    def __add__(self, other: "Spending") -> "Spending":
        """Return both together."""
        return Spending(self.requests + other.requests, self.read + other.read, self.written + other.written)


NOTHING_SPENT = Spending()
