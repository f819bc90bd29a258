"""How the command line shows records: a table for people, or one JSON document for programs."""

import json
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import click

from biographer.ops.local_time import LocalTime
from biographer.ops.terminal import plain, terminal

Row: TypeAlias = Mapping[str, object]
"""One line: column to value; values are text, numbers, truths, times, None, or lists and rows of these."""

WIDTH = 160
"""Columns of a table that is not shown on a terminal."""


def show(
    title: str, rows: Sequence[Row], *, as_json: bool, head: Row | None = None, hidden: Sequence[str] = ()
) -> None:
    """Print rows under a title: as a table without the `hidden` columns, or as {**head, title: rows} in JSON.

    Times are in their streams' zones in a table, in UTC in JSON.
    """
    if as_json:
        click.echo(json.dumps({**(head or {}), title: list(rows)}, indent=2, ensure_ascii=False, default=_for_programs))
        return
    for name, value in (head or {}).items():
        click.echo(f"{name.replace('_', ' ')}: {_cell(value)}")
    if rows:
        _print_table(rows, hidden)
    else:
        click.echo(f"no {title.replace('_', ' ')}")


def _print_table(rows: Sequence[Row], hidden: Sequence[str]) -> None:
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - a tenth of a second that --json and --help need not pay
    from rich.table import Table  # noqa: PLC0415 - likewise
    from rich.text import Text  # noqa: PLC0415 - likewise

    console = terminal(WIDTH)
    columns = [name for name in rows[0] if name not in hidden]
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in columns:
        number = isinstance(rows[0][name], int | float) and not isinstance(rows[0][name], bool)
        # What is too long is folded, and the longest first; a time only where it would be cut off otherwise.
        whole = console.width >= WIDTH and any(isinstance(row[name], LocalTime) for row in rows)
        justify: Literal["left", "right"] = "right" if number else "left"
        table.add_column(name.replace("_", " "), justify=justify, overflow="fold", no_wrap=whole)
    for row in rows:
        # Text, not markup: what was recorded may hold brackets.
        table.add_row(*(Text(_cell(row[name])) for name in columns))
    console.print(table)


def _for_programs(value: object) -> str:
    if isinstance(value, LocalTime):
        return value.utc
    raise TypeError(f"{type(value).__name__} is no value of a row")


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, list | tuple):
        return ", ".join(_cell(item) for item in value) or "-"
    return plain(str(value))
