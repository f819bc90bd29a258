"""A user's word on who is who in a real browser: it holds at once, can be taken back, and readers cannot say it."""

import httpx
import pytest
from filmed_clips import HOSTILE
from sightings import clip, seen

STREAM = "ruled"


@pytest.fixture
def ruled(serving):
    """Three clips with a cup (e0); in two of them a cup that looks otherwise (e1), seen alone; and a bowl (e2)."""
    rig, address = serving
    rows = [((1.0, 0.0), (0.0, 1.0)), ((1.0, 0.0),), ((1.0, 0.0), (0.0, 1.0))]
    for number, looks in enumerate(rows):
        found = [seen(at, look, 60.0 * number + 20 * at) for at, look in enumerate(looks)]
        rig.apply(STREAM, clip(f"c{number}", 60.0 * number, *found, seconds=60, stream=STREAM))
    return rig, address


def press(panel, name):
    panel.get_by_role("button", name=name, exact=True).click()


def offered(page):
    page.locator(".ruling .actions").wait_for()
    return page.locator(".ruling")


def test_an_entity_is_named_and_the_name_taken_back_without_a_reload(ruled, look):
    _, address = ruled
    page = look(address, f"#/s/{STREAM}/entity/e0")
    panel = offered(page)
    page.evaluate("window.same = true")
    press(panel, "Name")
    page.locator("#its-name:focus").fill(HOSTILE)
    page.keyboard.press("Enter")
    page.locator("h1", has_text=HOSTILE).wait_for()
    assert panel.locator(".said-so").inner_text().startswith(f"It goes by “{HOSTILE}” now.")
    page.locator("summary", has_text="What was said about it").click()
    page.locator(".rulings li", has_text="e0 goes by").wait_for()
    panel.locator(".said-so button", has_text="Undo").click()
    page.locator("h1", has_text="cup").wait_for()
    page.locator(".rulings li[data-force=false]").wait_for()
    page.locator(".rulings button", has_text="Say it again").click()
    page.locator("h1", has_text=HOSTILE).wait_for()
    page.goto(f"{address}/#/s/{STREAM}/entities?name=src%3Dx")
    page.locator(".card", has_text=HOSTILE).wait_for()
    assert page.locator("img[src='x'], main b:text-is('bold')").count() == 0
    assert page.title() == "Entities · Biographer"
    page.goto(f"{address}/#/s/{STREAM}/entity/e0?as_of=1970-01-01T00:02:30Z")
    page.locator(".occasion").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert page.locator(".ruling button").count() == 0, "the past is not ruled on"


def test_two_are_said_to_be_one_and_a_page_that_shows_the_other_leads_there(ruled, look):
    _, address = ruled
    other = look(address, f"#/s/{STREAM}/entity/e1", refused="404")
    other.locator(".occasion").first.wait_for()
    page = look(address, f"#/s/{STREAM}/entity/e0")
    panel = offered(page)
    press(panel, "Same as …")
    panel.locator(".other-one", has_text="e1").click()
    assert page.locator(".occasion").count() == 3
    panel.locator("button", has_text="They are one").click()
    page.locator(".summary", has_text="Seen 5 times in 3 clips").wait_for()
    assert "2 sightings moved" in panel.locator(".said-so").inner_text()
    other.locator("a", has_text="To e0").click()
    other.locator(".summary", has_text="Seen 5 times").wait_for()


def test_chosen_occasions_are_split_off(ruled, look):
    _, address = ruled
    page = look(address, f"#/s/{STREAM}/entity/e0")
    panel = offered(page)
    press(panel, "Split off …")
    assert page.locator(".choose:visible").count() == 3
    page.locator("[name=occasion]").nth(1).check()
    panel.locator("button", has_text="Split them off").click()
    page.locator(".summary", has_text="Seen 2 times").wait_for()
    assert page.locator(".occasion").count() == 2
    assert page.locator(".choose:visible").count() == 0
    panel.locator(".said-so a").click()
    page.locator(".summary", has_text="Seen once").wait_for()


def test_what_was_said_to_be_two_is_refused_as_one_in_a_sentence(ruled, look):
    _, address = ruled
    page = look(address, f"#/s/{STREAM}/entity/e0", refused="the server responded with a status of 4")
    panel = offered(page)
    for verdict in ("Not the same as …", "Same as …"):
        press(panel, verdict)
        page.locator("#another").fill("e1")
        panel.locator(".other-one", has_text="e1").click()
        panel.locator(".confirm button").click()
        page.locator(".said-so:not(:empty), .refused:not(:empty)").first.wait_for()
    assert panel.locator(".refused").inner_text().startswith("Not so: ")


def test_readers_are_offered_nothing_to_say(ruled, look):
    rig, address = ruled
    secret = rig.token("read", streams=(STREAM,))
    page = look(address, f"#/s/{STREAM}/entity/e0", refused="401 (Unauthorized)")
    page.locator("input[name=token]").fill(secret)
    page.keyboard.press("Enter")
    page.locator(".occasion").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert page.locator(".ruling button").count() == 0


def test_what_a_model_takes_for_the_same_is_parted_in_one_step(ruled, look):
    _, address = ruled
    cast = httpx.get(f"{address}/v1/streams/{STREAM}/entities/e0").json()
    cast["entity"] |= {"name": "Ida", "named_by": "castings", "joined": ["e1"]}
    prepare = lambda page: page.route("**/entities/e0?*", lambda route: route.fulfill(json=cast))  # noqa: E731
    page = look(address, f"#/s/{STREAM}/entity/e0", prepare=prepare)
    panel = offered(page)
    assert "It is so named by a model. A model takes e1 for the same." in page.locator(".bio-head").inner_text()
    press(panel, "e1 is another")
    panel.locator(".said-so", has_text="e0 and e1 are two").wait_for()
