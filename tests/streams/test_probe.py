import pytest
from videos import video

from biographer.state.errors import BadClipError
from biographer.streams.probe import ContainerKind, Probe, probe


@pytest.mark.parametrize(
    ("container", "codec", "kind", "media_type"),
    [
        ("mp4", "libx264", ContainerKind.MP4, "video/mp4"),
        ("mov", "libx264", ContainerKind.MP4, "video/mp4"),
        ("matroska", "libx264", ContainerKind.MATROSKA, "video/x-matroska"),
        ("webm", "libvpx", ContainerKind.MATROSKA, "video/x-matroska"),
    ],
)
def test_kind_is_read_from_the_bytes(container, codec, kind, media_type, tmp_path):
    source = video(3, container=container, codec=codec)
    path = tmp_path / "named.txt"
    path.write_bytes(source)
    assert probe(source) == probe(path) == Probe(kind, sealed=True)
    assert kind.media_type == media_type


def box(name, body, length=None):
    return (8 + len(body) if length is None else length).to_bytes(4) + name + body


def test_boxes_of_every_form_of_length_are_walked():
    wide = (1).to_bytes(4) + b"mdat" + (16 + 5).to_bytes(8) + b"x" * 5
    assert probe(box(b"ftyp", b"isom") + wide + box(b"moov", b"")).kind is ContainerKind.MP4
    assert probe(box(b"ftyp", b"isom") + box(b"moov", b"") + box(b"mdat", b"to the end", 0)).kind is ContainerKind.MP4


def test_a_box_longer_than_the_file_is_a_cut():
    """blakeblackshear/frigate#14917."""
    cut = (1).to_bytes(4) + b"mdat" + (2**40).to_bytes(8) + b"x" * 5
    with pytest.raises(BadClipError, match=f"box mdat ends at byte {2**40 + 20}, the file at 41"):
        probe(box(b"ftyp", b"isom") + box(b"moov", b"") + cut)


def test_no_index_is_a_cut():
    """blakeblackshear/frigate#14917."""
    with pytest.raises(BadClipError, match="no index"):
        probe(box(b"ftyp", b"isom") + box(b"mdat", b"x" * 100))


def test_a_segment_longer_than_the_file_is_a_cut_and_one_without_length_is_not():
    """blakeblackshear/frigate#14917."""
    head = b"\x1a\x45\xdf\xa3\x81\x00\x18\x53\x80\x67"
    assert probe(head + b"\x83abc").kind is ContainerKind.MATROSKA
    assert probe(head + b"\x01" + b"\xff" * 7 + b"live").kind is ContainerKind.MATROSKA
    with pytest.raises(BadClipError, match="segment ends at byte 15, the file at 14"):
        probe(head + b"\x84abc")
    with pytest.raises(BadClipError, match="no Matroska segment"):
        probe(head[:6])


def test_files_written_as_they_are_recorded_are_not_sealed():
    for source in (
        video(30, layout={"movflags": "frag_keyframe+empty_moov"}),
        video(30, container="matroska", layout={"live": "1"}),
    ):
        assert not probe(source).sealed
