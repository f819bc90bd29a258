"""What a snapshot was made with: the program, the settings that shape a memory, and the models that they name."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import msgspec

import biographer
from biographer.daemon.parts import models_folder, models_needed
from biographer.daemon.settings import Settings

_SECTIONS = ("perceive", "association", "order")
"""Those that change what is remembered, and hold no secret."""


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Program version, settings by section, their SHA-256, and the SHA-256 of each model's file by the model's name.

    They are of the exporter's settings, which are the daemon's where both read the same file.
    """

    program: str
    settings: Mapping[str, Any]
    settings_sha256: str
    models: Mapping[str, str]

    @classmethod
    def of(cls, settings: Settings) -> "Fingerprints":
        """Take the fingerprints of settings; reads the models' files."""
        shaping = {name: msgspec.to_builtins(getattr(settings, name)) for name in _SECTIONS}
        digest = sha256(msgspec.json.encode(shaping, order="deterministic")).hexdigest()
        folder = models_folder(settings)
        models = {model.name: _digest(folder / model.file) for model in models_needed(settings)}
        return cls(biographer.__version__, shaping, digest, models)


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""  # a machine that only exports has no models
