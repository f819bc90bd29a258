"""How a search's result is shown to people: from which state of memory, the evidence in order, and how to read it."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from biographer.daemon.api_records import SnapshotRecord
from biographer.daemon.api_search_records import ExcerptRecord, ItemRecord, NoteRecord, SearchResult
from biographer.ops.terminal import plain, terminal

_WIDTH = 120
_REASONS = {
    "no_seeds": "Nothing in the memory meets this question; ask in other words, or with fewer filters.",
    "empty": "Nothing was recorded in that time.",
}


def show_result(result: SearchResult, stream: str, source: str) -> None:
    """Print a result; `source` says who was asked."""
    console = terminal(_WIDTH)
    console.print(source_line(result.snapshot, stream, source))
    for place, item in enumerate(result.items, 1):
        console.print(_item(place, item))
    for line in _further(result):
        console.print(Text(line, style="dim"))


def behind(snapshot: SnapshotRecord) -> str:
    """Return in words which state of memory this is, such as "14 s behind"."""
    if snapshot.watermark is None or snapshot.lag_s is None:
        return "nothing remembered yet" if snapshot.as_of is None else f"nothing known yet as of {snapshot.as_of}"
    lag = _lasting(snapshot.lag_s)
    if snapshot.as_of is not None:
        return f"as of {snapshot.as_of}, known up to {snapshot.watermark}"
    return f"{lag} behind, known up to {snapshot.watermark}"


def source_line(snapshot: SnapshotRecord, stream: str, source: str) -> Text:
    """Return the line that says what was asked, and which state of it."""
    told = f"{plain(stream)}: {behind(snapshot)} (version {snapshot.version}, {plain(source)})"
    return Text(told, style="bold")


def _item(place: int, item: ItemRecord) -> RenderableType:
    who = f"{item.label or ''} {item.entity or '(no identity)'}" if item.label is not None else f"episode, {item.scale}"
    who += f' "{item.name}"' if item.name is not None else ""
    head = Text.assemble(
        (f"\n{place:>3}  ", "dim"),
        (plain(who), "bold"),
        f"  {item.start} to {item.end}  ",
        (plain(" ".join(filter(None, (item.unit, item.clip_name, f"[{', '.join(item.channels)}]")))), "dim"),
    )
    return Group(head, Padding(Text(plain(item.text)), (0, 0, 0, 5), expand=False))


def _further(result: SearchResult) -> Iterator[str]:
    if not result.items:
        yield _REASONS.get(result.reason or "", "Nothing was found.")
    if result.further:
        yield f"\n{result.further} more in that time; ask with a higher --limit."
    for excerpt in result.excerpts:
        if excerpt.unseen:
            yield _unseen(excerpt)
    for note in result.notes:
        yield _note(note)


def _unseen(one: ExcerptRecord) -> str:
    spells = ", ".join(f"{spell.count} from {spell.start} to {spell.end}" for spell in one.spells)
    return plain(f"\n{one.label} {one.entity}: seen {one.unseen} more times: {spells}")


def _note(one: NoteRecord) -> str:
    told = "two things: they were seen apart" if one.verdict == "apart" else "one thing or two: unresolved"
    return plain(f"\n{one.left} and {one.right}, both {one.label}: {told}")


def _lasting(seconds: float) -> str:
    for length, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
