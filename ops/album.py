"""An album of a stream: a folder a thing, with a link to each crop in order of time, to be looked at as pictures."""

import os
import re
from pathlib import Path

from biographer.ops.reading import media_of
from biographer.state.listing import EntityRow
from biographer.state.reader import Reader

_UNSAFE = re.compile(r"[^A-Za-z0-9.-]+")


def entity_folder(entity: EntityRow) -> str:
    """Return the name of a thing's folder, such as e3-dining-table."""
    return f"e{entity.entity}-{_safe(entity.label)}"


def album(reader: Reader, folder: Path) -> None:
    """Link every kept crop as <folder>/<entity>/<clip>-<track>-<n>.jpg; what is there already is left."""
    media = media_of(reader)
    for entity in reader.entities():
        place = folder / entity_folder(entity)
        place.mkdir(parents=True, exist_ok=True)
        for one in reader.biography(entity.entity):
            for number, crop in enumerate(one.crops):
                link = place / f"{_safe(one.clip)}-{one.track}-{number}.jpg"
                target = media.path(crop.sha256)
                if target.exists() and not link.is_symlink():
                    link.symlink_to(os.path.relpath(target.resolve(), place.resolve()))


def _safe(text: str) -> str:
    return _UNSAFE.sub("-", text)[:80]
