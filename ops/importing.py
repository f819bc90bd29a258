"""Taking a snapshot in: every file checked, the store built aside, compared by its hash, and only then installed.

What is wrong with a snapshot is found before anything of it can be seen.
"""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from biographer.ops.exporting import Steps
from biographer.ops.snapshot_manifest import Manifest, SnapshotFile, read_file, read_manifest
from biographer.ops.snapshot_parquet import rows_of
from biographer.state.agreement import disagreements
from biographer.state.database import meaning
from biographer.state.errors import RefusedError
from biographer.state.folder import StateFolder
from biographer.state.media import MediaFolder
from biographer.state.snapshot_tables import MEDIA, SnapshotTable, memory_tables
from biographer.state.state_hash import state_hash, words_hash
from biographer.state.store import Store

_ASIDE = ".importing"


@dataclass(frozen=True, slots=True)
class Imported:
    """What was taken in, and under which name."""

    stream: str
    manifest: Manifest


def take_in(snapshot: Path, state: StateFolder, steps: Steps, stream: str | None = None) -> Imported:
    """Rebuild a snapshot's stream in a state folder, under its own name or another.

    Raises RefusedError for a snapshot that is not whole, was altered or is of another version, and where there is
    such a stream already; then the state folder is as before.
    """
    manifest = read_manifest(snapshot)
    name = stream or manifest.stream
    if state.knows(name):
        raise RefusedError(f"stream {name!r} is in {state.path} already; import it under another name, with --stream")
    aside = state.path / _ASIDE
    # The state folder is held by us alone: what lies there was left by an import that was killed.
    shutil.rmtree(aside, ignore_errors=True)
    try:
        with meaning(aside):
            aside.mkdir(parents=True)
        _build(snapshot, manifest, aside, name, steps)
        state.install(name, aside)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return Imported(name, manifest)


def _build(snapshot: Path, manifest: Manifest, aside: Path, name: str, steps: Steps) -> None:
    media = MediaFolder(aside / "media")
    step = steps("files", len(manifest.files))
    store = Store(aside / "memory.db", name)
    try:
        with store.database.transaction() as cursor:
            cursor.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", _told(manifest))
            tables = {table.name: table for table in (*memory_tables(cursor), MEDIA)}
            for file in manifest.files:
                _take(snapshot, file, cursor, tables, media)
                step(1)
        _refuse_other(snapshot, manifest, store)
    finally:
        store.close()


def _take(
    snapshot: Path, file: SnapshotFile, cursor: apsw.Cursor, tables: dict[str, SnapshotTable], media: MediaFolder
) -> None:
    content, where = read_file(snapshot, file), str(snapshot / file.path)
    kind, _, rest = file.path.partition("/")
    if kind == "media":
        media.put(rest.rpartition("/")[2], content)
    elif kind == "records":
        table = tables.get(rest.partition("/")[0])
        if table is None:
            raise RefusedError(f"{where}: expected one of {', '.join(tables)}, found another table; it was altered")
        _insert(table, cursor, rows_of(table, content, where), where)


def _insert(table: SnapshotTable, cursor: apsw.Cursor, rows: Iterator[tuple[Any, ...]], where: str) -> None:
    try:
        table.insert(cursor, rows)
    except (apsw.ConstraintError, apsw.MismatchError) as error:
        raise RefusedError(f"{where}: its rows do not fit ({error}); copy or export the snapshot again") from error


def _told(manifest: Manifest) -> Iterator[tuple[str, str | int]]:
    """Yield what the store says of the stream, but for what is ours to say."""
    for key, value in manifest.store.items():
        if key not in ("schema", "stream"):
            yield key, value


def _refuse_other(snapshot: Path, manifest: Manifest, store: Store) -> None:
    """Refuse records that are not those that were exported, or that no memory is made of."""
    for name, expected, hash_of in (
        ("state hash", manifest.state_hash, state_hash),
        ("words hash", manifest.words_hash, words_hash),
    ):
        found = hash_of(store)
        if found != expected:
            told = f"expected {name} {expected}, its records make {found}"
            raise RefusedError(f"{snapshot}: {told}; copy or export the snapshot again")
    faults = list(disagreements(store))
    if faults:
        raise RefusedError(f"{snapshot}: its records disagree: {'; '.join(faults[:3])}; export it again")
    _ = store.database.zone  # refuses a time zone that is unknown here
