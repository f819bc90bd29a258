"""The manifest of a snapshot: what it holds, of which stream at which version, and the hash of every file.

A snapshot is whole where its manifest is: it is written last. Names in it are checked before any is used: they come
from whoever made the snapshot.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from biographer.state.database import meaning
from biographer.state.errors import RefusedError
from biographer.state.schema import SCHEMA_VERSION

MANIFEST, GRAPH = "manifest.json", "graph.graphml"
FORMAT, FORMAT_VERSION = "biographer-snapshot", 2
FORMAT_VERSIONS = (1, FORMAT_VERSION)
"""Those that are read: 1 had no people."""

_NAME = re.compile(r"(?:records/[a-z_]{1,60}|people)/[0-9]{5}\.parquet|graph\.graphml|media/[0-9a-f]{2}/[0-9a-f]{64}")


class SnapshotFile(msgspec.Struct, frozen=True):
    """One file: its path below the snapshot's folder, its size and its SHA-256."""

    path: str
    size: int
    sha256: str

    @classmethod
    def of(cls, path: str, content: bytes) -> "SnapshotFile":
        """Return a file of this content."""
        return cls(path, len(content), sha256(content).hexdigest())


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a snapshot says of itself; times are RFC 3339."""

    format: str = FORMAT
    format_version: int = FORMAT_VERSION
    program: str
    """Version of the Biographer that wrote it."""
    schema: int
    """Version of the tables."""
    stream: str
    store: Mapping[str, str | int]
    """What the store says of the stream besides, such as its time zone."""
    version: int
    """How many changes had been made: clips that were applied, and amendments."""
    watermark: str | None
    as_of: str | None
    state_hash: str
    """That of `biographer verify`, over the records that are here."""
    words_hash: str
    """Likewise, over what was written about them."""
    rows: Mapping[str, int]
    embedders: tuple[str, ...]
    """Whose vectors the records hold."""
    models: Mapping[str, str]
    """Of each model that the exporter's settings name, the SHA-256 of its file."""
    settings: Mapping[str, Any]
    """The exporter's settings on what is perceived, joined and ordered."""
    settings_sha256: str
    media: bool
    files: tuple[SnapshotFile, ...]


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a snapshot, every name in it checked. Raises RefusedError for what this is not."""
    try:
        content = (folder / MANIFEST).read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        told = f"{folder} is no whole snapshot: {MANIFEST} is not there; name the folder that `biographer export` made"
        raise RefusedError(told) from error
    try:
        _refuse_other(msgspec.json.decode(content, type=_Kind), folder)
        manifest = msgspec.json.decode(content, type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise RefusedError(f"{folder / MANIFEST} is damaged ({error}); copy or export the snapshot again") from error
    _refuse_names(manifest, folder)
    return manifest


def read_file(folder: Path, file: SnapshotFile) -> bytes:
    """Return a file's bytes; raises RefusedError that names it where they are not those of the manifest."""
    path = place(folder, file)
    with meaning(path):
        found = path.stat().st_size
        content = path.read_bytes() if found == file.size else b""
    if found != file.size:
        raise RefusedError(f"{path}: expected {file.size} bytes, found {found}; copy or export the snapshot again")
    digest = sha256(content).hexdigest()
    if digest != file.sha256:
        raise RefusedError(f"{path}: expected SHA-256 {file.sha256}, found {digest}; copy or export the snapshot again")
    return content


def place(folder: Path, file: SnapshotFile) -> Path:
    """Return where a file lies; raises RefusedError where it is not there, or a link leads elsewhere."""
    path = folder / file.path
    if not path.is_file():
        raise RefusedError(f"{path}: expected {file.size} bytes, found no file; copy or export the snapshot again")
    if path.resolve() != folder.resolve() / file.path:
        raise RefusedError(f"{path}: expected a file, found a link to {path.resolve()}; put the file there itself")
    return path


class _Kind(msgspec.Struct):
    format: str
    format_version: int
    schema: int = 0


def _refuse_other(kind: _Kind, folder: Path) -> None:
    where = folder / MANIFEST
    if kind.format != FORMAT:
        raise RefusedError(f"{where}: expected format {FORMAT!r}, found {kind.format!r:.60}; this is no snapshot")
    for what, expected, found in (
        ("format version", FORMAT_VERSIONS, kind.format_version),
        ("schema version", (SCHEMA_VERSION,), kind.schema),
    ):
        if found not in expected:
            wanted = " or ".join(map(str, expected))
            raise RefusedError(f"{where}: expected {what} {wanted}, found {found}; read it with the program it is of")


def _refuse_names(manifest: Manifest, folder: Path) -> None:
    names = [file.path for file in manifest.files]
    for name in names:
        if not _NAME.fullmatch(name):
            raise RefusedError(f"{folder / MANIFEST} names {name!r:.120}, which no snapshot holds; it was altered")
    if len(set(names)) < len(names):
        raise RefusedError(f"{folder / MANIFEST} names a file twice; it was altered")
    if not 0 < len(manifest.stream) <= 200:
        raise RefusedError(f"{folder / MANIFEST}: a stream's name has 1 to 200 characters, not {len(manifest.stream)}")
