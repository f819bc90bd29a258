"""What a video file is, by its own first bytes and boxes, before any decoder is let near it.

Only the two families of containers that clips may come in are known here, so that what calls itself a video cannot
be a playlist, a script of other files, or an address.
"""

import io
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from biographer.state.errors import BadClipError

_FIRST_BOXES = frozenset({b"ftyp", b"styp", b"moov", b"moof", b"mdat", b"free", b"skip", b"wide", b"pnot"})
_BOXES_OF_WEIGHT = frozenset({b"moov", b"moof", b"mdat"})
_EBML = b"\x1a\x45\xdf\xa3"
_SEGMENT = b"\x18\x53\x80\x67"
_BOXES_MAX = 100_000


class ContainerKind(StrEnum):
    """The families of containers, by the names of their demuxers."""

    MP4 = "mov"
    MATROSKA = "matroska"

    @property
    def media_type(self) -> str:
        """Media type of a file of this family."""
        return "video/mp4" if self is ContainerKind.MP4 else "video/x-matroska"


@dataclass(frozen=True, slots=True)
class Probe:
    """What a file is; `sealed` where it states its own length and holds it, so that nothing can be missing at its end.

    Files that are written as they are recorded (fragmented MP4, live Matroska) are not sealed.
    """

    kind: ContainerKind
    sealed: bool


def probe(source: bytes | Path) -> Probe:
    """Look at a file; raises BadClipError for what is empty, cut, or neither MP4 nor Matroska/WebM."""
    try:
        with _opened(source) as file:
            return _probe(file)
    except OSError as error:
        raise BadClipError(
            f"video file {source!s:.200} cannot be read: {error.strerror}; send the clip again"
        ) from error


def _opened(source: bytes | Path) -> AbstractContextManager[BinaryIO]:
    return io.BytesIO(source) if isinstance(source, bytes) else source.open("rb")


def _probe(file: BinaryIO) -> Probe:
    head = file.read(8)
    size = file.seek(0, io.SEEK_END)
    if not size:
        raise BadClipError("video is empty (0 bytes); send the file itself")
    if head[:4] == _EBML:
        return Probe(ContainerKind.MATROSKA, _segment_is_sealed(file, size))
    if head[4:8] in _FIRST_BOXES:
        return Probe(ContainerKind.MP4, _boxes_are_sealed(file, size))
    raise BadClipError(f"video begins with {head!r}, neither MP4 nor Matroska/WebM; send one of these")


def _boxes_are_sealed(file: BinaryIO, size: int) -> bool:
    """Refuse a file that ends before its boxes do, which is how an interrupted copy of an MP4 looks."""
    at, names = 0, set()
    for _ in range(_BOXES_MAX):
        if at + 8 > size:
            break
        length, name = _box(file, at, size)
        if length < 8:
            break
        names.add(name)
        if at + length > size and name in _BOXES_OF_WEIGHT:
            raise BadClipError(
                f"video is cut: its box {name.decode()} ends at byte {at + length}, the file at {size}; "
                "send the whole file"
            )
        at += length
    if b"moov" not in names:
        raise BadClipError(f"video of {size} bytes has no index (box moov): it is cut or unfinished; send it whole")
    return b"moof" not in names


def _box(file: BinaryIO, at: int, size: int) -> tuple[int, bytes]:
    file.seek(at)
    head = file.read(16)
    length, name = int.from_bytes(head[:4]), head[4:8]
    if length == 1:
        length = int.from_bytes(head[8:16])
    return (size - at if length == 0 else length), name


def _segment_is_sealed(file: BinaryIO, size: int) -> bool:
    """Refuse a Matroska file that ends before its segment does; one written live states no length."""
    file.seek(4)
    length = _vint(file)
    file.seek(file.tell() + (length or 0))
    if file.read(4) != _SEGMENT:
        raise BadClipError(f"video of {size} bytes has no Matroska segment: it is cut or damaged; send it whole")
    length = _vint(file)
    end = file.tell() + (length or 0)
    if end > size:
        raise BadClipError(f"video is cut: its segment ends at byte {end}, the file at {size}; send the whole file")
    return length is not None


def _vint(file: BinaryIO) -> int | None:
    """Read a length as EBML writes it (RFC 8794, section 4); None where it is unknown."""
    first = file.read(1)
    width = 9 - first[0].bit_length() if first and first[0] else 1
    rest = file.read(width - 1)
    value = int.from_bytes(first + rest) & ((1 << 7 * width) - 1)
    return None if value == (1 << 7 * width) - 1 else value
