"""What the console computes for itself, asked of its modules in the browser: times in words, zones, places of boxes."""

import json

import pytest


@pytest.fixture(scope="module")
def module(fed, chromium):
    """A function that evaluates an expression of a module `m` of the console."""
    page = chromium.new_page()
    # A file of the console instead of its page: modules are imported beside it, and no view is loaded.
    page.goto(f"{fed.address}/times.js")
    yield lambda name, expression: page.evaluate(f"import('/{name}').then((m) => {expression})")
    page.close()


DURATIONS = {
    0: "no time",
    1: "1 second",
    14: "14 seconds",
    90: "1 minute 30 seconds",
    200: "3 minutes",
    7_500: "2 hours 5 minutes",
    90_000: "1 day 1 hour",
    18_416_000: "7 months",
    40_000_000: "1 year",
}


def test_durations_are_said_as_people_say_them(module):
    said = module("times.js", f"{list(DURATIONS)}.map(m.duration)")
    assert [words.replace("\u00a0", " ") for words in said] == list(DURATIONS.values())


def test_an_occasion_of_several_sightings_is_not_said_to_have_lasted_from_the_first_to_the_last(module):
    """Two seconds, half a minute out of sight, two seconds more: that is not "for 34 seconds"."""
    spans = [[(2, 4)], [(2, 4), (34, 36)], [(2, 30.5), (5, 7), (8, 9)]]
    occasions = [[{"start": _second(a), "end": _second(b)} for a, b in span] for span in spans]
    said = module("occasion.js", f"{json.dumps(occasions)}.map(m.lasting)")
    told = [words.replace("\u00a0", " ") for words in said]
    assert told == ["for 2 seconds", "2 sightings in 34 seconds", "3 sightings in 29 seconds"]


def test_sightings_that_are_not_shown_are_between_two_times_and_not_all_at_the_first(module):
    """Two of five at the start and at the end of a minute, the others shown: not both were when the first was."""
    spells = [{"start": _second(2), "end": _second(to), "count": count} for to, count in ((4, 1), (58, 2))]
    said = module("found.js", f"{json.dumps(spells)}.map((one) => m.spelled(one, (time) => time.slice(14, 19)))")
    assert said == ["00:02", "2 between 00:02 and 00:58"]


def test_one_of_a_kind_is_not_counted_as_several(module):
    def named(number):
        record = {"stream": "a", "clips": number, "entities": number, "observations": number}
        return [name for _, name, *_ in module("views/live.js", f"m.figures({json.dumps(record)})")]

    assert named(1) == ["clip", "entity", "observation"]
    assert named(2) == ["clips", "entities", "observations"]


def _second(at):
    return f"1970-01-01T00:00:{at:04.1f}Z"


def test_a_field_of_wall_time_is_read_in_the_streams_zone_on_either_side_of_a_change_of_clocks(module):
    asked = "[m.useZone('Europe/Berlin'), m.ofField('2026-03-29T01:30'), m.ofField('2026-03-29T03:30'), m.ofField('')]"
    assert module("times.js", asked)[1:] == ["2026-03-29T00:30:00.000Z", "2026-03-29T01:30:00.000Z", None]
    back = "[m.useZone('Asia/Kathmandu'), m.toField('2026-05-01T00:00:00Z'), m.ofField('2026-05-01T05:45:00')]"
    assert module("times.js", back)[1:] == ["2026-05-01T05:45:00", "2026-05-01T00:00:00.000Z"]


def test_a_box_is_between_those_around_it_and_gone_where_it_was_not_seen(module):
    trail = "[{ms: 0, box: [0, 0, 0.2, 0.2]}, {ms: 200, box: [0.2, 0, 0.4, 0.2]}, {ms: 5000, box: [0.5, 0.5, 1, 1]}]"
    assert module("boxes.js", f"m.where({trail}, 100)") == pytest.approx([0.1, 0, 0.3, 0.2])
    assert module("boxes.js", f"m.where({trail}, 300)") == [0.2, 0, 0.4, 0.2]
    assert module("boxes.js", f"m.where({trail}, 2500)") is None
    assert module("boxes.js", "m.where([], 0)") is None


METRICS = """# HELP a b
a_total{stream="x,y}",outcome="late"} 2.0
a_total{outcome="applied"} 3
b 1e-3
"""


def test_metrics_are_read_with_their_labels(module):
    sums = "[m.sum(s, 'a_total'), m.sum(s, 'a_total', {outcome: 'late'}), m.sum(s, 'b'), m.sum(s, 'c')]"
    assert module("metrics.js", f"((s) => {sums})(m.samples({json.dumps(METRICS)}))") == [5, 2, 0.001, 0]
