"""`biographer export`."""

from pathlib import Path

import click

from biographer.ops.exporting import Wanted
from biographer.ops.exporting import export as write_snapshot
from biographer.ops.fingerprints import Fingerprints
from biographer.ops.local_time import local_time, refuse_untimely
from biographer.ops.options import as_of_option, config_option, json_option, settings_of, state_option, stream_option
from biographer.ops.progress import steps_of
from biographer.ops.reading import reader_of
from biographer.ops.snapshot_folder import refuse_full
from biographer.ops.snapshot_parquet import refuse_missing_extra
from biographer.ops.tables import show
from biographer.state.times import parse_time


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@stream_option
@as_of_option
@click.option("--media", is_flag=True, help="With the kept crops and clips.")
@config_option
@state_option
@json_option
def export(
    *,
    folder: Path,
    stream: str | None,
    as_of: str | None,
    media: bool,
    config: Path | None,
    state: Path | None,
    as_json: bool,
) -> None:
    """Write a snapshot of a stream into a folder of its own.

    FOLDER is new or empty. It gets the records as Parquet, the graph as GraphML and a manifest with the hash of every
    file (SNAPSHOT.md). A daemon may go on writing meanwhile: the snapshot is of one moment. It may be interrupted:
    FOLDER is then as before.
    """
    settings = settings_of(config, state)
    refuse_missing_extra()
    refuse_full(folder)
    path = Path(settings.state.folder)
    refuse_untimely(as_of)
    with reader_of(path, stream) as reader:
        name, zone = reader.stream, reader.zone
    wanted = Wanted(path, name, None if as_of is None else parse_time(as_of, zone), media)
    with steps_of() as steps:
        manifest = write_snapshot(wanted, folder, Fingerprints.of(settings), steps)
    row = {
        "stream": manifest.stream,
        "version": manifest.version,
        "watermark": None if manifest.watermark is None else local_time(manifest.watermark, zone),
        "files": len(manifest.files),
        "bytes": sum(file.size for file in manifest.files),
        "state_hash": manifest.state_hash,
    }
    show("snapshots", [row], as_json=as_json, head={"folder": str(folder)})
