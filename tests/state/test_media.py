"""Media: bytes under their own hash, kept durably, deleted only when the store says so."""

import os
import stat
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from sightings import STREAM, clip, pictured, seen

from biographer.state.errors import RefusedError, TransientError
from biographer.state.folder import StateFolder, stream_folder
from biographer.state.media import MediaFolder
from biographer.state.rule import Rule
from biographer.state.stream import Stream

PICTURE = b"a picture"
NAME = sha256(PICTURE).hexdigest()


@pytest.fixture
def media(tmp_path: Path) -> MediaFolder:
    return MediaFolder(tmp_path / "media")


def files(stream: Stream) -> set[str]:
    return {path.name for path in (stream.folder / "media").rglob("*") if path.is_file()}


def test_bytes_are_given_back_by_their_hash(media: MediaFolder) -> None:
    assert media.get(NAME) is None
    media.put(NAME, PICTURE)
    media.put(NAME, PICTURE)
    assert media.get(NAME) == PICTURE
    assert [path.name for path in media.folder.rglob("*") if path.is_file()] == [NAME]
    media.drop(NAME)
    media.drop(NAME)
    assert media.get(NAME) is None


def test_bytes_under_another_hash_are_refused(media: MediaFolder) -> None:
    with pytest.raises(RefusedError, match="does not match its bytes"):
        media.put(NAME, b"another")
    assert not media.folder.exists()


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "",
        ".",
        "a" * 63,
        "a" * 65,
        "A" * 64,
        "/" + "a" * 63,
        "a" * 64 + "\n",
        "\N{ARABIC-INDIC DIGIT ZERO}" * 64,
    ],
)
def test_a_name_that_is_no_hash_reaches_no_file(media: MediaFolder, name: str) -> None:
    for call in (media.path, media.get, media.drop):
        with pytest.raises(RefusedError):
            call(name)


@pytest.mark.parametrize("damage", [b"", PICTURE[:-1], PICTURE + b"!", b"a Picture"])
def test_a_damaged_file_is_not_given_out_and_is_made_good_by_keeping_it_again(
    media: MediaFolder, damage: bytes
) -> None:
    media.put(NAME, PICTURE)
    media.path(NAME).write_bytes(damage)
    assert media.get(NAME) is None
    media.put(NAME, PICTURE)
    assert media.get(NAME) == PICTURE


def test_what_a_crash_left_half_written_is_written_anew(media: MediaFolder) -> None:
    path = media.path(NAME)
    path.parent.mkdir(parents=True)
    path.with_name(f"{NAME}.part").write_bytes(PICTURE[:3])
    assert media.get(NAME) is None
    media.put(NAME, PICTURE)
    assert media.get(NAME) == PICTURE
    assert len(list(path.parent.iterdir())) == 1


def test_a_disk_that_refuses_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "media").write_text("a file where the folder should be")
    with pytest.raises(TransientError, match="free or repair the disk"):
        MediaFolder(tmp_path / "media").put(NAME, PICTURE)


def test_what_is_dropped_again_is_not_waited_for(media: MediaFolder) -> None:
    media.put(NAME, PICTURE)
    media.drop(NAME)
    media.sync()


# Kept with a clip, and bounded.


def shown(stream: Stream, number: int, *pictures: bytes) -> None:
    crops = tuple(pictured(content, 60 * number) for content in pictures)
    stream.apply(clip(f"c{number}", 60 * number, seen(0, (1, 0), 60 * number, crops=crops), media=pictures))


def bounded(tmp_path: Path, limit: int | None) -> StateFolder:
    return StateFolder(tmp_path / "state", Rule(), media_limit=limit)


def test_without_a_bound_everything_is_kept(tmp_path: Path) -> None:
    stream = bounded(tmp_path, None).stream(STREAM)
    for number in range(5):
        shown(stream, number, bytes([number]) * 1_000)
    assert len(files(stream)) == 5


def test_over_the_bound_the_oldest_go_first(tmp_path: Path) -> None:
    stream = bounded(tmp_path, 2_500).stream(STREAM)
    pictures = [bytes([number]) * 1_000 for number in range(5)]
    for number, picture in enumerate(pictures):
        shown(stream, number, picture)
        assert sum(path.stat().st_size for path in stream.folder.rglob("media/*/*")) <= 2_500
    assert [stream.media.get(sha256(picture).hexdigest()) is not None for picture in pictures] == [
        False,
        False,
        False,
        True,
        True,
    ]
    assert [name for (name,) in stream.store.select("SELECT sha256 FROM media ORDER BY clip")] == [
        sha256(picture).hexdigest() for picture in pictures[3:]
    ]


def test_a_picture_shown_again_counts_as_new(tmp_path: Path) -> None:
    stream = bounded(tmp_path, 2_500).stream(STREAM)
    first, second, third = (bytes([number]) * 1_000 for number in range(3))
    shown(stream, 0, first)
    shown(stream, 1, second)
    shown(stream, 2, first)
    shown(stream, 3, third)
    assert files(stream) == {sha256(first).hexdigest(), sha256(third).hexdigest()}


def test_a_bound_of_nothing_keeps_nothing_and_the_records_stay(tmp_path: Path) -> None:
    stream = bounded(tmp_path, 0).stream(STREAM)
    shown(stream, 0, PICTURE)
    assert files(stream) == set()
    assert list(stream.store.select("SELECT sha256 FROM crop")) == [(NAME,)]
    assert stream.media.get(NAME) is None


def test_a_crash_between_striking_and_deleting_leaves_a_file_too_many_and_no_row_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = bounded(tmp_path, 1_500).stream(STREAM)
    shown(stream, 0, b"0" * 1_000)

    def drop(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(stream.media, "drop", drop)
    with pytest.raises(KeyboardInterrupt):
        shown(stream, 1, b"1" * 1_000)
    named = {name for (name,) in stream.store.select("SELECT sha256 FROM media")}
    assert named < files(stream)
    assert stream.version == 2


def test_an_empty_database_beside_full_media_deletes_nothing(tmp_path: Path) -> None:
    """blakeblackshear/frigate#7838: whatever the bound, only what the store has kept itself may go."""
    folder = bounded(tmp_path, None)
    stream = folder.stream(STREAM)
    for number in range(4):
        shown(stream, number, bytes([number]) * 1_000)
    before = files(stream)
    folder.close()
    for path in stream_folder(folder.path, STREAM).glob("memory.db*"):
        path.unlink()
    again = bounded(tmp_path, 1_500)
    stream = again.stream(STREAM)
    assert stream.version == 0
    assert files(stream) == before
    shown(stream, 9, b"9" * 1_000)
    shown(stream, 10, b"A" * 1_000)
    assert before <= files(stream)
    again.close()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="descriptors are told by /proc")
def test_names_are_durable_before_the_transaction_that_tells_them(tmp_path: Path) -> None:
    """A power cut after the commit must find each file under its name, and so must the folders be synced before it."""
    order: list[str] = []

    def recorded(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        order.append(str(path.relative_to(tmp_path)))

    with closing(Stream(STREAM, tmp_path, Rule())) as stream:
        stream.media = MediaFolder(tmp_path / "media", recorded)
        stream.store.database.connection.set_commit_hook(lambda: order.append("commit") or False)
        for start in (0, 30):
            stream.apply(
                clip(f"c{start}", start, seen(0, (1, 0), start, crops=(pictured(PICTURE, start),)), media=[PICTURE])
            )
    folder = f"media/{NAME[:2]}"
    first = order.index("commit")
    assert sorted(order[:first]) == [".", "media", folder, f"{folder}/{NAME}"]
    # Nobody knows of what was there before whether it ever was synced.
    assert sorted(order[first + 1 : -1]) == [folder, f"{folder}/{NAME}"]
    assert order[-1] == "commit"


def test_what_could_not_be_synced_is_synced_the_next_time(tmp_path: Path) -> None:
    # Taken by one thread of several: next() is one step.
    refusals = iter([OSError(5, "input/output error")])

    def refused(descriptor: int) -> None:
        refusal = next(refusals, None) if stat.S_ISDIR(os.fstat(descriptor).st_mode) else None
        if refusal is not None:
            raise refusal
        synced.append(os.fstat(descriptor).st_ino)

    synced: list[int] = []
    media = MediaFolder(tmp_path / "media", refused)
    media.put(NAME, PICTURE)
    with pytest.raises(TransientError, match="cannot be written"):
        media.sync()
    media.sync()
    path = media.path(NAME)
    assert {one.stat().st_ino for one in (path, path.parent, media.folder, tmp_path)} == set(synced)
    count = len(synced)
    media.sync()
    assert len(synced) == count
