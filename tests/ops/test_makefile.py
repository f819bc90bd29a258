import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAKE = shutil.which("make")

pytestmark = pytest.mark.skipif(MAKE is None, reason="make is not installed")


def prerequisites(path: Path, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    command = [str(MAKE), "--no-print-directory", "prerequisites", f"PYTHON={python}"]
    return subprocess.run(command, cwd=ROOT, env={"PATH": str(path)}, capture_output=True, text=True, check=False)


def with_tools(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).symlink_to("/bin/sh")
    return folder


def test_all_there_says_nothing(tmp_path):
    run = prerequisites(with_tools(tmp_path, "git", "npm"))
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


@pytest.mark.parametrize("missing", ["git", "npm"])
def test_a_missing_tool_is_named_with_the_remedy(tmp_path, missing):
    run = prerequisites(with_tools(tmp_path, *({"git", "npm"} - {missing})))
    assert run.returncode != 0
    assert f"{missing} is needed" in run.stderr
    assert f"apt-get install {missing}" in run.stderr


def test_an_old_or_absent_python_is_named_with_the_remedy(tmp_path):
    path = with_tools(tmp_path, "git", "npm")
    (tmp_path / "oldpython").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "oldpython").chmod(0o755)
    for python in ("oldpython", "no-such-python"):
        run = prerequisites(path, python)
        assert run.returncode != 0
        assert "Python 3.11 or newer is needed" in run.stderr
        assert "make PYTHON=" in run.stderr


def test_help_lists_every_target_that_is_promised():
    run = subprocess.run([str(MAKE), "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = [line.split()[1] for line in run.stdout.splitlines()]
    assert {"setup", "demo", "test", "test-slow", "soak", "lint", "types", "imports", "bench"} <= set(listed)
