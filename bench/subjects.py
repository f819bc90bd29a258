"""Labelled photographs: a folder a subject, as google/dreambooth has them, and their embeddings.

Where a `prompts_and_classes.txt` lies beside the folders, its "subject,class" lines say which subjects are of a kind;
without it, every subject is a kind of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from biographer.models.catalogue import load_embedder
from biographer.models.circumstances import circumstances
from biographer.models.lesser_pictures import versions
from biographer.models.roles import Embedder
from biographer.models.runtime import Runtime
from biographer.models.standard import Standard
from biographer.models.trunk_embedder import PARTS, TrunkEmbedder
from biographer.state.errors import RefusedError

_VERSIONS_SEED = 0
_PICTURES = (".jpg", ".jpeg", ".png")


@dataclass(frozen=True, slots=True, eq=False)
class Subjects:
    """Photographs in order of subject: the paths, and subject and kind of each."""

    photographs: tuple[Path, ...]
    names: tuple[str, ...]
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Appearances:
    """What an embedder makes of photographs.

    `unit` (n, dim) is what it gives out. `raw` (n, VERSIONS, d) is what comes before its fixed statistics, of each
    photograph and then of lesser pictures of it, and `taken` (n, VERSIONS, k) under which circumstances; statistics
    are fitted on these. Both are None where it has none.
    """

    embedder: str
    unit: NDArray[np.float32]
    raw: NDArray[np.float32] | None = None
    taken: NDArray[np.float64] | None = None

    def statistics(self, rows: NDArray[np.intp]) -> Standard | None:
        """Return statistics of these photographs alone; None where there are none to fit."""
        if self.raw is None or self.taken is None:
            return None
        numbers, terms = self.raw.shape[2], self.taken.shape[2]
        return Standard.fit(PARTS, self.raw[rows].reshape(-1, numbers), self.taken[rows].reshape(-1, terms))

    def fitted_on(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return unit vectors of all photographs by statistics of these alone; `unit` where there are none to fit."""
        standard = self.statistics(rows)
        if standard is None or self.raw is None or self.taken is None:
            return self.unit
        return standard.apply(self.raw[:, 0], self.taken[:, 0], self.unit.shape[1])


def read_subjects(folder: Path) -> Subjects:
    """Find the photographs; raises RefusedError where there are not two subjects with two photographs each."""
    root = folder / "dataset" if (folder / "dataset").is_dir() else folder
    kinds = _kinds(root / "prompts_and_classes.txt")
    found = {
        subject.name: sorted(file for file in subject.iterdir() if file.suffix.lower() in _PICTURES)
        for subject in sorted(root.iterdir() if root.is_dir() else [])
        if subject.is_dir()
    }
    labelled = [(file, name) for name, files in found.items() if len(files) > 1 for file in files]
    if len({name for _, name in labelled}) < 2:
        raise RefusedError(f"{folder} needs two folders or more with two photographs each; there are {len(found)}")
    return Subjects(
        tuple(file for file, _ in labelled),
        tuple(name for _, name in labelled),
        tuple(kinds.get(name, name) for _, name in labelled),
    )


def appearances(subjects: Subjects, embedder: Embedder) -> Appearances:
    """Embed the photographs, each whole."""
    pictures = [_picture(file) for file in subjects.photographs]
    unit = embedder.embed(pictures)
    if not isinstance(embedder, TrunkEmbedder):
        return Appearances(embedder.name, unit)
    random = np.random.default_rng(_VERSIONS_SEED)
    several = [versions(picture, random) for picture in pictures]
    raw = np.stack([embedder.raw(one) for one in several])
    return Appearances(embedder.name, unit, raw, np.stack([circumstances(one) for one in several]))


def opened_embedder(name: str, models: Path) -> Embedder:
    """Return the embedder of this name from the folder of weights."""
    return load_embedder(name, models, Runtime(models))


def numbered(names: Sequence[str]) -> NDArray[np.int64]:
    """Return names as numbers, equal where they are."""
    _, numbers = np.unique(names, return_inverse=True)
    return numbers.astype(np.int64)


def _picture(file: Path) -> NDArray[np.uint8]:
    with Image.open(file) as picture:
        return np.asarray(picture.convert("RGB"))


def _kinds(listing: Path) -> dict[str, str]:
    if not listing.is_file():
        return {}
    pairs = [line.strip().split(",") for line in listing.read_text(encoding="utf-8").splitlines()]
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2 and all(pair)}
