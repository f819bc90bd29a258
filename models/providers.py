"""Where a network may run: execution providers in order of preference, with the options each needs.

TensorRT's engines are valid for one model, one kind of GPU and one version only (NVIDIA/TensorRT#2176), so their
folder is named by all three. Sessions themselves are opened in `runtime`.
"""

import ctypes
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

CPU = "CPUExecutionProvider"
CUDA = "CUDAExecutionProvider"
TENSORRT = "TensorrtExecutionProvider"
PREFERENCE = (TENSORRT, CUDA, CPU)


@dataclass(frozen=True, slots=True)
class Accelerator:
    """What a cached engine depends on, besides the model."""

    gpu: str
    tensorrt: str

    @classmethod
    def present(cls) -> "Accelerator":
        """Return this machine's first GPU and TensorRT version, each "none" where there is none."""
        return cls(_gpu_name(), _tensorrt_version())


@dataclass(frozen=True, slots=True)
class Profile:
    """The shapes of one input for which TensorRT builds its engine: smallest, most common and largest."""

    smallest: tuple[int, ...]
    common: tuple[int, ...]
    largest: tuple[int, ...]


def preferred(available: Sequence[str], allowed: Sequence[str] | None) -> Iterator[str]:
    """Yield the providers to try, best first: those available and allowed (None allows all)."""
    return (name for name in PREFERENCE if name in available and (allowed is None or name in allowed))


def engine_folder(cache: Path, digest: str, accelerator: Accelerator) -> Path:
    """Return the folder for engines of the model with this SHA-256, on exactly this GPU and TensorRT."""
    place = re.sub(r"[^A-Za-z0-9.]+", "-", f"{accelerator.gpu}-trt{accelerator.tensorrt}")
    return cache / "engines" / f"{digest[:16]}-{place}"


def tensorrt_options(folder: Path, profiles: Mapping[str, Profile]) -> dict[str, str]:
    """Return the options of ONNX Runtime's TensorRT provider: half precision, both caches, explicit profiles."""
    options = {
        "trt_fp16_enable": "1",
        "trt_engine_cache_enable": "1",
        "trt_engine_cache_path": str(folder),
        "trt_timing_cache_enable": "1",
        "trt_timing_cache_path": str(folder),
    }
    for option, which in (("min", "smallest"), ("opt", "common"), ("max", "largest")):
        shapes = {name: "x".join(map(str, getattr(profile, which))) for name, profile in profiles.items()}
        options[f"trt_profile_{option}_shapes"] = ",".join(f"{name}:{shape}" for name, shape in shapes.items())
    return options


def _gpu_name() -> str:
    """Ask the driver itself: it is there wherever CUDA runs, and nothing else need be installed."""
    name = ctypes.create_string_buffer(128)
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "none"
    if driver.cuInit(0) or driver.cuDeviceGetName(name, len(name), 0):
        return "none"
    return name.value.decode(errors="replace")


def _tensorrt_version() -> str:
    for package in ("tensorrt", "tensorrt-cu13", "tensorrt-cu12"):
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return "none"
