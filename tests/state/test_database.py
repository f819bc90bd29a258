"""What a database's failures mean: retry, or stop; and that neither leaves a mark."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from sightings import STREAM, clip, recording, seen, unit

from biographer.state.database import Database, fetch, meaning
from biographer.state.errors import FatalError, RefusedError, TransientError
from biographer.state.folder import StateFolder, stream_folder
from biographer.state.position import Position
from biographer.state.reader import Reader
from biographer.state.rule import Rule
from biographer.state.schema import SCHEMA_VERSION
from biographer.state.state_hash import state_hash
from biographer.state.stream import Stream


def database_of(stream: Stream) -> Path:
    return stream.folder / "memory.db"


def shown(stream: Stream) -> tuple[object, ...]:
    """Everything that a failed call must leave as it was."""
    memory = stream.memory
    sets = [
        gallery.references_of(int(entity)).observations
        for gallery in memory.galleries.values()
        for entity in gallery.entities.view()
    ]
    counts = memory.graph.counts()
    return memory.version, memory.watermark_us, dict(memory.clips), memory.entity_count, sets, counts


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (apsw.CorruptError, FatalError),
        (apsw.NotADBError, FatalError),
        (apsw.FormatError, FatalError),
        (apsw.FullError, TransientError),
        (apsw.ReadOnlyError, TransientError),
        (apsw.IOError, TransientError),
        (apsw.CantOpenError, TransientError),
        (apsw.BusyError, TransientError),
        (apsw.LockedError, TransientError),
        (apsw.ProtocolError, TransientError),
        (apsw.PermissionsError, TransientError),
        (OSError, TransientError),
    ],
)
def test_a_failure_says_what_its_catcher_is_to_do(raised: type[Exception], expected: type[Exception]) -> None:
    def fail() -> None:
        with meaning(Path("memory.db")):
            raise raised("as injected")

    with pytest.raises(expected, match=r"memory\.db .*as injected"):
        fail()


def test_a_transaction_that_fails_leaves_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path / "memory.db", "a", write=True)

    def fail() -> None:
        with database.transaction() as cursor:
            cursor.execute("INSERT INTO meta VALUES ('half', 1)")
            raise KeyError("half-way")

    with pytest.raises(KeyError, match="half-way"):
        fail()
    with database.reading() as cursor:
        assert fetch(cursor, "SELECT count(*) FROM meta WHERE key = 'half'") == [(0,)]
    with database.transaction() as cursor:
        cursor.execute("INSERT INTO meta VALUES ('whole', 1)")
    database.close()


def test_a_disk_that_is_full_is_told_as_such_and_the_clip_can_be_applied_later(stream: Stream, tmp_path: Path) -> None:
    made = recording(5, 10)
    for perceived in made[:5]:
        stream.apply(perceived)
    before, digest = shown(stream), state_hash(stream.store)
    connection = stream.store.database.connection
    ((pages,),) = connection.execute("PRAGMA page_count").fetchall()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    large = clip("large", 600, *(seen(track, unit(*range(1, 13)), 600, frames=200) for track in range(10)))
    for _ in range(3):
        with pytest.raises(TransientError, match="full"):
            stream.apply(large, Position("", "t", "", 0, 6))
        assert shown(stream) == before
        assert stream.positions() == ()
        assert state_hash(stream.store) == digest
    connection.execute("PRAGMA max_page_count = 1000000")
    for perceived in (large, *made[5:]):
        assert not stream.apply(perceived).known
    whole = StateFolder(tmp_path / "whole", stream.memory.rule)
    for perceived in (*made[:5], large, *made[5:]):
        whole.stream(STREAM).apply(perceived)
    assert state_hash(stream.store) == state_hash(whole.stream(STREAM).store)
    assert shown(stream) == shown(whole.stream(STREAM))
    whole.close()


LIMITED = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from sightings import STREAM, recording
from biographer.state.errors import TransientError
from biographer.state.folder import StateFolder
from biographer.state.rule import Rule
stream = StateFolder(Path(sys.argv[1]), Rule()).stream(STREAM)
made = recording(5, 40)
for perceived in made[:3]:
    stream.apply(perceived)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
applied, refused = 3, 0
for perceived in made[3:]:
    try:
        stream.apply(perceived)
        applied += 1
    except TransientError:
        refused += 1
        assert stream.version == applied, (stream.version, applied)
        assert not stream.knows(perceived.clip.name)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
for perceived in made:
    stream.apply(perceived)
print(applied, refused, stream.version)
"""


@pytest.mark.parametrize("limit", [1, 100_000, 200_000])
def test_a_file_that_may_not_grow_loses_nothing(tmp_path: Path, limit: int) -> None:
    """The limit strikes media files, or the write-ahead log at some frame; writing goes on when it is lifted."""
    tests = str(Path(__file__).resolve().parent.parent)
    said = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path), tests, str(limit)], check=True, capture_output=True, text=True
    )
    applied, refused, version = map(int, said.stdout.split())
    assert refused > 0
    assert applied + refused == version == 40


READ_ONLY = """
import os, sys, tempfile
from pathlib import Path
from biographer.state.errors import BiographerError
from biographer.state.folder import StateFolder, stream_folder
from biographer.state.rule import Rule
if os.getuid() == 0:  # to whom nothing is read-only
    os.setgid(65534)
    os.setuid(65534)
with tempfile.TemporaryDirectory() as state:
    folder = StateFolder(Path(state), Rule())
    folder.stream("known").close()
    folder.close()
    shut = {"state": Path(state), "streams": Path(state) / "streams", "stream": stream_folder(Path(state), "known")}
    for path in (shut[sys.argv[1]], *shut[sys.argv[1]].iterdir()):
        path.chmod(path.stat().st_mode & 0o555)
    try:
        StateFolder(Path(state), Rule()).stream(sys.argv[2])
    except BiographerError as error:
        print(type(error).__name__, error)
    for path in (shut[sys.argv[1]], *shut[sys.argv[1]].iterdir()):
        path.chmod(path.stat().st_mode | 0o200)
"""


@pytest.mark.parametrize(("part", "name"), [("state", "known"), ("streams", "fresh"), ("stream", "known")])
def test_a_folder_that_may_not_be_written_is_told_with_its_reason(part: str, name: str) -> None:
    """topoteretes/cognee#4348: what cannot be written says so at once (readiness is the daemon's)."""
    said = subprocess.run([sys.executable, "-c", READ_ONLY, part, name], check=True, capture_output=True, text=True)
    assert said.stdout.startswith("TransientError")
    assert "free or repair the disk" in said.stdout


@pytest.mark.parametrize("damage", ["header", "garbage", "pages", "cut"])
def test_a_damaged_file_stops_with_the_remedy(stream: Stream, folder: StateFolder, rule: Rule, damage: str) -> None:
    for perceived in recording(1, 30):
        stream.apply(perceived)
    folder.close()
    path = database_of(stream)
    content = bytearray(path.read_bytes())
    if damage == "header":
        content[:16] = b"SQLite format 9\x00"
    elif damage == "garbage":
        content = bytearray(os.urandom(len(content)))
    elif damage == "pages":
        content[4096:] = b"\xff" * (len(content) - 4096)
    else:
        content = content[: len(content) // 2 // 4096 * 4096]
    path.write_bytes(content)
    again = StateFolder(folder.path, rule)
    with pytest.raises(FatalError, match=r"memory\.db .*feed the log again"):
        again.stream(STREAM)
    again.close()


def test_a_store_of_another_schema_version_is_refused(stream: Stream, folder: StateFolder, rule: Rule) -> None:
    with stream.store.database.transaction() as cursor:
        cursor.execute("UPDATE meta SET value = 99 WHERE key = 'schema'")
    folder.close()
    again = StateFolder(folder.path, rule)
    with pytest.raises(FatalError, match=f"schema version 99 where this program knows {SCHEMA_VERSION}"):
        again.stream(STREAM)
    with pytest.raises(FatalError, match="schema version 99"):
        Reader(folder.path, STREAM)
    again.close()


def test_a_database_of_somebody_else_is_refused(folder: StateFolder) -> None:
    path = stream_folder(folder.path, STREAM)
    path.mkdir(parents=True)
    other = apsw.Connection(str(path / "memory.db"))
    other.execute("CREATE TABLE theirs (x)")
    other.close()
    with pytest.raises(FatalError, match="none of Biographer's"):
        folder.stream(STREAM)


def test_a_reader_of_a_stream_that_is_only_begun_is_asked_to_come_back(folder: StateFolder) -> None:
    path = stream_folder(folder.path, STREAM)
    path.mkdir(parents=True)
    (path / "memory.db").touch()
    with pytest.raises(RefusedError, match="ask again in a moment"):
        Reader(folder.path, STREAM)


def test_ingest_goes_on_while_a_reader_holds_a_transaction(stream: Stream) -> None:
    """blakeblackshear/frigate#6874: neither waits for the other, and the reader sees one state throughout."""
    made = recording(2, 40)
    for perceived in made[:10]:
        stream.apply(perceived)
    reader = Database(database_of(stream), STREAM, write=False)
    stream.store.database.connection.set_busy_timeout(0)  # whoever had to wait would fail at once
    reader.connection.set_busy_timeout(0)
    with reader.reading() as cursor:
        before = fetch(cursor, "SELECT count(*), max(version) FROM clip")
        for perceived in made[10:]:
            stream.apply(perceived)
            assert fetch(cursor, "SELECT count(*), max(version) FROM clip") == before == [(10, 10)]
    with reader.reading() as cursor:
        assert fetch(cursor, "SELECT count(*) FROM clip") == [(40,)]
    reader.close()


def test_a_writer_that_was_killed_as_it_began_a_stream_leaves_one_that_is_being_begun(tmp_path: Path) -> None:
    """circlemind-ai/fast-graphrag#101: what it left half-written is undone, also by who only wants to read."""
    whole, cut = tmp_path / "whole.db", tmp_path / "cut.db"
    writer = apsw.Connection(str(whole))
    writer.execute("CREATE TABLE t (x); INSERT INTO t VALUES (0); PRAGMA cache_size = 5; BEGIN")
    writer.executemany("INSERT INTO t VALUES (?)", [(bytes(3_000),)] * 100)
    for ending in ("", "-journal"):
        shutil.copy(f"{whole}{ending}", f"{cut}{ending}")
    writer.close()
    bare = apsw.Connection(str(cut), flags=apsw.SQLITE_OPEN_READONLY)
    with pytest.raises(apsw.ReadOnlyError):
        bare.execute("SELECT count(*) FROM t").fetchall()
    bare.close()
    with pytest.raises(RefusedError, match="only being begun"):
        Database(cut, STREAM, write=False)
    assert apsw.Connection(str(cut), flags=apsw.SQLITE_OPEN_READONLY).execute("SELECT count(*) FROM t").get == 1


def test_a_reader_cannot_write(stream: Stream) -> None:
    reader = Database(database_of(stream), STREAM, write=False)

    def write() -> None:
        with reader.transaction() as cursor:
            cursor.execute("DELETE FROM meta")

    with pytest.raises(TransientError, match="readonly"):
        write()
    reader.close()


def test_every_write_is_durable_and_the_sqlite_is_past_its_wal_fault(stream: Stream) -> None:
    """DESIGN section 7: SQLite 3.7.0 to 3.51.2 may corrupt a database when its WAL is reset."""
    connection = stream.store.database.connection
    assert connection.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
    assert connection.execute("PRAGMA synchronous").fetchall() == [(2,)]
    assert tuple(map(int, apsw.sqlite_lib_version().split("."))) > (3, 51, 2)
