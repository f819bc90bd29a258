"""How long the vectors are that streams have of an endpoint's model: its name tells it of texts, its rows of subjects.

Asked where an endpoint answers with another length than before: what is stored says which of them is right. Blocks.
"""

from collections.abc import Iterator
from pathlib import Path

from biographer.models.endpoint_embedder import is_of_model
from biographer.state.cut import cut_of, nobody
from biographer.state.errors import FatalError, RefusedError
from biographer.state.folder import stream_names, stream_store

_TEXTS = "SELECT embedder FROM words UNION ALL SELECT embedder FROM remark_words LIMIT 1"

_SUBJECTS = "SELECT length(matrix) / length(observations) FROM vector WHERE embedder = :embedder LIMIT 1"
"""A number of an observation takes as many bytes as one of its vector."""


def text_embedder_of(state: Path, stream: str) -> str | None:
    """Return whose vectors a stream's texts have, None where there are none.

    Nor where the store is only being begun, or is of another version: whoever opens it to write says what that means.
    """
    return next((str(name) for name in _stored(state, stream, _TEXTS)), None)


def text_lengths(state: Path, model: str) -> frozenset[int]:
    """Return the lengths of a model's vectors of texts."""
    known = (text_embedder_of(state, stream) for stream in stream_names(state))
    return frozenset(int(name.rpartition(":")[2]) for name in known if name is not None and is_of_model(name, model))


def subject_lengths(state: Path, embedder: str) -> frozenset[int]:
    """Return the lengths of an embedder's vectors of subjects."""
    found = (_stored(state, stream, _SUBJECTS, embedder=embedder) for stream in stream_names(state))
    return frozenset(int(str(length)) for lengths in found for length in lengths)


def _stored(state: Path, stream: str, query: str, **bindings: object) -> Iterator[object]:
    try:
        with cut_of(stream_store(state, stream), stream, people=nobody) as cut:
            rows = cut.rows(query, **bindings)
    except (RefusedError, FatalError):
        return
    yield from (value for (value,) in rows)
