"""Units of a view made readable: their texts, times and sources."""

from biographer.state.episode import LOCAL
from biographer.state.graph import NodeKind
from biographer.state.query import Item, Unit
from biographer.state.view import View
from biographer.state.wording import description


def item(view: View, unit: Unit, score: float, channels: tuple[str, ...]) -> Item:
    """Return a unit with its text; windows are given by place in the view and returned by number."""
    if unit.kind == NodeKind.WINDOW:
        return _window(view, unit.number, score, channels)
    if unit.kind == NodeKind.OBSERVATION:
        return _observation(view, unit, score, channels)
    index, number = view.index, unit.number
    span = (int(view.starts[number]), int(view.ends[number]), int(view.known[number]))
    return Item(unit, LOCAL, index.names[number], *span, score, index.episode_texts[number], channels)


def _window(view: View, place: int, score: float, channels: tuple[str, ...]) -> Item:
    number = int(view.windows[place])
    one = view.index.window_versions[number]
    span = (one.start_us, one.end_us, one.known_us)
    return Item(Unit(NodeKind.WINDOW, one.window), one.scale, "", *span, score, one.text, channels)


def _observation(view: View, unit: Unit, score: float, channels: tuple[str, ...]) -> Item:
    index, number = view.index, unit.number
    clip = int(view.clip_of[number])
    entity = int(view.entity_of[number])
    start_us, end_us = index.observations[number]
    label = view.label(number)
    text = description(label, index.texts.strings[int(index.phrase_texts[int(view.phrase_of[number])])])
    span = (start_us, end_us, int(view.known[clip]))
    return Item(
        unit, "", index.names[clip], *span, score, text, channels, entity=None if entity < 0 else entity, label=label
    )
