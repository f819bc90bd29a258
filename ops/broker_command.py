"""`biographer broker`."""

import signal
import threading

import click
import msgspec

from biographer.ops.broker import EmbeddedBroker
from biographer.state.errors import FatalError

CHECK_S = 0.5


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=9092, show_default=True, help="Where it listens; 0: any free one."
)
def broker(*, port: int) -> None:
    """Run the embedded broker, for trying things, and print the settings that reach it.

    It listens on this machine only, keeps all in memory, and forgets it when Ctrl-C ends it. What it prints is a
    section of biographer.toml: write it there, and `biographer serve` and `feed` with that file work with it. Besides
    the address it says how to join its groups in seconds rather than minutes. For real use take Apache Kafka.
    """
    stop = threading.Event()
    with EmbeddedBroker(port=port) as running:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        click.echo(section(running))
        while running.runs() and not stop.wait(CHECK_S):
            pass
        if not stop.is_set():
            raise FatalError(f"{running.name} has ended by itself; its log ends:\n{running.log_tail()}")


def section(running: EmbeddedBroker) -> str:
    """Return [kafka] of a settings file; JSON writes text, numbers and truths as TOML does."""
    rows = [f"{name} = {msgspec.json.encode(value).decode()}" for name, value in running.settings.items()]
    return "\n".join(["[kafka]", *rows])
