"""How an answer is shown to people: the words, what they cite, and where there are none, why and what was found."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from biographer.daemon.api_ask_records import AskResult, RoundRecord
from biographer.daemon.api_search_records import ItemRecord
from biographer.ops.search_shown import Shown, source_line
from biographer.ops.terminal import plain, terminal

_WIDTH = 120
_EVIDENCE_MOST = 5
_UNSUPPORTED = "Nothing that was recorded is cited for this; do not rely on it."
_STATUSES = {"unknown": "The memory does not tell.", "not_recorded": "Nothing was recorded then."}


def show_answer(result: AskResult, options: Sequence[str], shown: Shown) -> None:
    """Print an answer."""
    console = terminal(_WIDTH)
    console.print(source_line(result.snapshot, shown))
    for part in _parts(result, options, shown):
        console.print(part)


def _parts(result: AskResult, options: Sequence[str], shown: Shown) -> Iterator[RenderableType]:
    if result.answer is None:
        yield Text(f"\nNo answer in words: {plain(result.reason or '')}")
        yield Text(f"\n{_found(len(result.evidence))}")
        for item in result.evidence[:_EVIDENCE_MOST]:
            yield _item(item.unit, item, shown)
        return
    if result.status in _STATUSES:
        yield Text(f"\n{_STATUSES[result.status]}", style="bold")
    if result.choice is not None:
        option = options[ord(result.choice) - ord("A")]
        yield Text(f"\n{result.choice}. {plain(option)}", style="bold")
    yield Text(f"\n{plain(result.answer)}")
    if result.status == "answered" and not result.citations:
        yield Text(f"\n{_UNSUPPORTED}", style="bold")
    for one in result.citations:
        yield _item(one.name, one.item, shown)
    if result.invented:
        yield Text(f"\nDropped, for it is not among the evidence: {plain(', '.join(result.invented))}", style="dim")
    yield Text(f"\n{_spent(result.rounds)}, {len(result.evidence)} kept, {result.tokens} tokens", style="dim")


def _item(name: str, item: ItemRecord, shown: Shown) -> RenderableType:
    called = f' "{plain(item.name)}"' if item.name is not None else ""
    who = f", {plain(item.label or '')} {item.entity}{called}" if item.entity is not None else ""
    head = Text.assemble(
        (f"\n[{name}]", "bold"),
        f" {shown.span(item.start, item.end)}{who} ",
        (plain(item.clip_name or ""), "dim"),
    )
    return Group(head, Padding(Text(plain(item.text)), (0, 0, 0, 5)))


def _found(count: int) -> str:
    if not count:
        return "Nothing was found."
    shown = str(count) if count <= _EVIDENCE_MOST else f"the first {_EVIDENCE_MOST} of {count}"
    return f"What one search found ({shown}):"


def _spent(rounds: Sequence[RoundRecord]) -> str:
    found = sum(one.found for each in rounds for one in each.searches)
    return f"{len(rounds)} round{'s' if len(rounds) != 1 else ''}, {found} found"
