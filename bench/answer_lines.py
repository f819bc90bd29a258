"""What became of each question of a benchmark, a line of JSON each, and what all lines say together."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from os import SEEK_END
from pathlib import Path

import msgspec
import numpy as np

from biographer.bench.answer_scores import WINDOWS_S


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One question's outcome. `hits` is the share of its moments found, by window.

    `worth` is what its answer is worth, 0..1, and `right` whether that is 1; None where nobody answered or graded.
    """

    question: str
    type: str
    asked_at: str
    status: str
    choice: str | None
    right: bool | None
    worth: float | None
    answer: str | None
    reason: str | None
    cited: tuple[str, ...]
    invented: tuple[str, ...]
    hits: Mapping[str, float]
    kept_hits: Mapping[str, float]
    overlap: float | None
    rounds: int
    items: int
    kept: int
    tokens: int
    context_tokens: int
    in_context: int
    seconds: float


def read_lines(output: Path) -> Iterator[Line]:
    """Yield the lines that were written; one that a crash cut off is none."""
    for row in output.read_bytes().split(b"\n") if output.exists() else ():
        try:
            yield msgspec.json.decode(row, type=Line)
        except msgspec.DecodeError:
            continue


def add_line(output: Path, line: Line) -> None:
    """Write one more line, behind one that a crash cut off too."""
    with output.open("a+b") as file:
        if file.tell():
            file.seek(-1, SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(msgspec.json.encode(line) + b"\n")


def figures_of(lines: Sequence[Line]) -> dict[str, object]:
    """Sum up lines: percents, and means a question."""
    kinds: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        kinds[line.type].append(line)
    return {
        "questions": len(lines),
        "answered": sum(line.answer is not None for line in lines),
        "accuracy": _accuracy(lines),
        "score": _score(lines),
        "hit_percent": _by_window([{key: share > 0 for key, share in line.hits.items()} for line in lines]),
        "recall_percent": _by_window([line.hits for line in lines]),
        "kept_recall_percent": _by_window([line.kept_hits for line in lines]),
        "temporal_iou": _mean([line.overlap for line in lines if line.overlap is not None]),
        "rounds": _mean([line.rounds for line in lines]),
        "items": _mean([line.items for line in lines]),
        "tokens": _mean([line.tokens for line in lines]),
        "context_tokens": _mean([line.context_tokens for line in lines]),
        "context_tokens_most": max((line.context_tokens for line in lines), default=None),
        "in_context": _mean([line.in_context for line in lines]),
        "kept": _mean([line.kept for line in lines]),
        "invented": sum(len(line.invented) for line in lines),
        "seconds": _mean([line.seconds for line in lines]),
        "by_type": {
            kind: {"questions": len(some), "accuracy": _accuracy(some), "score": _score(some)}
            for kind, some in sorted(kinds.items())
        },
    }


def _accuracy(lines: Sequence[Line]) -> float | None:
    return _percent([bool(line.right) for line in lines if line.right is not None])


def _score(lines: Sequence[Line]) -> float | None:
    return _percent([line.worth for line in lines if line.worth is not None])


def _by_window(shares: Sequence[Mapping[str, float]]) -> dict[str, float | None]:
    told = [one for one in shares if one]
    return {f"{window}s": _percent([one[f"{window}s"] for one in told]) for window in WINDOWS_S}


def _percent(values: Sequence[float]) -> float | None:
    mean = _mean(values)
    return None if mean is None else round(100 * mean, 1)


def _mean(values: Sequence[float]) -> float | None:
    return round(float(np.mean(values)), 3) if values else None
