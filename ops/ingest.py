"""`biographer ingest`."""

from pathlib import Path

import click

from biographer.daemon.clock import now_us
from biographer.daemon.networks import Networks
from biographer.daemon.parts import decoder_of, fetcher_of, media_limit_of, rule_of
from biographer.daemon.perception import Perception
from biographer.daemon.settings import Settings
from biographer.daemon.text_embedding import refuse_another, texts_for_command
from biographer.ops.backfill import Backfill, Outcome
from biographer.ops.clip_files import ClipFiles
from biographer.ops.options import config_option, lines_option, settings_of, state_option, tell_outside
from biographer.ops.progress import bar
from biographer.state.errors import BadClipError
from biographer.state.folder import StateFolder
from biographer.state.times import parse_time
from biographer.streams.horizon import Horizon

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command()
@click.argument("paths", type=FILE, nargs=-1, required=True)
@click.option("--stream", help="Whose recording the videos are; messages name their own.")
@click.option("--start", metavar="RFC3339", help="When the first video began; the next ones follow without a gap.")
@click.option("--clip-seconds", type=float, default=30.0, show_default=True, help="Length of a clip of a video, about.")
@lines_option
@config_option
@state_option
def ingest(
    *,
    paths: tuple[Path, ...],
    stream: str | None,
    start: str | None,
    clip_seconds: float,
    lines: Path | None,
    config: Path | None,
    state: Path | None,
) -> None:
    """Put files into the memory without a broker.

    PATHS are videos, which are cut into clips, and clip messages (one a .msgpack file, see CLIP_SCHEMA.md), in the
    order in which they are to be applied; --lines run over all the videos. It goes through what the daemon does with a
    clip, and refuses while a daemon holds the state folder. It may be interrupted: the same command again goes on, and
    a repeat changes nothing.
    """
    settings = settings_of(config, state)
    files = ClipFiles.of(paths, stream, None if start is None else parse_time(start), clip_seconds, lines)
    tell_outside(files.outside())
    _refuse_future(files, settings)
    count = files.count()
    folder = StateFolder(
        Path(settings.state.folder),
        rule_of(settings),
        media_limit=media_limit_of(settings),
        timezone=settings.state.timezone,
    )
    try:
        outcome = _run(folder, files, count, settings)
    finally:
        folder.close()
    click.echo(
        f"{outcome.applied} clips applied with {outcome.observations} observations, {outcome.known} known already"
    )
    for name, reason in outcome.aside.items():
        click.echo(f"not applied: {name}: {reason}", err=True)
    if outcome.aside:
        raise BadClipError(f"{len(outcome.aside)} of {count} clips could not be applied; the others are")


def _refuse_future(files: ClipFiles, settings: Settings) -> None:
    if (end_us := files.end_us()) is not None:
        Horizon.of_seconds(settings.order.future_s).refuse_recording(end_us, now_us())


def _run(folder: StateFolder, files: ClipFiles, count: int, settings: Settings) -> Outcome:
    refuse_another(settings)
    with texts_for_command(settings.language, Path(settings.state.folder)) as texts:
        return _fed(folder, files, count, settings, Networks.load(settings, texts))


def _fed(folder: StateFolder, files: ClipFiles, count: int, settings: Settings, networks: Networks) -> Outcome:
    fetcher, decoder = fetcher_of(settings), decoder_of(settings)
    perceiver, keep = networks.perceiver(settings), settings.state.keep
    perception = Perception(fetcher, decoder, perceiver, keep, lambda *_: None, networks.texts)
    with bar() as progress:
        task = progress.add_task("applied", total=count)
        perceivers = settings.pipeline.perceivers
        backfill = Backfill(folder, perception, settings.order, perceivers, lambda: progress.advance(task), now_us)
        backfill.run(files.messages(backfill.knows, backfill.aside))
    return backfill.outcome
