"""Evidence written for a model: rows of biography excerpts, notes and episodes, with the names that they are cited by.

The rows are for `fenced` to enclose. What came from the recording (texts, labels, and the judge's notes, which were
written after reading it) has been `told`: it can't forge a name in brackets or a row of ours. Nothing is ranked here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from biographer.daemon.quotes import Quotes
from biographer.daemon.tools import Pair
from biographer.daemon.unit_names import clip_number, unit_name
from biographer.daemon.working_memory import Kept
from biographer.models.fence import told
from biographer.models.token_counter import TokenCounter
from biographer.state.ablation import Ablation
from biographer.state.chain_reading import Chain, ChainSettings, chains_for
from biographer.state.excerpt import PRECEDENCE, Excerpt, Note, read
from biographer.state.query import Item, Query, Unit
from biographer.state.times import SECOND_US, format_time
from biographer.state.view import View

_LABEL_MOST = 60
_NOTE_MOST = 300
_SPELLS_MOST = 6
_LINK_MOST = 300
_CHAINS = ChainSettings(chains=3, links=6)
_HEAD_TOKENS = 24
"""What a name, a clip and a time take."""


def fitting(kept: Sequence[Kept], most_tokens: int, counter: TokenCounter, quotes: Quotes) -> tuple[Kept, ...]:
    """Return as many as fit the tokens of a counter, those of each round's first places first; the order is kept."""
    left, chosen = most_tokens, set[int]()
    for _, at in sorted((_place(kept, at), at) for at in range(len(kept))):
        cost = counter.count(quotes.of(kept[at].item) + kept[at].note) + _HEAD_TOKENS
        if cost <= left:
            left -= cost
            chosen.add(at)
    return tuple(one for at, one in enumerate(kept) if at in chosen)


def evidence_rows(
    view: View,
    kept: Sequence[Kept],
    apart: Iterable[Pair],
    quotes: Quotes,
    without: frozenset[Ablation] = frozenset(),
) -> list[str]:
    """Return kept items arranged for reading (GEB section 3.4)."""
    telling = _Telling(view, quotes, {one.item.unit: one.note for one in kept})
    reading = read(view, [one.item for one in kept], frozenset(apart), without)
    rows = [row for one in reading.excerpts for row in _excerpt(one, telling)]
    rows += [_note(one) for one in reading.notes]
    rows += [row for one in reading.episodes for row in telling.item(one)]
    return [*rows, PRECEDENCE] if reading.excerpts and reading.episodes else rows


def chain_rows(
    view: View, question: str, items: Sequence[Item], without: frozenset[Ablation] = frozenset()
) -> list[str]:
    """Return the chains that a question names, without what lies close to the items (MAGIC-Video)."""
    chains = chains_for(view, Query(question), items, _CHAINS, without)
    return [row for one in chains for row in _chain(one)]


def item_rows(view: View, items: Sequence[Item], quotes: Quotes) -> list[str]:
    """Return items one by one, as they were ranked: for judging."""
    telling = _Telling(view, quotes, {})
    return [row for one in items for row in telling.item(one)]


def span(start_us: int, end_us: int) -> str:
    """Return a stretch of time, short: its start to the second, and how long it lasts."""
    start_us -= start_us % SECOND_US
    return f"{format_time(start_us)} +{max(0, end_us - start_us) // SECOND_US}s"


def _place(kept: Sequence[Kept], at: int) -> int:
    """Return how many items of its round come before it."""
    return sum(one.round == kept[at].round for one in kept[:at])


def _excerpt(one: Excerpt, telling: "_Telling") -> list[str]:
    label = told(one.label, _LABEL_MOST)
    who = f"Without identity: {label}" if one.entity is None else f"e{one.entity} ({label})"
    who += f", called {told(one.name, _LABEL_MOST)}" if one.name else ""
    rows = [f"{who}, seen {one.times}:"]
    rows += [row for item in one.selected for row in telling.item(item)]
    if one.unseen:
        spells = ", ".join(f"{span(each.start_us, each.end_us)} ({each.count}x)" for each in one.spells[:_SPELLS_MOST])
        rows.append(f"Seen {one.unseen} more times, not shown here: {spells}")
    return rows


def _chain(one: Chain) -> list[str]:
    what = "Written about a topic" if one.kind == "topic" else "Steps of an event"
    whose = "" if one.entity is None else f" (e{one.entity})"
    rows = [f"{what}{whose}, over time: {told(one.title, _LABEL_MOST)}"]
    rows += [f"{span(link.start_us, link.end_us)}: > {told(link.text, _LINK_MOST)}" for link in one.links]
    return [*rows, f"({one.further} more)"] if one.further else rows


def _note(one: Note) -> str:
    verdict = "seen apart in the same frames: two things" if one.apart else "whether they are one is unresolved"
    return f"e{one.low} and e{one.high} share a name; {verdict}."


@dataclass(frozen=True, slots=True)
class _Telling:
    """How items of a view are told, with the judge's notes on them."""

    view: View
    quotes: Quotes
    notes: Mapping[Unit, str]

    def item(self, one: Item) -> list[str]:
        clip = clip_number(self.view, one.unit)
        source = f"{one.scale} episode" if clip is None else f"clip c{clip}"
        entity = "" if one.entity is None else f", e{one.entity}"
        rows = [f"[{unit_name(one.unit)}] {source}{entity}, {span(one.start_us, one.end_us)}"]
        if note := told(self.notes.get(one.unit, ""), _NOTE_MOST):
            rows.append(f"(noted: {note})")
        return [*rows, quoted] if (quoted := self.quotes.of(one)) else rows
