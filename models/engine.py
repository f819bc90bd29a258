"""ONNX Runtime behind a narrow door: sessions are opened here, and its many exceptions become one.

`onnxruntime` (extra `cpu` or `gpu`) is imported only when an engine is made. Which provider to use, and what to do
when one fails, is decided in `runtime`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from biographer.state.errors import FatalError

Array: TypeAlias = NDArray[Any]
Shape: TypeAlias = tuple[int | None, ...]


class Session(Protocol):
    """A network open on one provider; threads may run it at once."""

    @property
    def inputs(self) -> Mapping[str, tuple[Shape, np.dtype[Any]]]:
        """Shape and type of each input, in order; a free length is None."""

    @property
    def outputs(self) -> Mapping[str, Shape]:
        """Shape of each output, in order."""

    @property
    def metadata(self) -> Mapping[str, str]:
        """What the file says of itself."""

    def run(self, outputs: Sequence[str], feeds: Mapping[str, Array]) -> list[Array]:
        """Return the outputs asked for; raises FatalError where the provider fails."""


class Engine(Protocol):
    """What opens sessions."""

    @property
    def available(self) -> Sequence[str]:
        """Names of the providers that this build has."""

    def open(self, path: Path, provider: str, options: Mapping[str, str], threads: int) -> Session:
        """Open a network; raises FatalError where the file or the provider fails."""


class OnnxRuntime:
    """ONNX Runtime as an Engine; raises FatalError where it is not installed."""

    def __init__(self) -> None:
        try:
            import onnxruntime  # noqa: PLC0415 - an extra: what needs no network must start without it
            from onnxruntime.capi import onnxruntime_pybind11_state as native  # noqa: PLC0415
        except ImportError as error:
            raise FatalError(
                f"networks need ONNX Runtime ({error}): install biographer[cpu], or biographer[gpu] on a machine with "
                "an NVIDIA GPU, never both"
            ) from error
        self._onnxruntime = onnxruntime
        kinds = (kind for kind in vars(native).values() if isinstance(kind, type) and issubclass(kind, Exception))
        self._failures: tuple[type[Exception], ...] = (*kinds, RuntimeError, ValueError)

    @property
    def available(self) -> Sequence[str]:
        """Names of the providers that this build has."""
        return tuple(self._onnxruntime.get_available_providers())

    def open(self, path: Path, provider: str, options: Mapping[str, str], threads: int) -> "OnnxSession":
        """Open a network on exactly this provider (and ONNX Runtime's CPU kernels for what it does not cover)."""
        try:
            native = self._onnxruntime.InferenceSession(
                path, self._session_options(threads), providers=[(provider, dict(options))]
            )
        except self._failures as error:
            raise FatalError(f"{path.name} does not open on {provider}: {error}") from error
        # Without this ONNX Runtime itself would go on, on another provider, and say so on no log of ours.
        native.disable_fallback()
        if provider not in native.get_providers():
            raise FatalError(f"{path.name} does not open on {provider}: its libraries do not load")
        return OnnxSession(path.name, native, self._failures)

    def _session_options(self, threads: int) -> object:
        options = self._onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.use_deterministic_compute = True
        options.log_severity_level = 3
        # Threads that spin between frames take the cores from decoding and from other clips, and win next to nothing.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        if not sums_bytes_exactly():
            # The way round it takes twice the time, so only where it is needed.
            options.add_session_config_entry("session.x64quantprecision", "1")
        return options


def sums_bytes_exactly(cpu: Path = Path("/proc/cpuinfo")) -> bool:
    """Tell whether the processor has VNNI: without it, x86 sums products of 8 bits in 16, which overflow."""
    try:
        flags = cpu.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return "avx512_vnni" in flags or "avx_vnni" in flags


class OnnxSession:
    """An ONNX Runtime session as a Session."""

    def __init__(self, name: str, native: Any, failures: tuple[type[Exception], ...]) -> None:  # noqa: ANN401 - untyped
        self._name, self._native, self._failures = name, native, failures
        self.inputs = {port.name: (_shape(port.shape), _dtype(port.type)) for port in native.get_inputs()}
        self.outputs = {port.name: _shape(port.shape) for port in native.get_outputs()}
        self.metadata: dict[str, str] = dict(native.get_modelmeta().custom_metadata_map)

    def run(self, outputs: Sequence[str], feeds: Mapping[str, Array]) -> list[Array]:
        """Return the outputs asked for; raises FatalError where the provider fails."""
        try:
            found: list[Array] = self._native.run(list(outputs), dict(feeds))
        except self._failures as error:
            raise FatalError(f"{self._name} fails while running: {error}") from error
        return found


def _shape(lengths: Sequence[object]) -> Shape:
    return tuple(length if isinstance(length, int) and length > 0 else None for length in lengths)


def _dtype(kind: str) -> np.dtype[Any]:
    names = {"tensor(float)": "float32", "tensor(float16)": "float16", "tensor(double)": "float64"}
    return np.dtype(names.get(kind, kind.removeprefix("tensor(").removesuffix(")")))
