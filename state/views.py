"""The views of one index that readers share: each is made once, and the writer is never waited for."""

from collections import OrderedDict
from threading import Lock

from biographer.state.index import Index
from biographer.state.view import View

_KEPT = 4
"""Views as of some time that are kept: a slider asks for the same again and again, and one takes some megabytes."""

_OF_REMARKS = ("told", "told_units", "all_known_us")
"""What a view finds out of remarks; of all else they change nothing."""

_OF_SEMANTICS = ("semantics", "grounds")
"""What it finds out of those remarks that name or state something."""


class Views:
    """Views for any number of threads: that of the newest version, and some as of times asked for lately."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._latest = View(index)
        self._then: OrderedDict[int, View] = OrderedDict()
        self._turn = Lock()

    def at(self, as_of_us: int | None = None) -> View:
        """Return what there is to see now, or what was as of an event time."""
        latest = self._latest
        if latest.version != self.index.extent.version:
            latest = self._latest = _behind(latest, View(self.index))
        if as_of_us is None or (latest.watermark_us is not None and latest.all_known_us <= as_of_us):
            return latest
        with self._turn:
            known = self._then.get(as_of_us)
        if known is None or not self._holds(known, as_of_us):
            known = View(self.index, as_of_us)
        self._keep(known, as_of_us)
        return known

    def _holds(self, view: View, as_of_us: int) -> bool:
        """Whether nothing came since that was known by then."""
        now = self.index.extent
        if view.version == now.version:
            return True
        if not now.in_order or self.index.told.known_since(view.extent.told) <= as_of_us:
            return False
        if self.index.rulings.known_since(view.extent.rulings) <= as_of_us:
            return False
        # A stream that comes to rest closes windows without a clip.
        windows = view.extent.window_versions
        if now.window_versions > windows and int(self.index.windows.known[windows]) <= as_of_us:
            return False
        return now.clips == view.extent.clips or int(self.index.known[view.extent.clips]) > as_of_us

    def _keep(self, view: View, as_of_us: int) -> None:
        with self._turn:
            self._then[as_of_us] = view
            self._then.move_to_end(as_of_us)
            while len(self._then) > _KEPT:
                self._then.popitem(last=False)


def _behind(before: View, view: View) -> View:
    """Return a view with what the one before it found out, where only remarks came since: the rest is as it was."""
    if view.extent.same_but_told(before.extent):
        # A copy: readers of the earlier view may still be at it.
        found = dict(vars(before))
        same = view.extent.told.semantics == before.extent.told.semantics
        anew = {*_OF_REMARKS, *(() if same else _OF_SEMANTICS)}
        vars(view).update((name, found[name]) for name in found.keys() - vars(view).keys() - anew)
    return view
