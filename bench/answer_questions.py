"""The formats that `biographer bench answers` reads: each benchmark's own files, by the reader that documents them."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

from biographer.bench.egolife_questions import egolifeqa, egor1
from biographer.bench.questions import Choice
from biographer.bench.recorded import Recorded
from biographer.bench.video_questions import m3, mmlifelong, multihop
from biographer.state.errors import RefusedError

FORMATS: Mapping[str, Callable[[Path, Recorded], list[Choice]]] = {
    "egolifeqa": lambda path, recorded: egolifeqa(path, recorded.midnight_us),
    "egor1": lambda path, recorded: egor1(path, recorded.midnight_us),
    "mmlifelong": mmlifelong,
    "multihop": multihop,
    "m3": m3,
}


def read_choices(path: Path, form: str, recorded: Recorded) -> list[Choice]:
    """Return the questions of a file. Raises RefusedError for a form that is not known or does not fit."""
    reader = FORMATS.get(form)
    if reader is None:
        raise RefusedError(f"format {form!r} is not known; formats are {', '.join(FORMATS)}")
    return reader(path, recorded)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, or of a folder's JSON files: a run goes on only with the same questions."""
    digest = sha256()
    for file in sorted(path.rglob("*.json")) if path.is_dir() else [path]:
        digest.update(file.read_bytes())
    return digest.hexdigest()
