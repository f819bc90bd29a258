"""The one way to run a network: on the best provider that works, in batches of a few fixed sizes.

What runs on a GPU is what runs on a CPU: the same file, the same calls. A provider that fails, at opening or later,
gives way to the next one, and that is logged once. What a network means is not known here.
"""

import hashlib
import logging
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from biographer.models.engine import Engine, OnnxRuntime, Session, Shape
from biographer.models.providers import CPU, TENSORRT, Accelerator, Profile, engine_folder, preferred, tensorrt_options
from biographer.state.errors import FatalError, RefusedError

Array: TypeAlias = NDArray[Any]

log = logging.getLogger(__name__)

BATCHES: Mapping[str, tuple[int, ...]] = {CPU: (1, 4)}
GPU_BATCHES = (1, 8, 32)
FILLED = 0.75
"""A batch is padded only where at least this much of it is real; below, smaller ones are quicker."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """How networks are run here.

    `cache` is where TensorRT's engines are kept; `providers` limits which may be used (None: all that are available);
    `threads` is how many a network may use on the CPU (0: one a core). Raises FatalError without ONNX Runtime.
    """

    cache: Path
    providers: tuple[str, ...] | None = None
    threads: int = 0
    engine: Engine = field(default_factory=OnnxRuntime)
    accelerator: Accelerator = field(default_factory=Accelerator.present)

    def network(self, path: Path, on_cpu: Path | None = None) -> "Network":
        """Open an ONNX file on the best provider; where that is the CPU, open `on_cpu` instead, the same in fewer bits.

        Raises RefusedError without the file, FatalError without provider.
        """
        for file in (path, on_cpu):
            if file is not None and not file.is_file():
                raise RefusedError(
                    f"there is no model file {str(file)!r}; name one that is there, or a model of "
                    "`biographer models list`"
                )
        return Network(path, self, on_cpu)

    def attempts(self, path: Path) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the providers to try for this file, with their options, best first."""
        for provider in preferred(self.engine.available, self.providers):
            yield provider, self._options(provider, path)

    def _options(self, provider: str, path: Path) -> dict[str, str]:
        if provider != TENSORRT:
            return {}
        folder = engine_folder(self.cache, hashlib.sha256(path.read_bytes()).hexdigest(), self.accelerator)
        folder.mkdir(parents=True, exist_ok=True)
        # Shapes are only known from the file: the CPU, which every build has, reads them without building anything.
        session = self.engine.open(path, CPU, {}, 1)
        sizes = [int(number) for number in re.findall(r"\d+", session.metadata.get("imgsz", ""))]
        return tensorrt_options(folder, {name: _profile(shape, sizes) for name, (shape, _) in session.inputs.items()})


class Network:
    """One network, open on one provider; threads may run it at once."""

    def __init__(self, path: Path, runtime: Runtime, on_cpu: Path | None = None) -> None:
        self.name = path.stem
        self._path, self._on_cpu, self._runtime = path, on_cpu or path, runtime
        self._attempts = runtime.attempts(path)
        self._lock = threading.Lock()
        self._provider = ""
        self._session = self._next("")

    @property
    def provider(self) -> str:
        """The provider that runs it now."""
        return self._provider

    @property
    def inputs(self) -> Mapping[str, tuple[Shape, np.dtype[Any]]]:
        """Shape and type of each input, in order; a free length is None."""
        return self._session.inputs

    @property
    def outputs(self) -> Mapping[str, Shape]:
        """Shape of each output, in order."""
        return self._session.outputs

    @property
    def metadata(self) -> Mapping[str, str]:
        """What the file says of itself."""
        return self._session.metadata

    def run(self, rows: Array, outputs: Sequence[str]) -> list[Array]:
        """Run a network of one input over `rows` (n, ...) and return each output asked for, (n, ...).

        `n` may be anything; inside, batches have a few fixed sizes, and no row's result depends on the others.
        """
        name = next(iter(self.inputs))
        parts = [self._run({name: rows[at : at + size]}, size, outputs) for at, size in self._batches(len(rows))]
        if not parts:
            return [
                np.zeros((0, *(length or 0 for length in self.outputs[output][1:])), np.float32) for output in outputs
            ]
        return parts[0] if len(parts) == 1 else [np.concatenate(column) for column in zip(*parts, strict=True)]

    def run_together(self, feeds: Mapping[str, Array], outputs: Sequence[str]) -> list[Array]:
        """Run a network of several inputs over rows that are given as they are, and return each output asked for."""
        return self._run_on_what_works(outputs, feeds)

    def _batches(self, count: int) -> Iterator[tuple[int, int]]:
        fixed = next(iter(self.inputs.values()))[0][0]
        sizes = (fixed,) if fixed else BATCHES.get(self._provider, GPU_BATCHES)
        at = 0
        while at < count:
            size = batch_size(count - at, sizes)
            yield at, size
            at += size

    def _run(self, feeds: Mapping[str, Array], size: int, outputs: Sequence[str]) -> list[Array]:
        real = len(next(iter(feeds.values())))
        padded = {name: _padded(rows, size) for name, rows in feeds.items()}
        return [found[:real] for found in self._run_on_what_works(outputs, padded)]

    def _run_on_what_works(self, outputs: Sequence[str], feeds: Mapping[str, Array]) -> list[Array]:
        while True:
            session = self._session
            try:
                return session.run(outputs, feeds)
            except FatalError as error:
                self._replace(session, str(error))

    def _replace(self, failed: Session, reason: str) -> None:
        """Go on to the next provider, unless another thread has already left the one that failed."""
        with self._lock:
            if self._session is failed:
                self._session = self._next(reason)

    def _next(self, reason: str) -> Session:
        for provider, options in self._attempts:
            if reason:
                log.warning("%s: %s; going on with %s", self.name, reason, provider)
            path = self._on_cpu if provider == CPU else self._path
            try:
                session = self._runtime.engine.open(path, provider, options, self._runtime.threads)
            except FatalError as error:
                reason = str(error)
                continue
            self._provider = provider
            return session
        raise FatalError(f"{self.name} runs on no provider of {self._runtime.providers or 'those available'}: {reason}")


def batch_size(left: int, sizes: Sequence[int]) -> int:
    """Return the size of the next batch for `left` rows: padded if it is mostly full, else the largest it fills."""
    for size in sizes:
        if FILLED * size <= left <= size:
            return size
    return max((size for size in sizes if size <= left), default=min(sizes))


def _padded(rows: Array, size: int) -> Array:
    if len(rows) == size:
        return np.ascontiguousarray(rows)
    return np.concatenate([rows, np.zeros((size - len(rows), *rows.shape[1:]), rows.dtype)])


def _profile(shape: Shape, sizes: Sequence[int]) -> Profile:
    """Fill free lengths: the first by the batches, the last two by the `imgsz` that exporters write, else by 640."""
    height, width = sizes if len(sizes) == 2 else (640, 640)
    usual = (*(3,) * (len(shape) - 3), height, width)[-(len(shape) - 1) :]
    rest = tuple(length or common for length, common in zip(shape[1:], usual, strict=True))
    batches = (shape[0],) * 3 if shape[0] else GPU_BATCHES
    return Profile(*((size, *rest) for size in batches))
