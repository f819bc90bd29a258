"""The console in a real browser: what is recorded appears by itself, and is found, read, dated back and looked at."""

import base64
import io
import re
from dataclasses import replace
from urllib.parse import quote

from filmed_clips import HOSTILE, ODD, filmed
from PIL import Image

HERE = f"#/s/{quote(ODD, safe='')}"
GROWING = "growing"


def test_a_clip_appears_without_a_reload_and_what_is_missing_is_shown(fed, look):
    fed.send(filmed(GROWING, 0))
    fed.hold(GROWING, 1)
    page = look(fed.address, f"#/s/{GROWING}/live")
    page.locator(".entry").first.wait_for()
    page.evaluate("window.same = true")
    page.locator("main .status").first.wait_for()
    fed.send(filmed(GROWING, 1, gap_s=90))
    page.locator(".entry:nth-child(2)").wait_for()
    newest = page.locator(".entry").first
    assert newest.locator("time").first.inner_text() == "09:01:40"
    assert "zeppelin number 1?" in newest.locator(".line.speech").inner_text()
    assert "1\u00a0minute 30\u00a0seconds not recorded" in page.locator(".gap").inner_text()
    page.locator(".numbers dd", has_text=re.compile("^2$")).first.wait_for()
    assert page.evaluate("window.same") is True


def test_a_page_that_was_open_before_the_first_clip_shows_it_without_a_reload(filled, look):
    empty = lambda route: route.fulfill(json={"streams": []})  # noqa: E731
    page = look(filled.address, prepare=lambda page: page.route("**/v1/streams", empty))
    page.locator("main", has_text="Nothing has been recorded yet").wait_for()
    page.evaluate("window.same = true")
    page.unroute("**/v1/streams")
    page.locator(".entry").first.wait_for()
    assert page.evaluate("window.same") is True


def test_changes_are_taken_up_where_they_broke_off(fed, look):
    stream = "broken off"
    fed.send(filmed(stream, 0))
    fed.hold(stream, 1)
    cut = lambda page: page.route("**/events*", lambda route: route.fulfill(status=204))  # noqa: E731
    page = look(fed.address, f"#/s/{quote(stream)}/live", prepare=cut)
    page.locator(".entry").first.wait_for()
    page.locator("main .status[data-state=lost]", has_text="Reconnecting").wait_for()
    fed.send(filmed(stream, 1))
    fed.hold(stream, 2)
    assert page.locator(".entry").count() == 1
    page.unroute("**/events*")
    page.locator(".entry:nth-child(2)").wait_for()
    assert page.locator("main .status[data-state=lost]").count() == 0


def test_what_was_recorded_is_text_and_never_a_page(filled, look):
    page = look(filled.address, f"{HERE}/live")
    line = page.locator(".line.narration").first
    line.wait_for()
    assert HOSTILE in line.inner_text()
    page.goto(f"{filled.address}/{HERE}/entities")
    page.locator(".card", has_text=HOSTILE).click()
    page.locator("h1", has_text=HOSTILE).wait_for()
    page.locator(".around .line, .described").first.wait_for()
    page.goto(f"{filled.address}/{HERE}/search?q=number")
    page.locator(".found").wait_for()
    assert page.title() == "Search · Biographer"
    assert page.locator("img[src='x'], main b:text-is('bold')").count() == 0


def test_an_entity_is_found_read_and_looked_at(filled, look):
    page = look(filled.address, f"{HERE}/search")
    page.locator("input[name=q]").fill("cup")
    card = page.locator(".excerpt").first
    card.wait_for()
    assert "cup" in card.locator("h3").inner_text()
    assert card.locator(".tag").first.inner_text() in ("words", "meaning", "nearby", "looks")
    card.locator("h3 a").click()
    page.locator(".bio-head h1", has_text="cup").wait_for()
    assert "Seen 2 times in 2 clips, first on Friday, 1 May 2026" in page.locator(".summary").inner_text()
    assert page.locator(".occasion").count() == 2
    page.locator(".shot-link").nth(0).click()
    dialog = page.locator("dialog[open]")
    dialog.locator(".box[data-chosen=true]:visible").wait_for()
    page.wait_for_function("() => document.querySelector('dialog video').readyState >= 2")
    assert dialog.locator(".line.speech").count() == 1
    page.go_back()
    page.wait_for_function("() => !document.querySelector('dialog[open]')")
    assert "entity/" in page.url
    page.locator(".shot-link").nth(1).click()
    dialog.locator("a[title='The clip after']").click()
    dialog.locator("time", has_text="09:00:10").wait_for()
    page.keyboard.press("Escape")
    page.wait_for_function("() => !document.querySelector('dialog[open]') && !location.hash.includes('clip=')")
    page.go_back()
    page.locator("input[name=q]").wait_for()
    assert page.locator("input[name=q]").input_value() == "cup"


def test_the_slider_asks_the_memory_of_an_earlier_time(filled, look):
    page = look(filled.address, f"{HERE}/search?q=zeppelin")
    page.locator(".found").wait_for()
    everything = page.locator(".episode").count()
    slider = page.locator("#as-of")
    first = int(slider.get_attribute("min"))
    with page.expect_response("**/search") as answered:
        slider.fill(str(first + 11))
    assert answered.value.request.post_data_json["as_of"] == "2026-05-01T07:00:11.000Z"
    page.wait_for_function(f"() => document.querySelectorAll('.episode').length < {everything}")
    assert page.locator(".slider output").inner_text() == "Fri, 1 May 2026, 09:00:11"
    assert "as_of=2026-05-01T07" in page.url
    page.locator(".excerpt h3 a").first.click()
    page.locator(".as-of", has_text="As it was known at").wait_for()
    page.locator(".occasion").first.wait_for()
    assert page.locator(".occasion").count() == 1


def test_the_keyboard_alone_leads_from_a_question_to_the_frame(filled, look):
    page = look(filled.address, f"{HERE}/live")
    page.locator(".entry").first.wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("/")
    page.locator("input[name=q]:focus").wait_for()
    page.keyboard.type("bottle")
    page.locator(".picks a").first.wait_for()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('.picks') !== null"):
            break
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.locator("dialog[open] .stage").wait_for()
    page.keyboard.press("Escape")
    page.wait_for_function("() => !document.querySelector('dialog[open]')")
    assert page.evaluate("document.activeElement.closest('.picks') !== null")


def test_arrow_keys_walk_the_graph(filled, look):
    page = look(filled.address, f"{HERE}/graph/e0")
    page.locator(".node[data-node=e0]").focus()
    page.keyboard.press("ArrowRight")
    walked = page.evaluate("document.activeElement.dataset.node")
    assert walked != "e0"
    assert walked in page.locator(".node-told").inner_text()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/graph/{walked}")
    page.locator(f".node[data-node={walked}][tabindex='0']").wait_for(state="attached")


NAMELESS = """() => [...document.querySelectorAll('a, button, input, textarea, select, summary, video, [role=group]')]
  .filter((one) => one.checkVisibility() && !(one.ariaLabel || one.textContent.trim() || one.labels?.length))
  .map((one) => one.outerHTML)
  .concat([...document.querySelectorAll('img:not([alt]), img:not([width])')].map((one) => one.outerHTML))"""
"""Controls that a screen reader has no name for, and pictures without a word or a size."""

OUT_OF_REACH = """() => [...document.querySelectorAll('main a, main button')]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right <= 0).map((one) => one.outerHTML)"""
"""Controls left of the page, where no scrolling leads."""


def test_a_phone_shows_every_view_within_its_width_and_every_control_has_a_name(filled, look):
    page = look(filled.address, viewport={"width": 390, "height": 800}, has_touch=True, color_scheme="dark")
    views = {
        "live": ".entry .line",
        "entities": ".card",
        "entity/e0": ".occasion",
        "search?q=cup": ".excerpt",
        "graph/e0": ".node",
        "ask": ".asked .chip",
        "chains": ".chains .note",
        "live?clip=c0": "dialog .stage",
    }
    for path, there in views.items():
        page.goto(f"{filled.address}/{HERE}/{path}")
        page.locator(there).first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert page.evaluate(NAMELESS) == [], path
        assert page.evaluate(OUT_OF_REACH) == [], path
    page.goto(f"{filled.address}/#/daemon")
    page.locator(".ready", has_text="Ready").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_theme_follows_the_system_until_one_chooses(filled, look):
    page = look(filled.address, color_scheme="dark")
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(paper)
    page.locator("#theme").click()
    light = page.evaluate(paper)
    assert light != dark
    page.reload()
    page.locator("#theme").wait_for()
    assert page.evaluate(paper) == light


def test_the_operator_sees_how_the_daemon_fares(filled, look):
    page = look(filled.address, "#/daemon")
    page.locator(".ready", has_text="Ready").wait_for()
    told = page.locator(".operator .numbers").inner_text()
    assert "set aside" in told
    assert "clips since the start" in told
    page.locator(".stages tr").first.wait_for()
    assert "None is set: descriptions are plain words" in page.locator(".words-of").inner_text()
    assert "only this machine is served" in page.locator(".session").inner_text()


def test_an_address_that_leads_nowhere_says_so(filled, look):
    page = look(filled.address, "#/s/nobody/live")
    page.locator(".note", has_text="There is no stream “nobody” here").wait_for()


def test_a_picture_is_a_question(filled, look, tmp_path):
    picture = tmp_path / "cup.png"
    Image.new("RGB", (900, 600), (190, 60, 40)).save(picture)
    # This daemon has no embedder, and says so.
    page = look(filled.address, f"{HERE}/search", refused="the server responded with a status of 4")
    page.locator(".drop label").wait_for()
    with page.expect_request("**/search") as asked:
        page.locator("#picture").set_input_files(picture)
    sent = Image.open(io.BytesIO(base64.b64decode(asked.value.post_data_json["image"])))
    assert (sent.format, sent.size) == ("JPEG", (512, 341))
    page.locator(".results .note, .results .found").first.wait_for()
    page.locator("button", has_text="Without the picture").click()
    page.locator(".note", has_text="Ask the memory").wait_for()


def test_a_daemon_that_is_away_is_asked_again(filled, look):
    away = lambda page: page.route("**/v1/streams", lambda route: route.abort())  # noqa: E731
    page = look(filled.address, f"{HERE}/live", prepare=away, refused="net::ERR_FAILED")
    page.locator(".note", has_text="the daemon does not answer").wait_for()
    page.unroute("**/v1/streams")
    page.locator("button", has_text="Try again").click()
    page.locator(".entry").first.wait_for()


def test_a_clip_without_pixels_says_so_and_shows_what_is_left(fed, look):
    fed.send(replace(filmed("blind", 0), video=None))
    fed.hold("blind", 1)
    page = look(fed.address, "#/s/blind/live")
    page.locator(".entry .shot").click()
    page.locator("dialog .no-video", has_text="is not kept").wait_for()
    assert page.locator("dialog .no-video figure").count() == 3
    page.keyboard.press("Escape")
    page.wait_for_function("() => !location.hash.includes('clip=')")
