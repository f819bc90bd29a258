"""What happens when providers fail, engines are stale, and batches are of any size."""

import logging
import threading

import numpy as np
import pytest

from biographer.models.onnx_graph import OnnxGraph
from biographer.models.providers import CPU, CUDA, TENSORRT, Accelerator
from biographer.models.runtime import Runtime, batch_size
from biographer.state.errors import FatalError, RefusedError

NONE = Accelerator("none", "none")


class FakeSession:
    """Doubles its input, notes the sizes of batches, and fails where told."""

    def __init__(self, engine, provider, batch=None):
        self.engine, self.provider = engine, provider
        self.inputs = {"pixels": ((batch, 2), np.dtype(np.float32))}
        self.outputs = {"doubled": (None, 2)}
        self.metadata = {}

    def run(self, outputs, feeds):
        assert outputs == ["doubled"]
        if self.provider in self.engine.fail_running:
            raise FatalError(f"{self.provider} lost its device")
        self.engine.batches.append(len(feeds["pixels"]))
        return [feeds["pixels"] * 2]


class FakeEngine:
    """An engine whose providers fail at opening or at running."""

    def __init__(self, available=(CPU,), fail_opening=(), fail_running=(), batch=None):
        self.available, self.fail_opening, self.fail_running = available, fail_opening, fail_running
        self.batch, self.batches, self.opened, self.files = batch, [], [], []

    def open(self, path, provider, options, threads):  # noqa: ARG002 - the signature of Engine
        self.opened.append((provider, dict(options)))
        self.files.append((provider, path))
        if provider in self.fail_opening:
            raise FatalError(f"{path.name} does not open on {provider}")
        return FakeSession(self, provider, self.batch)


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"weights")
    return path


def rows(count):
    return np.arange(count * 2, dtype=np.float32).reshape(count, 2)


def test_the_best_available_provider_is_used(tmp_path, model):
    engine = FakeEngine((CPU, CUDA, "SomethingElse"))
    assert Runtime(tmp_path, engine=engine, accelerator=NONE).network(model).provider == CUDA
    assert Runtime(tmp_path, (CPU,), engine=engine, accelerator=NONE).network(model).provider == CPU


def test_a_provider_that_does_not_open_gives_way_and_is_said_once(tmp_path, model, caplog):
    """NVIDIA/TensorRT#2176: an engine that does not fit must not stop the service."""
    engine = FakeEngine((TENSORRT, CUDA, CPU), fail_opening=(TENSORRT, CUDA))
    with caplog.at_level(logging.WARNING):
        network = Runtime(tmp_path, engine=engine, accelerator=NONE).network(model)
        for _ in range(3):
            np.testing.assert_array_equal(network.run(rows(3), ["doubled"])[0], rows(3) * 2)
    assert network.provider == CPU
    assert [record.message for record in caplog.records] == [
        f"model: model.onnx does not open on {TENSORRT}; going on with {CUDA}",
        f"model: model.onnx does not open on {CUDA}; going on with {CPU}",
    ]


def test_a_provider_that_fails_while_running_gives_way_once_for_all_threads(tmp_path, model, caplog):
    """NVIDIA/TensorRT#2176."""
    engine = FakeEngine((CUDA, CPU), fail_running=(CUDA,))
    network = Runtime(tmp_path, engine=engine, accelerator=NONE).network(model)
    results = []
    threads = [threading.Thread(target=lambda: results.append(network.run(rows(4), ["doubled"])[0])) for _ in range(8)]
    with caplog.at_level(logging.WARNING):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(results) == 8
    assert all(np.array_equal(result, rows(4) * 2) for result in results)
    assert len(caplog.records) == 1
    assert [provider for provider, _ in engine.opened] == [CUDA, CPU]


def test_when_nothing_runs_it_the_error_says_why(tmp_path, model):
    engine = FakeEngine((CUDA, CPU), fail_opening=(CUDA, CPU))
    with pytest.raises(FatalError, match=f"does not open on {CPU}"):
        Runtime(tmp_path, engine=engine, accelerator=NONE).network(model)
    with pytest.raises(FatalError, match="TensorrtExecutionProvider"):
        Runtime(tmp_path, (TENSORRT,), engine=FakeEngine(), accelerator=NONE).network(model)


def test_engines_are_kept_apart_by_model_gpu_and_version(tmp_path, model):
    """NVIDIA/TensorRT#2176: a cached engine of another GPU or version is never picked up."""

    def folder(content, accelerator):
        model.write_bytes(content)
        engine = FakeEngine((TENSORRT, CPU))
        Runtime(tmp_path, engine=engine, accelerator=accelerator).network(model)
        options = dict(engine.opened)[TENSORRT]
        assert options["trt_timing_cache_path"] == options["trt_engine_cache_path"]
        return options["trt_engine_cache_path"]

    base = folder(b"a", Accelerator("NVIDIA A100", "10.7"))
    assert base == folder(b"a", Accelerator("NVIDIA A100", "10.7"))
    others = [
        folder(b"b", Accelerator("NVIDIA A100", "10.7")),
        folder(b"a", Accelerator("NVIDIA L4", "10.7")),
        folder(b"a", Accelerator("NVIDIA A100", "10.8")),
    ]
    assert len({base, *others}) == 4


def test_tensorrt_is_given_every_shape_it_will_see(tmp_path, model):
    engine = FakeEngine((TENSORRT, CPU))
    network = Runtime(tmp_path, engine=engine, accelerator=NONE).network(model)
    options = dict(engine.opened)[TENSORRT]
    assert options["trt_fp16_enable"] == "1"
    assert options["trt_profile_min_shapes"] == "pixels:1x2"
    assert options["trt_profile_opt_shapes"] == "pixels:8x2"
    assert options["trt_profile_max_shapes"] == "pixels:32x2"
    network.run(rows(77), ["doubled"])
    assert set(engine.batches) <= {1, 8, 32}


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 9])
def test_any_number_of_rows_comes_back_in_order(tmp_path, model, count):
    engine = FakeEngine()
    (found,) = Runtime(tmp_path, engine=engine, accelerator=NONE).network(model).run(rows(count), ["doubled"])
    np.testing.assert_array_equal(found, rows(count) * 2)


def test_a_file_of_fixed_batch_is_run_in_that_batch(tmp_path, model):
    engine = FakeEngine(batch=2)
    (found,) = Runtime(tmp_path, engine=engine, accelerator=NONE).network(model).run(rows(5), ["doubled"])
    np.testing.assert_array_equal(found, rows(5) * 2)
    assert engine.batches == [2, 2, 2]


def test_batches_are_padded_only_where_mostly_full():
    assert [batch_size(left, (1, 8, 32)) for left in (1, 2, 6, 8, 20, 24, 40)] == [1, 1, 8, 8, 8, 32, 32]
    assert batch_size(1, (4,)) == 4


def test_an_absent_file_is_refused_with_the_remedy(tmp_path):
    with pytest.raises(RefusedError, match="models list"):
        Runtime(tmp_path, engine=FakeEngine(), accelerator=NONE).network(tmp_path / "absent.onnx")


@pytest.fixture
def real(tmp_path):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    graph = OnnxGraph()
    graph.input("rows", (1, 2))
    graph.output("doubled", graph.add("Add", ["rows", "rows"]), (1, 2))
    path = tmp_path / "double.onnx"
    path.write_bytes(graph.to_bytes({"made": "here"}))
    return Runtime(tmp_path, threads=1, accelerator=NONE), path


def test_onnx_runtime_runs_a_real_file(real):
    runtime, path = real
    network = runtime.network(path)
    assert network.metadata == {"made": "here"}
    np.testing.assert_array_equal(network.run(rows(7), ["doubled"])[0], rows(7) * 2)


def test_onnx_runtimes_own_errors_become_ours(real):
    runtime, path = real
    network = runtime.network(path)
    with pytest.raises(FatalError, match="double"):
        network.run(np.zeros((1, 3), np.float32), ["doubled"])
    path.write_bytes(b"not a model")
    with pytest.raises(FatalError, match=r"double\.onnx does not open"):
        runtime.network(path)


def test_without_onnx_runtime_the_extras_are_named(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)
    with pytest.raises(FatalError, match=r"biographer\[cpu\]"):
        Runtime(tmp_path)


def test_without_onnx_the_extras_are_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(FatalError, match=r"biographer\[cpu\]"):
        OnnxGraph().to_bytes({})


def test_the_file_for_the_cpu_is_what_the_cpu_runs_and_nobody_else(tmp_path, model):
    quick = tmp_path / "model.int8.onnx"
    quick.write_bytes(b"fewer bits")
    engine = FakeEngine((CUDA, CPU), fail_running=(CUDA,))
    network = Runtime(tmp_path, engine=engine, accelerator=NONE).network(model, quick)
    network.run(rows(1), ["doubled"])
    assert [(provider, path.name) for provider, path in engine.files] == [(CUDA, model.name), (CPU, quick.name)]
    with pytest.raises(RefusedError, match="absent"):
        Runtime(tmp_path, engine=engine, accelerator=NONE).network(model, tmp_path / "absent.onnx")
