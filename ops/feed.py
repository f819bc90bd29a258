"""`biographer feed`."""

import asyncio
import time
from pathlib import Path

import click
from rich.progress import Progress

from biographer.daemon.clock import now_us
from biographer.daemon.parts import kafka_settings
from biographer.daemon.settings import Settings
from biographer.ops.options import config_option, lines_option, settings_of, tell_outside
from biographer.ops.outside import Outside
from biographer.ops.progress import bar
from biographer.ops.sending import Pace, Sending
from biographer.ops.video_clips import VideoClips
from biographer.state.times import parse_time
from biographer.streams.horizon import Horizon
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.lines import read_lines
from biographer.streams.sink import KafkaSink

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command()
@click.argument("video", type=FILE)
@click.option("--stream", required=True, help="Whose recording this is.")
@click.option(
    "--start", required=True, metavar="RFC3339", help="When it began, with an offset: 2026-05-01T09:30:00+02:00."
)
@click.option("--clip-seconds", type=float, default=30.0, show_default=True, help="Length of a clip, about.")
@click.option("--realtime", is_flag=True, help="Send each clip when a wearable would have it, not at once.")
@lines_option
@click.option(
    "--store",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the videos of clips too large for the broker; else the first of the setting clips.roots.",
)
@config_option
def feed(
    *,
    video: Path,
    stream: str,
    start: str,
    clip_seconds: float,
    realtime: bool,
    lines: Path | None,
    store: Path | None,
    config: Path | None,
) -> None:
    """Cut a video into clips and send them to the topic.

    Clips are copied out of VIDEO without encoding where its key frames allow. They are named by its content, so that
    feeding it again changes nothing. The daemon must be allowed to read what --store names (its setting clips.roots).
    """
    settings = settings_of(config)
    start_us = parse_time(start)
    said = read_lines(lines, start_us) if lines else ()
    cut = VideoClips(video, stream, start_us, clip_seconds, said)
    # In real time, a clip arrives once it has ended.
    end_us = start_us if realtime else cut.end_us()
    Horizon.of_seconds(settings.order.future_s).refuse_recording(end_us, now_us())
    tell_outside(cut.outside())
    kafka, names = kafka_settings(settings), cut.names()
    with bar() as progress:
        asyncio.run(
            _send(cut, len(names), realtime=realtime, kafka=kafka, outside=_outside(store, settings), progress=progress)
        )
    click.echo(f"sent {len(names)} clips of stream {stream!r} to {kafka.topic} at {kafka.bootstrap}")


def _outside(store: Path | None, settings: Settings) -> Outside:
    roots = settings.clips.roots
    return Outside(store or (Path(roots[0]) if roots else None), settings.kafka.max_bytes)


async def _send(
    cut: VideoClips, count: int, *, realtime: bool, kafka: KafkaSettings, outside: Outside, progress: Progress
) -> None:
    task = progress.add_task("sent", total=count)
    async with KafkaSink(kafka) as sink:
        pace = Pace(realtime, time.monotonic, asyncio.sleep)
        await Sending(sink, outside).all(cut.clips(), lambda _: progress.advance(task), pace)
