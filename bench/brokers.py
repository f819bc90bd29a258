"""Which broker a bench runs against: a running one by its address, or one that the layer above knows how to start."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from biographer.state.errors import RefusedError


class Broker(Protocol):
    """A broker that answers."""

    @property
    def name(self) -> str:
        """What it is, for the report."""

    @property
    def bootstrap(self) -> str:
        """Its address, host:port."""

    @property
    def idempotent(self) -> bool:
        """Whether it takes idempotent producers."""


@dataclass(frozen=True, slots=True)
class Running:
    """A broker that is somebody else's; what it supports is assumed to be Kafka's."""

    bootstrap: str
    idempotent: bool = True
    name: str = "a running broker"


Brokers: TypeAlias = Mapping[str, Callable[[], AbstractContextManager[Broker]]]
"""By name, what starts a broker of one's own and stops it after."""


@contextmanager
def broker_of(name: str, brokers: Brokers) -> Iterator[Broker]:
    """Start the broker of this name, or take the one at this host:port; raises RefusedError for neither."""
    if ":" in name:
        yield Running(name)
    elif name in brokers:
        with brokers[name]() as broker:
            yield broker
    else:
        raise RefusedError(f"broker {name!r} is unknown; use host:port or one of: {', '.join(brokers) or 'none here'}")
