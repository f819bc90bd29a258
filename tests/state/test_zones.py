"""Where a stream's midnight is: a known zone, kept from the stream's first day on."""

import pytest
from recordings import told

from biographer.state.errors import RefusedError
from biographer.state.folder import StateFolder
from biographer.state.times import format_time
from biographer.state.view import View
from biographer.state.zones import zone_of


@pytest.mark.parametrize(
    "name", ["", "Europe", "Mars/Phobos", "../etc/passwd", "/etc/localtime", "UTC+2", "x" * 300, "a\0b"]
)
def test_an_unknown_zone_is_refused_with_the_remedy(name):
    with pytest.raises(RefusedError, match="write a name like Europe/Berlin"):
        zone_of(name)


def hours(folder):
    index = folder.stream("wearer").memory.index
    view = View(index)
    starts, _ = view.window_spans
    return sorted({format_time(int(at)) for at, scale in zip(starts, view.window_scales, strict=True) if scale == 2})


def test_a_folder_with_an_unknown_zone_is_refused_before_anything_is_made(tmp_path, rule):
    with pytest.raises(RefusedError, match="Mars"):
        StateFolder(tmp_path / "state", rule, timezone="Mars/Phobos")
    assert not (tmp_path / "state").exists()


def test_a_stream_keeps_its_zone_whatever_is_set_later(tmp_path, rule):
    """Kathmandu was 5 h 30 min ahead in 1970: its hours began at half past in UTC."""
    clips = [told(f"c{n}", 9000.0 * n, "milk") for n in range(3)]
    folder = StateFolder(tmp_path, rule, timezone="Asia/Kathmandu")
    for one in clips[:2]:
        folder.stream("wearer").apply(one)
    before = hours(folder)
    folder.close()
    folder = StateFolder(tmp_path, rule, timezone="UTC")
    assert hours(folder) == before == ["1969-12-31T23:30:00Z"]
    folder.stream("wearer").apply(clips[2])
    assert hours(folder) == ["1969-12-31T23:30:00Z", "1970-01-01T02:30:00Z"]
    assert str(folder.stream("wearer").store.database.zone) == "Asia/Kathmandu"
    folder.close()
