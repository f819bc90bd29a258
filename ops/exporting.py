"""Making a snapshot of one stream, in reading order: records, people and graph of one state, media, manifest.

It holds no lock and a daemon goes on writing: all records are read in one transaction.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import msgspec

from biographer.ops.fingerprints import Fingerprints
from biographer.ops.snapshot_folder import SnapshotFolder, snapshot_folder
from biographer.ops.snapshot_graph import write_graph
from biographer.ops.snapshot_manifest import GRAPH, MANIFEST, Manifest
from biographer.ops.snapshot_parquet import parts
from biographer.ops.snapshot_people import PEOPLE, people_of, standing_of
from biographer.state.database import Database, fetch
from biographer.state.folder import refuse_missing
from biographer.state.media import MediaFolder
from biographer.state.schema import SCHEMA_VERSION
from biographer.state.snapshot_tables import MEDIA, SnapshotTable, cut_at, media_rows, memory_tables
from biographer.state.state_hash import records_hash, remarks_hash
from biographer.state.times import format_time

Steps = Callable[[str, int], Callable[[int], None]]
"""Told what is begun and how many steps it has; returns what is told how many more were made."""

_EMBEDDERS = "SELECT embedder FROM vector UNION SELECT embedder FROM words ORDER BY 1"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to export: as of which event time (microseconds; None: all), and whether with kept pixels."""

    state: Path
    stream: str
    as_of_us: int | None = None
    media: bool = False


def export(wanted: Wanted, target: Path, fingerprints: Fingerprints, steps: Steps) -> Manifest:
    """Write a snapshot into the folder `target` and return its manifest.

    Raises RefusedError for a stream that is not there or a folder that is not empty, TransientError where the disk
    refuses; then there is nothing in `target`.
    """
    source = refuse_missing(wanted.state, wanted.stream)
    with snapshot_folder(target) as folder:
        database = Database(source / "memory.db", wanted.stream, write=False)
        try:
            with database.reading() as cursor:
                if wanted.as_of_us is not None:
                    cut_at(cursor, wanted.as_of_us)
                rows = _write_records(folder, cursor, steps)
                files = media_rows(cursor) if wanted.media else []
                standing = standing_of(cursor, database.zone, wanted.as_of_us)
                _write_table(folder, PEOPLE, people_of(standing), lambda _: None, place="")
                write_graph(cursor, database.zone, standing, folder.path / GRAPH)
                manifest = _manifest(wanted, cursor, fingerprints)
        finally:
            database.close()
        folder.note(GRAPH)
        if wanted.media:
            rows["media"] = _write_media(folder, MediaFolder(source / "media"), files, steps)
        manifest = msgspec.structs.replace(manifest, rows=rows, files=tuple(folder.files))
        folder.put(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=2))
    return manifest


def _write_records(folder: SnapshotFolder, cursor: apsw.Cursor, steps: Steps) -> dict[str, int]:
    tables = memory_tables(cursor)
    counts = {table.name: fetch(cursor, f"SELECT count(*) FROM {table.name}")[0][0] for table in tables}  # noqa: S608 - ours
    step = steps("records", sum(counts.values()))
    return {table.name: _write_table(folder, table, table.rows(cursor), step) for table in tables}


def _write_table(
    folder: SnapshotFolder,
    table: SnapshotTable,
    rows: Iterable[tuple[Any, ...]],
    step: Callable[[int], None],
    place: str = "records/",
) -> int:
    written = 0
    for number, (count, content) in enumerate(parts(table, rows)):
        folder.put(f"{place}{table.name}/{number:05}.parquet", content)
        written += count
        step(count)
    return written


def _write_media(folder: SnapshotFolder, media: MediaFolder, files: list[tuple[str, int, int]], steps: Steps) -> int:
    """Write the files that are still kept, and which they are."""
    step, kept = steps("files", len(files)), []
    for sha256, clip, _ in files:
        content = media.get(sha256)
        if content is not None:
            folder.put(f"media/{sha256[:2]}/{sha256}", content)
            kept.append((sha256, clip, len(content)))
        step(1)
    return _write_table(folder, MEDIA, kept, lambda _: None)


def _manifest(wanted: Wanted, cursor: apsw.Cursor, fingerprints: Fingerprints) -> Manifest:
    ((version, watermark_us),) = fetch(
        cursor,
        "SELECT max(coalesce(max(version), 0), (SELECT coalesce(max(made), 0) FROM piece), "
        "(SELECT coalesce(max(made), 0) FROM ruling)), max(watermark_us) FROM clip",
    )
    told = dict(fetch(cursor, "SELECT key, value FROM meta WHERE key NOT IN ('schema', 'stream')"))
    return Manifest(
        program=fingerprints.program,
        schema=SCHEMA_VERSION,
        stream=wanted.stream,
        store=told,
        version=version,
        watermark=None if watermark_us is None else format_time(watermark_us),
        as_of=None if wanted.as_of_us is None else format_time(wanted.as_of_us),
        state_hash=records_hash(cursor),
        words_hash=remarks_hash(cursor),
        rows={},
        embedders=tuple(name for (name,) in fetch(cursor, _EMBEDDERS)),
        models=fingerprints.models,
        settings=fingerprints.settings,
        settings_sha256=fingerprints.settings_sha256,
        media=wanted.media,
        files=(),
    )
