"""Where a figure was measured: the machine, the libraries, and the commit. A figure without these is no figure."""

import os
import platform
import subprocess
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import msgspec

LIBRARIES = ("numpy", "onnxruntime", "rustworkx", "apsw", "av", "aiokafka", "lap", "pillow", "uvloop")
"""Those that a figure depends on."""


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured: the commit's hash ("" where there is no repository) and whether files differed from it."""

    hash: str
    dirty: bool


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """What it was measured on; memory in GiB (binary).

    `load` is the mean number of busy processes over the last 15 minutes, the bench's own two or so among them: well
    above, and something else was running.
    """

    cpu: str
    cores: int
    memory_gib: float
    load: float
    system: str
    python: str
    libraries: Mapping[str, str]


def machine() -> Machine:
    """Describe this machine; `cores` are those that this process may use."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return Machine(
        cpu=_cpu(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_gib=round(memory, 1),
        load=round(os.getloadavg()[2], 1),
        system=platform.platform(),
        python=platform.python_version(),
        libraries={name: version for name in LIBRARIES if (version := _version(name))},
    )


def commit(folder: Path | None = None) -> Commit:
    """Return the commit of the repository that `folder` (by default, this file's) lies in."""
    where = folder or Path(__file__).resolve().parent
    revision = _git(where, "rev-parse", "HEAD")
    return Commit(hash=revision, dirty=bool(revision and _git(where, "status", "--porcelain", "--untracked-files=no")))


def _cpu() -> str:
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        for line in listed.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(library: str) -> str | None:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)  # noqa: S603 - our words
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
