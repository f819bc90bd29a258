"""The vectors of a stream read into its galleries: half of what a start reads.

Two readers with connections of their own take half of the clips each: SQLite and numpy let go of the interpreter while
they copy. Which vector is whose is settled first, so the order in which they come does not matter. Beside work in
Python they would wait for their turn at every row, so nothing else is done meanwhile.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biographer.state.database import Database, meaning
from biographer.state.gallery import Gallery

_READERS = 2

_Rows = Mapping[tuple[int, str], NDArray[np.float32]]
"""By clip and embedder, the rows of a gallery that wait for its vectors."""


def restore_vectors(path: Path, stream: str, references: int) -> dict[str, Gallery]:
    """Return galleries with the vectors of all observations, without references.

    Raises ValueError where what is stored has not the shape that it should have.
    """
    sizes = list(
        _read(path, stream, "SELECT clip, embedder, observations, length(matrix) FROM vector ORDER BY clip", ())
    )
    galleries: dict[str, Gallery] = {}
    for _, embedder, packed, size in sizes:
        galleries.setdefault(embedder, Gallery(max(1, size // max(1, len(packed))), references))
    rows = _rows(galleries, sizes)
    cuts = [sizes[len(sizes) * part // _READERS][0] if sizes else 0 for part in range(1, _READERS)]
    bounds = list(zip([0, *cuts], [*cuts, sizes[-1][0] + 1 if sizes else 0], strict=True))
    with ThreadPoolExecutor(_READERS) as readers:
        for done in [readers.submit(_fill, path, stream, rows, *bound) for bound in bounds]:
            done.result()
    return galleries


def _rows(galleries: Mapping[str, Gallery], sizes: list[tuple[Any, ...]]) -> _Rows:
    found: dict[tuple[int, str], NDArray[np.float32]] = {}
    for embedder, gallery in galleries.items():
        mine = [(clip, np.frombuffer(packed, "<i4")) for clip, name, packed, _ in sizes if name == embedder]
        observations = np.concatenate([numbers for _, numbers in mine])
        gallery.expect_vectors(len(observations))
        waiting = gallery.await_vectors(observations)
        cuts = np.cumsum([len(numbers) for _, numbers in mine])[:-1]
        parts = np.split(waiting, cuts)
        found.update(((clip, embedder), part) for (clip, _), part in zip(mine, parts, strict=True))
    return found


def _fill(path: Path, stream: str, rows: _Rows, first: int, last: int) -> None:
    query = "SELECT clip, embedder, matrix FROM vector WHERE clip >= ? AND clip < ? ORDER BY clip"
    for clip, embedder, matrix in _read(path, stream, query, (first, last)):
        place = rows[clip, embedder]
        place[:] = np.frombuffer(matrix, "<f4").reshape(place.shape)


def _read(path: Path, stream: str, query: str, bindings: tuple[object, ...]) -> Iterator[tuple[Any, ...]]:
    database = Database(path, stream, write=False)
    try:
        with meaning(path):
            yield from database.connection.execute(query, bindings)
    finally:
        database.close()
