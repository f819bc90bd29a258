"""The default models' weights, for tests that look at real pictures; absent weights skip, with the remedy."""

import os

import pytest

from biographer.daemon.parts import models_folder
from biographer.daemon.settings import read_settings
from biographer.models.catalogue import NANODET
from biographer.models.runtime import Runtime
from biographer.models.weights import present


@pytest.fixture(scope="session")
def weights_folder():
    pytest.importorskip("onnxruntime")
    folder = models_folder(read_settings(None, os.environ))
    if not present(NANODET, folder):
        remedy = "run `biographer models pull`, or name their folder in BIOGRAPHER_MODELS_FOLDER"
        pytest.skip(f"no weights in {folder}: {remedy}")
    return folder


@pytest.fixture(scope="session")
def cpu_runtime(tmp_path_factory):
    pytest.importorskip("onnxruntime")
    return Runtime(tmp_path_factory.mktemp("engines"), ("CPUExecutionProvider",), threads=1)
