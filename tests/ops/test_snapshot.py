"""Snapshots: whole or not there, equal to the memory that they were made of, and refused where anything differs."""

import json
import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from remarks import amendment, described, named, related
from sightings import clip, recording, seen, us

from biographer.daemon.settings import Settings
from biographer.ops.exporting import Wanted, export
from biographer.ops.fingerprints import Fingerprints
from biographer.ops.importing import take_in
from biographer.ops.snapshot_folder import SnapshotFolder
from biographer.ops.snapshot_manifest import Manifest, read_manifest
from biographer.ops.snapshot_parquet import parts, rows_of
from biographer.state.errors import RefusedError, TransientError
from biographer.state.folder import StateFolder, stream_folder
from biographer.state.media import MediaFolder
from biographer.state.rule import Rule, Thresholds
from biographer.state.ruling import Act, Word
from biographer.state.schema import SCHEMA_VERSION
from biographer.state.snapshot_tables import SnapshotTable, TableColumn, memory_tables
from biographer.state.state_hash import state_hash, words_hash
from biographer.state.times import SECOND_US
from biographer.state.verify import verdict

RULE = Rule(thresholds={"": Thresholds(0.6, 0.75)})
PRINTS = Fingerprints("0", {"order": {}}, "0" * 64, {})
ODD = "../../é/\x01\u202e?"


def silently(_, __):
    return lambda _: None


@contextmanager
def memory(path, stream="wearer", log=()):
    folder = StateFolder(path, RULE)
    try:
        for one in log:
            folder.stream(stream).apply(one)
        yield folder
    finally:
        folder.close()


def exported(state, target, stream="wearer", steps=silently, **wanted):
    return export(Wanted(state, stream, **wanted), target, PRINTS, steps)


@pytest.fixture
def snapshot(tmp_path):
    with memory(tmp_path / "state", log=recording(3, 10)):
        exported(tmp_path / "state", tmp_path / "snapshot", media=True)
    return tmp_path / "snapshot"


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 14), st.sampled_from(["wearer", ODD]), st.booleans())
def test_what_is_exported_and_imported_is_the_same_memory(seed, clips, stream, media):
    with TemporaryDirectory() as place:
        here = Path(place)
        with memory(here / "a", stream, recording(seed, clips, stream=stream)) as folder:
            expected = verdict(folder.stream(stream).store, folder.stream(stream).memory)
            manifest = exported(here / "a", here / "s", stream, media=media)
        assert (manifest.state_hash, manifest.version, manifest.stream) == (expected.hash, clips, stream)
        with memory(here / "b") as other:
            assert take_in(here / "s", other, silently).stream == stream
            found = verdict(other.stream(stream).store, other.stream(stream).memory)
            assert (found.hash, found.counts, found.faults) == (expected.hash, expected.counts, ())
            kept = dict(other.stream(stream).store.select("SELECT sha256, bytes FROM media"))
            files = MediaFolder(stream_folder(here / "b", stream) / "media")
            assert bool(kept) == (media and clips > 0)
            assert all(len(files.get(name)) == size for name, size in kept.items())
            assert list(other.stream(stream).store.select("SELECT bytes FROM media_total")) == [(sum(kept.values()),)]


def in_order(seed, clips):
    """A recording in which nothing overlaps and nothing comes late."""
    for number, one in enumerate(recording(seed, clips)):
        yield clip(
            f"n{number}",
            40.0 * number,
            *(seen(o.track, o.embedding and o.embedding.vector, 40.0 * number) for o in one.observations),
            words="x",
        )


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 8), st.floats(-1, 9))
def test_as_of_is_the_log_cut_at_that_time(seed, clips, moment):
    log, as_of_us = list(in_order(seed, clips)), max(0, round(40 * moment * SECOND_US))
    with TemporaryDirectory() as place:
        here = Path(place)
        with memory(here / "a", log=log):
            manifest = exported(here / "a", here / "s", as_of_us=as_of_us)
        with memory(here / "b", log=[one for one in log if one.clip.end_us <= as_of_us]) as cut:
            assert manifest.state_hash == state_hash(cut.stream("wearer").store)
        with memory(here / "c") as other:
            take_in(here / "s", other, silently)


def test_as_of_in_a_log_out_of_order_is_a_state_that_the_memory_was_in(tmp_path):
    log = recording(8, 14)
    hashes = []
    with memory(tmp_path / "a") as folder:
        hashes.append(state_hash(folder.stream("wearer").store))
        for one in log:
            folder.stream("wearer").apply(one)
            hashes.append(state_hash(folder.stream("wearer").store))
        for number, seconds in enumerate((0, 60, 100, 150, 200, 10_000)):
            manifest = exported(tmp_path / "a", tmp_path / f"s{number}", as_of_us=seconds * SECOND_US)
            assert manifest.state_hash == hashes[manifest.version]
    assert manifest.version == 14


def test_ingest_goes_on_meanwhile_and_is_not_in_it(tmp_path):
    log = recording(2, 12)
    with memory(tmp_path / "a", log=log[:8]) as folder:
        before, coming = state_hash(folder.stream("wearer").store), iter(log[8:])

        def steps(_, __):
            folder.stream("wearer").apply(next(coming))
            return lambda _: None

        manifest = exported(tmp_path / "a", tmp_path / "s", steps=steps, media=True)
        assert folder.stream("wearer").version > 8
    assert (manifest.version, manifest.state_hash) == (8, before)
    with memory(tmp_path / "b") as other:
        take_in(tmp_path / "s", other, silently)


def test_whoever_reads_graphml_reads_the_graph(tmp_path):
    log = [
        *recording(3, 9),
        clip("odd", 500.0, seen(0, (1, 0, 0, 0), 500.0, embedder="odd", label="<a & b>\x01\u202e\U0001f600")),
    ]
    with memory(tmp_path / "a", log=log) as folder:
        exported(tmp_path / "a", tmp_path / "s")
        counts = folder.stream("wearer").memory.graph.counts()
        apart = list(folder.stream("wearer").store.select("SELECT low, high FROM apart"))
    graph = nx.read_graphml(tmp_path / "s" / "graph.graphml")
    nodes = dict(graph.nodes(data=True))
    kinds = [one["kind"] for one in nodes.values()] + [one["kind"] for *_, one in graph.edges(data=True)]
    assert {kind: kinds.count(kind) for kind in counts} == counts
    assert nodes["e0"]["start"].endswith("Z")
    assert "<a & b>\ufffd\u202e\U0001f600" in {one.get("label") for one in nodes.values()}
    found = {frozenset(pair) for *pair, one in graph.edges(data=True) if one["kind"] == "apart"}
    assert found == {frozenset((f"e{low}", f"e{high}")) for low, high in apart}
    assert {one["weight"] for *_, one in graph.edges(data=True) if one["kind"] == "context"} == {1.0}


def test_names_and_facts_are_in_the_graph(tmp_path):
    log = [clip(f"c{n}", 30 * n, seen(0, (1.0, 0.0), 30 * n)) for n in range(6)]
    with memory(tmp_path / "a", log=log) as folder:
        stream = folder.stream("wearer")
        stream.amend(amendment(related(2, log[2].clip, "Anna", "cup", track=0)))
        window = stream.memory.index.windows.versions[0]
        stream.amend(amendment(named(window, {"c0": ["Anna", "tea"], "c4": ["Anna"]})))
        stream.obey(Word(Act.NAME, "me", 0, name="Anna"))
        exported(tmp_path / "a", tmp_path / "s")
        counts = stream.memory.graph.counts()
    graph = nx.read_graphml(tmp_path / "s" / "graph.graphml")
    edges = {frozenset(pair): one for *pair, one in graph.edges(data=True)}
    kinds = [one["kind"] for one in (*dict(graph.nodes(data=True)).values(), *edges.values())]
    assert {kind: kinds.count(kind) for kind in counts} == counts
    assert counts["name"] == 3
    assert graph.nodes["n0"]["label"] == "Anna"
    assert edges[frozenset(("n0", "l4"))] == {"kind": "mentioned_in", "weight": 1.0, "known": "1970-01-01T00:03:00Z"}
    assert edges[frozenset(("n0", "e0"))] == {"kind": "appeared_in", "weight": 1.0}


@pytest.mark.parametrize("step", [1, 5, 9, 14])
def test_killed_in_mid_export_it_leaves_nothing_that_looks_whole(tmp_path, step, monkeypatch):
    """HKUDS/LightRAG#2441: a store cut off in the middle blocks the next start."""
    with memory(tmp_path / "a", log=recording(3, 6)):
        pass
    child = os.fork()
    if not child:
        put, count = SnapshotFolder.put, iter(range(1, 100))

        def dying(folder, name, content):
            if next(count) == step:
                (folder.path / name).parent.mkdir(exist_ok=True, parents=True)
                (folder.path / name).write_bytes(content[: len(content) // 2])
                os._exit(9)
            put(folder, name, content)

        monkeypatch.setattr(SnapshotFolder, "put", dying)
        exported(tmp_path / "a", tmp_path / "s", media=True)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert not (tmp_path / "s").exists()
    (left,) = tmp_path.glob(".s.*")
    with memory(tmp_path / "b") as other, pytest.raises(RefusedError, match="no whole snapshot"):
        take_in(left, other, silently)
    exported(tmp_path / "a", tmp_path / "s", media=True)
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []
    with memory(tmp_path / "b") as other:
        take_in(tmp_path / "s", other, silently)


@pytest.mark.parametrize("writes", [0, 3, 8])
def test_a_full_disk_leaves_nothing_and_may_be_tried_again(tmp_path, monkeypatch, writes):
    with memory(tmp_path / "a", log=recording(3, 6)):
        pass
    fsync, count = os.fsync, iter(range(100))

    def full(handle):
        if next(count) >= writes:
            raise OSError(28, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TransientError, match="No space left"):
        exported(tmp_path / "a", tmp_path / "s")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a"]
    monkeypatch.setattr(os, "fsync", fsync)
    assert exported(tmp_path / "a", tmp_path / "s").version == 6


def test_a_place_that_is_taken_is_refused(tmp_path, snapshot):
    before = (snapshot / "manifest.json").read_bytes()
    with pytest.raises(RefusedError, match="not empty"):
        exported(tmp_path / "state", snapshot)
    assert (snapshot / "manifest.json").read_bytes() == before
    (tmp_path / "file").touch()
    with pytest.raises(RefusedError, match="no folder"):
        exported(tmp_path / "state", tmp_path / "file")
    (tmp_path / "empty").mkdir()
    assert exported(tmp_path / "state", tmp_path / "empty").version == 10
    with pytest.raises(RefusedError, match="unknown here"):
        exported(tmp_path / "state", tmp_path / "other", "nobody")
    assert not (tmp_path / "other").exists()


def test_two_exports_do_not_write_one_place(tmp_path, snapshot):
    def steps(_, __):
        with pytest.raises(RefusedError, match="another export"):
            exported(tmp_path / "state", tmp_path / "s")
        return lambda _: None

    assert snapshot
    exported(tmp_path / "state", tmp_path / "s", steps=steps)


def refused(tmp_path, snapshot, match, stream=None):
    with memory(tmp_path / "b") as other:
        with pytest.raises(RefusedError, match=match):
            take_in(snapshot, other, silently, stream)
        assert other.names() == []
        assert not (tmp_path / "b" / ".importing").exists()


def test_every_file_that_differs_is_named_with_what_was_expected_and_found(tmp_path, snapshot):
    files = [snapshot / one.path for one in read_manifest(snapshot).files]
    kinds = {one.relative_to(snapshot).parts[:2]: one for one in files}
    assert len(kinds) > 10
    for path in kinds.values():
        content = path.read_bytes()
        path.write_bytes(content[:-1])
        refused(tmp_path, snapshot, rf"{path.name}: expected {len(content)} bytes, found {len(content) - 1}")
        path.write_bytes(bytes([content[0] ^ 1]) + content[1:])
        refused(tmp_path, snapshot, rf"{path.name}: expected SHA-256 [0-9a-f]+, found")
        path.unlink()
        refused(tmp_path, snapshot, rf"{path.name}: expected {len(content)} bytes, found no file")
        path.write_bytes(content)
    with memory(tmp_path / "b") as other:
        take_in(snapshot, other, silently)


def altered(snapshot, **fields):
    path = snapshot / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "/etc/passwd",
        "records/../../x/00000.parquet",
        "media/ab/../../x",
        "records/clip/0.parquet",
        ".",
        "manifest.json",
        "records/clip/00000.parquet\n",
    ],
)  # fmt: skip
def test_names_cannot_escape(tmp_path, snapshot, name):
    altered(snapshot, files=[{"path": name, "size": 1, "sha256": "0" * 64}])
    refused(tmp_path, snapshot, "which no snapshot holds")


def test_links_lead_nowhere(tmp_path, snapshot):
    one = snapshot / "records" / "clip" / "00000.parquet"
    shutil.copy(one, tmp_path / "elsewhere")
    one.unlink()
    one.symlink_to(tmp_path / "elsewhere")
    refused(tmp_path, snapshot, "found a link")


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        ({"format": "another"}, "expected format 'biographer-snapshot', found 'another'"),
        ({"format_version": 3}, "expected format version 1 or 2, found 3"),
        ({"schema": SCHEMA_VERSION + 1}, f"expected schema version {SCHEMA_VERSION}, found {SCHEMA_VERSION + 1}"),
        ({"state_hash": "0" * 64}, "expected state hash 0+, its records make"),
        ({"stream": ""}, "1 to 200 characters"),
        ({"files": 3}, "damaged"),
        ({"files": []}, "expected state hash"),
        ({"store": {"timezone": "Nowhere/At_All"}}, "timezone"),
    ],
)  # fmt: skip
def test_other_manifests_are_refused(tmp_path, snapshot, fields, match):
    altered(snapshot, **fields)
    refused(tmp_path, snapshot, match)


def test_files_that_are_no_parquet_or_other_tables_are_refused_though_their_hashes_are_right(tmp_path, snapshot):
    manifest = json.loads((snapshot / "manifest.json").read_text())
    other = SnapshotTable("x", (TableColumn("y", "INTEGER", nullable=False),))
    for content, match in (
        (b"PAR1nothingPAR1", "no Parquet"),
        (next(parts(other, [(1,)]))[1], "expected columns number, name"),
    ):
        (snapshot / "records" / "clip" / "00000.parquet").write_bytes(content)
        made = SnapshotFolder(snapshot)
        made.note("records/clip/00000.parquet")
        file = made.files[0]
        files = [one for one in manifest["files"] if one["path"] != file.path]
        altered(snapshot, files=[*files, {"path": file.path, "size": file.size, "sha256": file.sha256}])
        refused(tmp_path, snapshot, match)


def test_a_stream_that_is_there_is_not_overwritten_and_another_name_may_be_given(tmp_path, snapshot):
    with memory(tmp_path / "b", log=recording(1, 2)) as other:
        before = state_hash(other.stream("wearer").store)
        with pytest.raises(RefusedError, match="already"):
            take_in(snapshot, other, silently)
        assert state_hash(other.stream("wearer").store) == before
        take_in(snapshot, other, silently, ODD)
        assert other.names() == sorted(["wearer", ODD])
        assert state_hash(other.stream(ODD).store) == read_manifest(snapshot).state_hash
        other.stream(ODD).apply(clip("more", 9000.0, seen(0, (1, 0, 0, 0), 9000.0, embedder="odd"), stream=ODD))


def test_media_that_is_no_longer_kept_is_left_out(tmp_path):
    with memory(tmp_path / "a", log=recording(3, 6)) as folder:
        stream = folder.stream("wearer")
        (name, *_) = [sha for (sha,) in stream.store.select("SELECT sha256 FROM media")]
        stream.media.drop(name)
        manifest = exported(tmp_path / "a", tmp_path / "s", media=True)
    assert manifest.rows["media"] == sum(one.path.startswith("media/") for one in manifest.files) > 0
    with memory(tmp_path / "b") as other:
        take_in(tmp_path / "s", other, silently)


VALUES = {
    "INTEGER": st.integers(-(2**63), 2**63 - 1),
    "REAL": st.floats(allow_nan=False),
    "TEXT": st.text(st.characters(exclude_categories=["Cs"])),
    "BLOB": st.binary(),
}
TABLE = SnapshotTable("t", tuple(TableColumn(kind.lower(), kind, nullable=True) for kind in VALUES))


@settings(deadline=None)
@given(st.lists(st.tuples(*(st.none() | values for values in VALUES.values()))))
def test_rows_come_back_as_they_were(rows):
    assert [row for _, part in parts(TABLE, rows) for row in rows_of(TABLE, part, "x")] == rows


def test_a_long_table_is_written_in_parts(monkeypatch):
    monkeypatch.setattr("biographer.ops.snapshot_parquet._PART_ROWS", 3)
    rows = [(number, None, "x", b"") for number in range(8)]
    made = list(parts(TABLE, rows))
    assert [count for count, _ in made] == [3, 3, 2]
    assert [row for _, part in made for row in rows_of(TABLE, part, "x")] == rows


def test_every_table_is_exported_or_no_part_of_a_memory_and_can_be_cut(tmp_path):
    with memory(tmp_path / "a", log=recording(1, 3)) as folder:
        with folder.stream("wearer").store.database.reading() as cursor:
            tables = memory_tables(cursor)
        manifest = exported(tmp_path / "a", tmp_path / "s", as_of_us=10**15)
    assert {table.name for table in tables} == manifest.rows.keys()
    assert {"clip", "line", "observation", "membership", "vector", "trail", "words"} <= manifest.rows.keys()
    assert {column.kind for table in tables for column in table.columns} <= VALUES.keys()


def test_the_page_on_snapshots_names_every_field_and_every_table_of_arrays(tmp_path):
    page = (Path(__file__).parents[2] / "ops" / "SNAPSHOT.md").read_text()
    with memory(tmp_path / "a") as folder, folder.stream("wearer").store.database.reading() as cursor:
        arrays = [one for one in memory_tables(cursor) if one.name != "clip"]
    for name in Manifest.__struct_fields__:
        assert f"`{name}`" in page
    for table in arrays:
        for column in table.columns:
            assert column.kind != "BLOB" or f"`{column.name}`" in page


def test_fingerprints_hold_no_secrets_and_change_with_what_shapes_a_memory():
    one = Fingerprints.of(Settings())
    assert "kafka" not in one.settings
    other = Fingerprints.of(Settings(order=type(Settings().order)(lateness_s=5.0)))
    assert one.settings_sha256 != other.settings_sha256
    assert Fingerprints.of(Settings()) == one


def told(path, clips=8):
    """A memory whose observations are described 30 s after their clips, as a folder."""
    log = [clip(f"c{n}", 30 * n, seen(0, (1, 0), 30 * n)) for n in range(clips)]
    with memory(path, log=log) as folder:
        stream = folder.stream("wearer")
        for number in range(clips - 1):
            stream.amend(amendment(described(number, f"c{number}", 0, us(30 * number + 60), f"cup {number}")))
        return words_hash(stream.store)


def test_what_was_written_goes_along_and_comes_back(tmp_path):
    expected = told(tmp_path / "a")
    manifest = exported(tmp_path / "a", tmp_path / "s")
    assert (manifest.words_hash, manifest.version) == (expected, 15)
    with memory(tmp_path / "b") as other:
        take_in(tmp_path / "s", other, silently)
        stream = other.stream("wearer")
        assert verdict(stream.store, stream.memory).faults == ()
        assert (words_hash(stream.store), stream.version) == (expected, 15)
        assert stream.memory.index.extent.told.observations == 7


def test_as_of_leaves_out_what_was_written_of_a_later_time(tmp_path):
    told(tmp_path / "a")
    exported(tmp_path / "a", tmp_path / "s", as_of_us=us(120))
    with memory(tmp_path / "b") as other:
        take_in(tmp_path / "s", other, silently)
        stream = other.stream("wearer")
        assert verdict(stream.store, stream.memory).faults == ()
        assert list(stream.store.select("SELECT count(*), max(known_us) FROM remark")) == [(3, us(120))]
        # The memory goes on behind it.
        stream.apply(clip("c9", 300))
        assert stream.amend(amendment(described(3, "c3", 0, us(150), "cup 3"))) is not None


def test_altered_remarks_are_refused(tmp_path):
    told(tmp_path / "a")
    exported(tmp_path / "a", tmp_path / "s")
    manifest = tmp_path / "s" / "manifest.json"
    content = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**content, "words_hash": "0" * 64}))
    with memory(tmp_path / "b") as other, pytest.raises(RefusedError, match="words hash"):
        take_in(tmp_path / "s", other, silently)
