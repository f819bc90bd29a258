"""The default models' weights, for tests that look at real pictures; absent weights skip, with the remedy."""

import os
from pathlib import Path

import pytest

from biographer.models.catalogue import NANODET
from biographer.models.runtime import Runtime
from biographer.models.weights import present


@pytest.fixture(scope="session")
def weights_folder():
    pytest.importorskip("onnxruntime")
    folder = Path(os.environ.get("BIOGRAPHER_MODELS") or Path.home() / ".cache" / "biographer" / "models")
    if not present(NANODET, folder):
        pytest.skip(f"no weights in {folder}: run `biographer models pull`, or name their folder in BIOGRAPHER_MODELS")
    return folder


@pytest.fixture(scope="session")
def cpu_runtime(tmp_path_factory):
    pytest.importorskip("onnxruntime")
    return Runtime(tmp_path_factory.mktemp("engines"), ("CPUExecutionProvider",), threads=1)
