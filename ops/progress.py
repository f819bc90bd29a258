"""The progress bar of commands that work through clips."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


def bar() -> Progress:
    """Return a bar on standard error, so that what a command prints stays clean; a context manager."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(file=sys.stderr))


@contextmanager
def steps_of() -> Iterator[Callable[[str, int], Callable[[int], None]]]:
    """Yield what is told of each stretch of work and its steps, and returns what is called after a step."""
    with bar() as progress:

        def steps(name: str, total: int) -> Callable[[int], None]:
            task = progress.add_task(name, total=total)
            return lambda made: progress.advance(task, made)

        yield steps
