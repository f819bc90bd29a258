"""How a search's result is shown to people: from which state of memory, the evidence in order, and how to read it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import tzinfo

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from biographer.daemon.api_records import SnapshotRecord, StreamRecord
from biographer.daemon.api_search_records import ExcerptRecord, ItemRecord, NoteRecord, SearchResult
from biographer.ops.local_time import local_time
from biographer.ops.terminal import plain, terminal
from biographer.state.zones import zone_of

_WIDTH = 120
_REASONS = {
    "no_seeds": "Nothing in the memory meets this question; ask in other words, or with fewer filters.",
    "empty": "Nothing was recorded in that time.",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """Of what stream something is shown, in what zone its times are told, and who was asked for it."""

    stream: str
    zone: tzinfo
    source: str

    @classmethod
    def of(cls, record: StreamRecord, source: str) -> "Shown":
        """Return how a stream is shown. Raises RefusedError for a time zone that is unknown here."""
        return cls(record.stream, zone_of(record.timezone), source)

    def time(self, moment: str) -> str:
        """Return a time of the API's in the stream's zone."""
        return str(local_time(moment, self.zone))

    def span(self, start: str, end: str) -> str:
        """Return a stretch of time in the stream's zone."""
        return f"{self.time(start)} to {self.time(end)}"


def show_result(result: SearchResult, shown: Shown) -> None:
    """Print a result."""
    console = terminal(_WIDTH)
    console.print(source_line(result.snapshot, shown))
    for place, item in enumerate(result.items, 1):
        console.print(_item(place, item, shown))
    for line in _further(result, shown):
        console.print(Text(line, style="dim"))


def behind(snapshot: SnapshotRecord, shown: Shown) -> str:
    """Return in words which state of memory this is, such as "14 s behind"."""
    as_of = None if snapshot.as_of is None else shown.time(snapshot.as_of)
    if snapshot.watermark is None or snapshot.lag_s is None:
        return "nothing remembered yet" if as_of is None else f"nothing known yet as of {as_of}"
    lag = f"{_lasting(snapshot.lag_s)} behind" if as_of is None else f"as of {as_of}"
    return f"{lag}, known up to {shown.time(snapshot.watermark)}"


def source_line(snapshot: SnapshotRecord, shown: Shown) -> Text:
    """Return the line that says what was asked, and which state of it."""
    told = f"{plain(shown.stream)}: {behind(snapshot, shown)} (version {snapshot.version}, {plain(shown.source)})"
    return Text(told, style="bold")


def _item(place: int, item: ItemRecord, shown: Shown) -> RenderableType:
    who = f"{item.label or ''} {item.entity or '(no identity)'}" if item.label is not None else f"episode, {item.scale}"
    who += f' "{item.name}"' if item.name is not None else ""
    head = Text.assemble(
        (f"\n{place:>3}  ", "dim"),
        (plain(who), "bold"),
        f"  {shown.span(item.start, item.end)}  ",
        (plain(" ".join(filter(None, (item.unit, item.clip_name, f"[{', '.join(item.channels)}]")))), "dim"),
    )
    return Group(head, Padding(Text(plain(item.text)), (0, 0, 0, 5), expand=False))


def _further(result: SearchResult, shown: Shown) -> Iterator[str]:
    if not result.items:
        yield _REASONS.get(result.reason or "", "Nothing was found.")
    if result.further:
        yield f"\n{result.further} more in that time; ask with a higher --limit."
    for excerpt in result.excerpts:
        if excerpt.unseen:
            yield _unseen(excerpt, shown)
    for note in result.notes:
        yield _note(note)


def _unseen(one: ExcerptRecord, shown: Shown) -> str:
    spells = ", ".join(f"{spell.count} from {shown.span(spell.start, spell.end)}" for spell in one.spells)
    times = "time" if one.unseen == 1 else "times"
    return plain(f"\n{one.label} {one.entity}: seen {one.unseen} more {times}: {spells}")


def _note(one: NoteRecord) -> str:
    told = "two things: they were seen apart" if one.verdict == "apart" else "one thing or two: unresolved"
    return plain(f"\n{one.left} and {one.right}, both {one.label}: {told}")


def _lasting(seconds: float) -> str:
    for length, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
