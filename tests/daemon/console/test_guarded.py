"""The console of a guarded memory, and of a large one: an API in process, served over a socket in a thread."""

import numpy as np
import pytest
from api_rig import filmed
from sightings import clip, seen

ENTITIES = 5_000
PER_CLIP = 250

LONGEST_TASK = """new Promise((done) => {
  const longest = (list) => Math.max(0, ...list.getEntries().map((task) => task.duration));
  new PerformanceObserver((list) => done(longest(list))).observe({ type: "longtask", buffered: true });
  setTimeout(() => done(0), 300);
})"""
"""Milliseconds of the page's longest task so far."""


def test_a_guarded_memory_asks_for_a_token_and_keeps_none_where_scripts_see_it(serving, look):
    rig, address = serving
    rig.apply("anna", filmed("anna", 0, 100.0))
    secret = rig.token("read", streams=("anna",))
    page = look(address, "#/s/anna/entities", refused="401 (Unauthorized)")
    field = page.locator("input[name=token]")
    field.fill("bio_wrong")
    field.press("Enter")
    page.locator(".refused", has_text="Not signed in").wait_for()
    field.fill(secret)
    field.press("Enter")
    page.locator(".card").first.wait_for()
    assert page.evaluate("document.cookie + JSON.stringify({...localStorage, ...sessionStorage})") == "{}"
    assert secret not in page.url
    page.goto(f"{address}/#/daemon")
    page.locator("button", has_text="Sign out").click()
    page.locator("input[name=token]").wait_for()


@pytest.mark.slow
def test_thousands_of_entities_are_read_page_by_page(serving, look):
    rig, address = serving
    draw = np.random.default_rng(1)
    for number in range(ENTITIES // PER_CLIP):
        # Far from each other by chance in so many dimensions: each is an entity of its own.
        looks = draw.normal(size=(PER_CLIP, 128))
        found = [seen(n, looks_like, 100.0 * number, label=f"kind {n % 70}") for n, looks_like in enumerate(looks)]
        rig.apply("many", clip(f"c{number}", 100.0 * number, *found, stream="many"))
    page = look(address, "#/s/many/entities")
    page.locator(".card").first.wait_for()
    assert page.locator(".card").count() <= 120
    for _ in range(6):
        shown = page.locator(".card").count()
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        page.wait_for_function(f"() => document.querySelectorAll('.card').length > {shown}")
    shown, place = page.locator(".card").count(), page.evaluate("scrollY")
    page.locator(".card").nth(shown - 90).click()
    page.locator(".bio-head").wait_for()
    page.go_back()
    page.locator(".card").first.wait_for()
    assert page.locator(".card").count() >= shown
    assert abs(page.evaluate("scrollY") - place) < 1500
    # A long task is one that a finger would feel.
    assert page.evaluate(LONGEST_TASK) < 500
