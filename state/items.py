"""Units of a view made readable: their texts, times and sources."""

from biographer.state.authorship import Authorship
from biographer.state.episode import LOCAL
from biographer.state.graph import NodeKind
from biographer.state.query import Item, Unit
from biographer.state.shown import Shown, shown
from biographer.state.view import View
from biographer.state.wording import description, with_caption


def item(view: View, unit: Unit, score: float, channels: tuple[str, ...]) -> Item:
    """Return a unit with its text; windows are given by place in the view and returned by number."""
    if unit.kind == NodeKind.WINDOW:
        return _window(view, unit.number, score, channels)
    if unit.kind == NodeKind.OBSERVATION:
        return _observation(view, unit, score, channels)
    index, number = view.index, unit.number
    caption = shown(view, NodeKind.EPISODE, number)
    heard = index.told.heard(view.extent.told, view.as_of_us, number)
    text = with_caption(caption.text if caption else None, with_caption(index.episode_texts[number], heard))
    span = (int(view.starts[number]), int(view.ends[number]), _known(int(view.known[number]), caption))
    return Item(unit, LOCAL, index.names[number], *span, score, text, channels, author=_author(caption))


def _window(view: View, place: int, score: float, channels: tuple[str, ...]) -> Item:
    number = int(view.windows[place])
    one = view.index.windows.versions[number]
    summary = shown(view, NodeKind.WINDOW, one.window)
    span = (one.start_us, one.end_us, _known(one.known_us, summary))
    unit, text = Unit(NodeKind.WINDOW, one.window), summary.text if summary else one.text
    return Item(unit, one.scale, "", *span, score, text, channels, author=_author(summary))


def _observation(view: View, unit: Unit, score: float, channels: tuple[str, ...]) -> Item:
    index, number = view.index, unit.number
    clip = int(view.clip_of[number])
    entity = int(view.entity_of[number])
    start_us, end_us = index.observations[number]
    label = view.label(number)
    said = shown(view, NodeKind.OBSERVATION, number)
    text = description(label, index.texts.strings[int(index.phrase_texts[int(view.phrase_of[number])])])
    text = said.text if said else text
    span = (start_us, end_us, _known(int(view.known[clip]), said))
    return Item(
        unit,
        "",
        index.names[clip],
        *span,
        score,
        text,
        channels,
        entity=None if entity < 0 else entity,
        label=label,
        author=_author(said),
    )


def _author(written: Shown | None) -> Authorship | None:
    return None if written is None else written.author


def _known(own_us: int, written: Shown | None) -> int:
    """Return since when both are known: what is told, and what was written about it."""
    return own_us if written is None else max(own_us, written.known_us)
