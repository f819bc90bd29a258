"""`biographer bench`: the measurements as commands; each prints one JSON object. What they do is in a file each.

The brokers that `ingest` and `recovery` may start are the caller's to give: they belong to the layer above.
"""

from pathlib import Path

import click

from biographer.bench.ask_command import ask
from biographer.bench.brokers import Brokers, broker_of
from biographer.bench.freshness_command import freshness
from biographer.bench.options import (
    broker_option,
    models_option,
    output_option,
    text_embedder_option,
    weights_folder,
    work_option,
)
from biographer.bench.population import PER_CLIP, WEEK_OBSERVATIONS
from biographer.bench.report import publish, say


def bench_group(brokers: Brokers) -> click.Group:
    """Return the group of all benches, with what can start a broker, by name."""
    commands = [ingest, update, identity, recovery, calibrate, ranges, evidence, search, freshness, ask]
    return click.Group(
        "bench",
        commands=commands,
        help="Measure; each command prints one JSON object.",
        context_settings={"obj": brokers},
    )


@click.command()
@click.option("--size", "sizes", type=click.IntRange(1), multiple=True, help="Observations remembered; repeatable.")
@click.option("--clips", type=click.IntRange(1), default=24, show_default=True, help="Clips applied at each size.")
@click.option(
    "--check",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="Clips of each also decided exhaustively.",
)
@click.option("--small", type=click.IntRange(1), default=10_000, help="Size at which every clip is so checked.")
@click.option("--per-clip", type=click.IntRange(1), default=PER_CLIP, show_default=True, help="Observations a clip.")
@click.option("--seed", type=int, default=7, show_default=True, help="What the made-up recording follows from.")
@work_option
@output_option
def update(
    sizes: tuple[int, ...],
    clips: int,
    check: int,
    small: int,
    per_clip: int,
    seed: int,
    work_folder: Path | None,
    output: Path | None,
) -> None:
    """Time the update of a large memory by one clip."""
    from biographer.bench.update import SIZES, Workload, measure  # noqa: PLC0415 - a bench is imported when asked for

    work = Workload(sizes or SIZES, clips, check, per_clip, small, seed)
    publish(measure(work, work_folder, say), output)


@click.command()
@click.option("--data", type=click.Path(path_type=Path, file_okay=False, exists=True), required=True)
@click.option("--embedder", default="nanodet-g-416-stats", show_default=True, help="A name of the catalogue.")
@click.option("--splits", type=click.IntRange(1), default=20, show_default=True, help="Splits of the subjects.")
@click.option("--orders", type=click.IntRange(1), default=5, show_default=True, help="Orders of each.")
@models_option
@output_option
def identity(data: Path, embedder: str, splits: int, orders: int, models: Path | None, output: Path | None) -> None:
    """Score who is put together, online against offline, on photographs of known subjects."""
    from biographer.bench.identity import Trials, measure  # noqa: PLC0415
    from biographer.bench.subjects import appearances, opened_embedder, read_subjects  # noqa: PLC0415

    subjects = read_subjects(data)
    say(f"embedding {len(subjects.names)} photographs")
    looks = appearances(subjects, opened_embedder(embedder, models or weights_folder()))
    publish(measure(subjects, looks, Trials(splits, orders), say), output)


@click.command()
@click.argument("data", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--embedder", default="nanodet-g-416-stats", show_default=True, help="A name of the catalogue.")
@click.option("--seed", type=int, default=3, show_default=True, help="What the orders of the photographs follow from.")
@click.option("--refit", is_flag=True, help="For statistics fitted on DATA, instead of the embedder's own.")
@click.option("--sample", type=click.Path(path_type=Path, dir_okay=False), help="File to keep the embeddings in.")
@click.option(
    "--statistics", type=click.Path(path_type=Path, dir_okay=False), help="File for statistics fitted on DATA."
)
@models_option
@output_option
def calibrate(
    *,
    data: Path,
    embedder: str,
    seed: int,
    refit: bool,
    sample: Path | None,
    statistics: Path | None,
    models: Path | None,
    output: Path | None,
) -> None:
    """Derive an embedder's thresholds from photographs, a folder a subject."""
    from biographer.bench.calibrate import measure, write_sample, write_statistics  # noqa: PLC0415
    from biographer.bench.subjects import appearances, opened_embedder, read_subjects  # noqa: PLC0415

    subjects = read_subjects(data)
    say(f"embedding {len(subjects.names)} photographs")
    looks = appearances(subjects, opened_embedder(embedder, models or weights_folder()))
    outcome = measure(subjects, looks, seed, refit=refit)
    if sample is not None:
        write_sample(subjects, looks, sample)
    if statistics is not None:
        write_statistics(looks, statistics)
    publish(outcome, output)


@click.command()
@click.argument("data", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--ranges", "target", type=click.Path(path_type=Path, dir_okay=False), help="File for the ranges.")
@output_option
def ranges(data: Path, target: Path | None, output: Path | None) -> None:
    """Measure by what the default networks are quantised, on photographs, a folder a subject."""
    from biographer.bench.ranges import measure  # noqa: PLC0415
    from biographer.bench.subjects import read_subjects  # noqa: PLC0415
    from biographer.models.nanodet_graph import shipped_ranges  # noqa: PLC0415

    outcome, found = measure(read_subjects(data).photographs, shipped_ranges(), say)
    if target is not None:
        target.write_text(found, encoding="utf-8")
    publish(outcome, output)


@click.command()
@click.option("--size", type=click.IntRange(1), default=WEEK_OBSERVATIONS, show_default=True, help="Observations.")
@click.option("--clips", type=click.IntRange(2), default=24, show_default=True, help="Clips that come meanwhile.")
@click.option("--before-kill", type=click.IntRange(1), default=8, show_default=True, help="Clips applied before it.")
@click.option("--per-clip", type=click.IntRange(1), default=PER_CLIP, show_default=True, help="Observations a clip.")
@click.option("--networks/--no-networks", default=True, show_default=True, help="Whether the daemon loads networks.")
@broker_option
@work_option
@output_option
@click.pass_obj
def recovery(
    brokers: Brokers,
    *,
    size: int,
    clips: int,
    before_kill: int,
    per_clip: int,
    networks: bool,
    broker: str,
    work_folder: Path | None,
    output: Path | None,
) -> None:
    """Kill a daemon with a large memory, and time how soon it is back."""
    from biographer.bench.recovery import Workload, measure  # noqa: PLC0415

    work = Workload(size, clips, before_kill, per_clip)
    kinds = () if networks else ("DETECTOR", "EMBEDDER", "TEXT_EMBEDDER")
    settings = {f"BIOGRAPHER_PERCEIVE_{kind}": "none" for kind in kinds}
    with broker_of(broker, brokers) as running:
        publish(measure(work, running, settings, work_folder, say), output)


@click.command()
@click.option("--video", type=click.Path(path_type=Path, dir_okay=False, exists=True), required=True, help="Any video.")
@click.option("--serial", type=click.IntRange(1), default=6, show_default=True, help="Clips sent one at a time.")
@click.option("--at-once", type=click.IntRange(1), default=10, show_default=True, help="Clips sent all at once.")
@click.option("--clip-seconds", type=click.FloatRange(1), default=30.0, show_default=True, help="Length of a clip.")
@click.option("--cores", type=click.IntRange(1), default=2, show_default=True, help="Processors of the daemon.")
@broker_option
@output_option
@click.pass_obj
def ingest(
    brokers: Brokers,
    *,
    video: Path,
    serial: int,
    at_once: int,
    clip_seconds: float,
    cores: int,
    broker: str,
    output: Path | None,
) -> None:
    """Time clips from the broker to the commit."""
    from biographer.bench.ingest import Workload, measure  # noqa: PLC0415

    work = Workload(serial, at_once, clip_seconds, cores)
    with broker_of(broker, brokers) as running:
        publish(measure(work, video, running, {}, say), output)


@click.command()
@click.option("--questions", type=click.Path(path_type=Path, dir_okay=False, exists=True), required=True)
@click.option("--clips", type=click.Path(path_type=Path, dir_okay=False, exists=True), required=True)
@text_embedder_option
@models_option
@output_option
def evidence(questions: Path, clips: Path, text_embedder: str, models: Path | None, output: Path | None) -> None:
    """Count which questions' evidence one search finds in a real week, against plain fusion."""
    from biographer.bench.evidence import measure  # noqa: PLC0415
    from biographer.bench.text import opened_text_embedder  # noqa: PLC0415
    from biographer.state.search_settings import SearchSettings  # noqa: PLC0415

    embedder = opened_text_embedder(text_embedder, models or weights_folder())
    publish(measure(clips, questions, embedder, SearchSettings(), say), output)


@click.command()
@click.option("--scale", type=click.Choice(["week", "month"]), default="week", show_default=True)
@click.option("--questions", type=click.Path(path_type=Path, dir_okay=False, exists=True), required=True)
@click.option("--clips", type=click.Path(path_type=Path, dir_okay=False, exists=True), required=True)
@click.option("--queries", type=click.IntRange(1), default=200, show_default=True, help="Searches timed.")
@click.option(
    "--part",
    "parts",
    type=click.Choice(["ranking", "ingest", "http"]),
    multiple=True,
    help="Only this; repeatable. Default: all of a week, ranking of a month. Figures are added to those in --output.",
)
@click.option(
    "--video",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="What is perceived while searches are timed; without it that is left out.",
)
@text_embedder_option
@models_option
@output_option
def search(
    scale: str,
    questions: Path,
    clips: Path,
    queries: int,
    parts: tuple[str, ...],
    video: Path | None,
    text_embedder: str,
    models: Path | None,
    output: Path | None,
) -> None:
    """Time searches of a large memory, against a PageRank of igraph and an exact one."""
    from biographer.bench.report import publish_part  # noqa: PLC0415
    from biographer.bench.search import PARTS, Workload, measure  # noqa: PLC0415
    from biographer.bench.text import opened_text_embedder  # noqa: PLC0415
    from biographer.state.search_settings import SearchSettings  # noqa: PLC0415

    embedder = opened_text_embedder(text_embedder, models or weights_folder())
    work = Workload(scale, queries, parts=parts or (PARTS if scale == "week" else PARTS[:1]), video=video)
    publish_part(measure(work, clips, questions, embedder, SearchSettings(), say), output)
