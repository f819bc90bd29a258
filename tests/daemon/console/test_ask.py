"""The ask view in a real browser: what is searched and found as it comes, the answer with its sources, and stopping."""

import asyncio
import threading

import pytest
from api_rig import SPOKEN, filmed
from filmed_clips import HOSTILE
from questioned import Scripted, control, draft, everywhere, in_order, judge, kitchen, plan, search

from biographer.daemon.answerer import Answerer

STREAM = "asked"
QUESTION = "Did the red cup come back?"


@pytest.fixture
def asked(serving):
    """An API with a kitchen and a filmed clip (c4, at 4000 s), and a function that sets who answers."""
    rig, address = serving
    rig.apply(STREAM, *kitchen(), filmed(STREAM, 0, 4000.0))

    def answer_by(speaker):
        rig.api.ask.answer_by(Answerer(everywhere(speaker)))

    return address, answer_by


def scripted(**changed):
    stages = {
        "plan": plan(search("red cup"), steps=("find the first time", f"{HOSTILE} again")),
        "judge": judge("o2", "l4"),
        "control": [control(search(SPOKEN), missing="who spoke of it"), control()],
        "answer": draft(f"It came back [o2], and then a {SPOKEN} was named [l4, c4].\n{HOSTILE} [of it].", "l4"),
    }
    return in_order(**{**stages, **changed})


def put(page, question=QUESTION):
    page.locator("#question").fill(question)
    page.locator("#question").press("Enter")


def test_a_question_is_answered_with_the_frames_that_show_it(asked, look):
    address, answer_by = asked
    answer_by(scripted())
    page = look(address, f"#/s/{STREAM}/ask")
    put(page)
    words = page.locator(".answer .words")
    words.wait_for()
    assert words.inner_text() == f"It came back1, and then a {SPOKEN} was named2.\n{HOSTILE} [of it]."
    assert page.locator(".answer .piece").count() == 2
    assert page.locator(".said[aria-live=polite] .words").count() == 1
    page.locator(".course summary", has_text="2 searches in 2 rounds, 50 tokens").click()
    assert page.locator(".steps").inner_text().splitlines() == ["find the first time", f"{HOSTILE} again"]
    first, second = page.locator(".round").all()
    assert "Searched the memory for “red cup”" in first.inner_text()
    assert first.locator(".piece:not(.left)").count() == 2
    assert first.locator(".piece.left").count() > 1
    assert "Missing: who spoke of it" in second.inner_text()
    assert "nothing" in second.locator(".tag").inner_text()
    words.locator("a", has_text="2").click()
    page.locator("dialog[open] .stage video").wait_for()
    assert "clip=c4" in page.url
    assert page.locator("img[src='x'], main b:text-is('bold')").count() == 0


def test_evidence_is_there_before_the_answer_and_stopping_cancels_the_model(asked, look):
    address, answer_by = asked
    cancelled = threading.Event()

    class Slow(Scripted):
        async def fill(self, request, form):
            if request.prompt.name != "answer":
                return await super().fill(request, form)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.set()
                raise

    answer_by(Slow(scripted().says))
    page = look(address, f"#/s/{STREAM}/ask")
    put(page)
    page.locator(".now", has_text="Writing the answer").wait_for()
    assert page.locator(".round .piece").count() > 1
    assert page.locator("button", has_text="Ask").is_hidden()
    page.locator("button", has_text="Stop").click()
    page.locator(".verdict", has_text="Stopped.").wait_for()
    assert cancelled.wait(5)
    assert page.locator(".round .piece").count() > 1
    page.locator("button:visible", has_text="Ask").wait_for()


def test_without_a_model_the_evidence_comes_with_a_plain_sentence(asked, look):
    address, _ = asked
    page = look(address, f"#/s/{STREAM}/ask?q=red+cup")
    page.locator("button:visible", has_text="Ask").click()
    page.locator(".said", has_text="No language model is configured").wait_for()
    assert "There is no answer in words." in page.locator(".said").inner_text()
    assert page.locator(".answer .piece").count() > 1


def test_what_is_not_known_is_said_plainly_and_of_options_one_is_chosen(asked, look):
    address, answer_by = asked
    answer_by(scripted(answer=draft("Nobody shows it.", status="unknown")))
    page = look(address, f"#/s/{STREAM}/ask")
    put(page)
    page.locator(".verdict", has_text="The memory does not tell.").wait_for()
    gap = {"tool": "time", "begin": "1970-01-01T00:10:00Z", "until": "1970-01-01T00:20:00Z"}
    answer_by(scripted(plan=plan(gap), control=control(), answer=draft("A gap.", status="not_recorded")))
    put(page)
    page.locator(".verdict", has_text="Nothing was recorded at that time.").wait_for()
    page.locator(".course summary").click()
    assert "Read what was recorded, from 00:10:00 to 00:20:00" in page.locator(".course").inner_text()
    answer_by(scripted(answer=draft("It did [o2].", choice="B")))
    page.locator(".options summary").click()
    page.locator("#options").fill(f"never\n{HOSTILE}\n")
    put(page)
    page.locator(".chosen").wait_for()
    assert page.locator(".chosen").inner_text() == f"B {HOSTILE}"


def test_a_question_is_bound_to_the_time_of_the_slider(asked, look):
    address, answer_by = asked
    answer_by(scripted(control=control(), answer=draft("The cup [o0].")))
    page = look(address, f"#/s/{STREAM}/ask")
    slider = page.locator("#as-of")
    slider.fill(str(int(slider.get_attribute("min")) + 40))
    page.wait_for_url("**as_of=*")
    with page.expect_request("**/ask") as sent:
        put(page)
    assert sent.value.post_data_json["as_of"] == "1970-01-01T00:00:40.000Z"
    page.locator(".answer .words").wait_for()
    page.locator(".course summary").click()
    units = page.locator(".round .piece").evaluate_all("all => all.map((one) => one.dataset.unit)")
    assert set(units) <= {"o0", "l0"}


def test_what_goes_wrong_is_a_sentence_and_can_be_asked_again(asked, look):
    address, _ = asked
    page = look(address, f"#/s/{STREAM}/ask", refused="net::ERR_FAILED")
    page.route("**/ask", lambda route: route.abort())
    put(page)
    page.locator(".answer .note", has_text="The daemon does not answer.").wait_for()
    page.unroute("**/ask")
    page.locator("button", has_text="Ask again").click()
    page.locator(".said", has_text="No language model").wait_for()


def test_a_question_mark_leads_to_asking_and_a_phone_shows_it_whole(asked, look):
    address, answer_by = asked
    answer_by(scripted())
    page = look(address, f"#/s/{STREAM}/live", viewport={"width": 360, "height": 740}, color_scheme="dark")
    page.locator(".entry").first.wait_for()
    page.keyboard.press("?")
    page.locator("#question:focus").wait_for()
    put(page)
    page.locator(".answer .words").wait_for()
    page.locator(".course summary").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
