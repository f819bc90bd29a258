"""`biographer demo`: a broker, a daemon with the default models, and a feeder; then the biographies that came of it."""

import asyncio
import contextlib
import math
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from biographer.daemon.parts import kafka_settings, models_folder, models_needed
from biographer.daemon.settings import Settings
from biographer.models.weights import pull
from biographer.ops.ask import answered
from biographer.ops.ask_shown import show_answer
from biographer.ops.broker import Broker, EmbeddedBroker
from biographer.ops.child import ChildDaemon
from biographer.ops.demo_place import VIDEOS, DemoPlace
from biographer.ops.found import show_found
from biographer.ops.kafka_broker import KafkaBroker
from biographer.ops.outside import Outside
from biographer.ops.progress import bar
from biographer.ops.recording import CLIP_SECONDS, SHOTS, record
from biographer.ops.remembering import Remembering
from biographer.ops.search_shown import Shown
from biographer.ops.sending import Pace, Sending
from biographer.ops.telling import Telling
from biographer.ops.video_clips import VideoClips
from biographer.state.errors import FatalError
from biographer.state.times import SECOND_US, parse_time
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.message import ClipMessage, FlushMessage, encode
from biographer.streams.sink import KafkaSink

STREAM = "demo"
BROKERS: dict[str, type[Broker]] = {"embedded": EmbeddedBroker, "kafka": KafkaBroker}

QUESTION = "Did the cup from the first clip come back?"

PATIENCE_S = 120.0
"""Seconds without any clip arriving after which something is wrong."""

WORDS_PATIENCE_S = 60.0
"""Seconds without a word from any model after which the question is asked without them."""


@click.command()
@click.option("--once", is_flag=True, help="Exit once the biographies are shown.")
@click.option("--video", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Play this video instead.")
@click.option("--clip-seconds", type=click.FloatRange(min=1), default=30.0, help="Length of the clips of --video.")
@click.option("--broker", "broker_name", type=click.Choice(list(BROKERS)), default="embedded", show_default=True)
@click.option("--seed", type=int, default=7, show_default=True, help="Of the head's motion in the recording.")
@click.option("--start", help="When the recording began, RFC 3339; default: so that it ends now.")
@click.option(
    "--state", type=click.Path(path_type=Path, file_okay=False), help="Folder of the memory; else a new temporary one."
)
def demo(
    *,
    once: bool,
    video: Path | None,
    clip_seconds: float,
    broker_name: str,
    seed: int,
    start: str | None,
    state: Path | None,
) -> None:
    """Play a recording through a broker and show the biographies found.

    The recording is made at run time from photographs: a red cup comes and goes, and once a green one of the same make
    stands in the same frames. Nothing is scripted: the default models look at its pixels.
    """
    # A plain end would leave broker and daemon behind; an interrupt stops them in good order.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = (state or Path(tempfile.mkdtemp(prefix="biographer-demo-"))).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    clips = _recorded(seed, start) if video is None else _cut(video, clip_seconds, start)
    with BROKERS[broker_name]() as broker:
        place = DemoPlace.beside(broker, folder, os.environ)
        _pull_weights(place.settings)
        click.echo(f"{broker.name} at {broker.bootstrap}, memory in {folder}")
        with ChildDaemon(place.environ, folder / "daemon.log") as daemon:
            click.echo(f"watch it at {daemon.address()}/")
            _play(*clips, place.settings, daemon)
            _await_words(place.settings)
            show_found(folder, STREAM)
            if video is None:
                _ask(place.settings, daemon.address())
            if not once:
                _stay(place, daemon)


def _recorded(seed: int, start: str | None) -> tuple[Iterator[ClipMessage], int]:
    return record(seed, STREAM, _began(start, len(SHOTS) * CLIP_SECONDS)), len(SHOTS)


def _cut(video: Path, clip_seconds: float, start: str | None) -> tuple[Iterator[ClipMessage], int]:
    count = len(VideoClips(video, STREAM, 0, clip_seconds).names())
    return VideoClips(video, STREAM, _began(start, count * clip_seconds), clip_seconds).clips(), count


def _began(start: str | None, seconds: float) -> int:
    """Return when a recording of so many seconds began, in microseconds: as told, or so that it has just ended."""
    return (int(time.time()) - math.ceil(seconds)) * SECOND_US if start is None else parse_time(start)


def _pull_weights(settings: Settings) -> None:
    """Fetch the weights where they are missing; the first time that takes a minute or two."""
    for bundle in {model.bundle.name: model.bundle for model in models_needed(settings)}.values():
        pull(bundle, models_folder(settings), click.echo)


def _play(clips: Iterator[ClipMessage], count: int, settings: Settings, daemon: ChildDaemon) -> None:
    """Send the clips, and wait until each is remembered or set aside."""
    remembering = Remembering(Path(settings.state.folder), STREAM, kafka_settings(settings))
    with bar() as progress:
        sent = progress.add_task("sent", total=count)
        remembered = progress.add_task("remembered", total=count)

        def tell() -> None:
            progress.update(sent, completed=len(remembering.sent))
            progress.update(remembered, completed=len(remembering.arrived))

        asyncio.run(_sent_and_remembered(clips, remembering, daemon, tell))
    for clip, reason in remembering.set_aside.items():
        click.echo(f"clip {clip} was set aside: {reason}", err=True)


async def _sent_and_remembered(
    clips: Iterator[ClipMessage], remembering: Remembering, daemon: ChildDaemon, tell: Callable[[], None]
) -> None:
    async with KafkaSink(remembering.kafka) as sink:
        sending = Sending(sink, Outside(remembering.state / VIDEOS, remembering.kafka.max_bytes))
        feeder = asyncio.create_task(
            sending.all(clips, remembering.expect, Pace(realtime=False, clock=time.monotonic, sleep=asyncio.sleep))
        )
        try:
            await _watched(feeder, remembering, daemon, tell)
        finally:
            feeder.cancel()


async def _watched(
    feeder: asyncio.Task[int], remembering: Remembering, daemon: ChildDaemon, tell: Callable[[], None]
) -> None:
    """Look until all that the feeder sent has arrived. Raises what it raises, FatalError where nothing moves."""
    moved, arrived = time.monotonic(), -1
    while not feeder.done() or remembering.missing:
        daemon.check()
        await asyncio.to_thread(remembering.look)
        if feeder.done():
            feeder.result()
            await remembering.look_aside()
        tell()
        if arrived != (arrived := len(remembering.arrived) + len(remembering.set_aside)):
            moved = time.monotonic()
        elif time.monotonic() - moved > PATIENCE_S:
            raise FatalError(f"no clip arrived in {PATIENCE_S:g} s; the daemon's log ends:\n{daemon.log_tail()}")
        await asyncio.sleep(0.3)
    feeder.result()
    tell()


def _await_words(settings: Settings) -> None:
    """Say that the recording is over, and wait for what models write of it, where any do."""
    telling = Telling(Path(settings.state.folder), STREAM, settings.language)
    if not telling.is_expected:
        return
    asyncio.run(_say_over(kafka_settings(settings)))
    with bar() as progress:
        task = progress.add_task("described", total=None)
        most = 0

        def tell(left: int) -> None:
            nonlocal most
            most = max(most, left)
            progress.update(task, total=most, completed=most - left)

        left = telling.wait(tell, WORDS_PATIENCE_S)
    if left:
        click.echo(f"{left} pieces are not written yet: the endpoint is slow, or away; see the daemon's log", err=True)


async def _say_over(kafka: KafkaSettings) -> None:
    async with KafkaSink(kafka) as sink:
        await sink.send(STREAM, encode(FlushMessage(STREAM, int(time.time()) * SECOND_US)))


def _ask(settings: Settings, url: str) -> None:
    """Ask what the recording was made to be asked; without a language model the answer says what is missing."""
    click.echo(f"\nbiographer ask {QUESTION!r} --url {url}")
    asked, result = asyncio.run(answered(settings, url, STREAM, QUESTION))
    show_answer(result, (), Shown.of(asked, url))


def _stay(place: DemoPlace, daemon: ChildDaemon) -> None:
    """Keep broker and daemon up until interrupted."""
    state, kafka = place.settings.state.folder, place.settings.kafka
    click.echo(f"\nStill up; Ctrl-C ends it. In another shell:\n  biographer biography e0 --state {state}")
    click.echo(
        f"  BIOGRAPHER_KAFKA_BOOTSTRAP={kafka.bootstrap} BIOGRAPHER_KAFKA_IDEMPOTENT={str(kafka.idempotent).lower()} \\"
    )
    click.echo("    biographer feed VIDEO --stream mine --start 2026-05-01T10:00:00Z")
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            daemon.check()
            time.sleep(0.5)
