"""A child on a leash ends with its parent, however that ends, and not before."""

import os
import signal
import subprocess
import sys

import pytest

from biographer.ops.leash import Leash

PARENT = """
import subprocess, sys
from biographer.ops.leash import Leash
child = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL, start_new_session=True)
leash = Leash.on(child)
print("ready", flush=True)
input()
"""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX's")


def test_a_child_ends_with_a_parent_that_was_killed():
    """The pipe ends once nobody holds it: neither the parent nor its child, which would wait for ever."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert parent.stdout.readline() == b"ready\n"
    parent.kill()
    parent.wait()
    parent.communicate(timeout=30)


def test_a_child_that_is_let_go_goes_on():
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    Leash.on(child).release()
    out, _ = child.communicate(b"still here", timeout=30)
    assert (out, child.returncode) == (b"still here", 0)


def test_a_leash_that_is_pulled_ends_all_of_the_group():
    child = subprocess.Popen(
        "sleep 600 & cat", shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    leash = Leash.on(child)
    leash._shell.stdin.close()
    child.stdout.read()
    assert child.wait(30) == -signal.SIGKILL
    leash._shell.wait(30)
    child.stdin.close()
    child.stdout.close()
