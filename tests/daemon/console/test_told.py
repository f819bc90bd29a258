"""What models write, in a real browser: captions, summaries, descriptions, relations and chains, as they come."""

from dataclasses import replace

import pytest
from api_rig import filmed
from filmed_clips import HOSTILE
from remarks import AUTHOR, amendment, captioned, described, summarised, written
from sightings import clip, seen, us

from biographer.state.chain import EventStep, TopicFact
from biographer.state.name import Mention, NameKind
from biographer.state.piece import Piece
from biographer.state.relation import Party, PartyKind, Relation, RelationKind
from biographer.state.ruling import Act, Word
from biographer.state.stretch import Stretch

STREAM = "told"
BY = f"Written by {AUTHOR.model} · {AUTHOR.prompt}"


@pytest.fixture
def telling(serving):
    """A filmed clip (c0) with a cup (e0), one beyond its ten minutes, and a function that writes about them."""
    rig, address = serving
    rig.apply(STREAM, filmed(STREAM, 0, 100.0), clip("c1", 700.0, seen(0, (0, 1), 700.0), stream=STREAM))

    def write(*pieces):
        rig.folder.stream(STREAM).amend(amendment(*pieces))
        rig.api.commits.announce(STREAM)

    return rig, address, write


def first_clip(rig):
    stream = rig.folder.stream(STREAM)
    return filmed(STREAM, 0, 100.0).clip, next(
        one for one in stream.memory.index.windows.versions if one.scale == "10min"
    )


def relation(clip):
    ada, cup = Party(f"Ada {HOSTILE}", PartyKind.PERSON), Party("the cup", PartyKind.OBJECT, track=0)
    stretch = Stretch.of_clip(clip)
    one = Relation(stretch, AUTHOR, ada, RelationKind.USES, cup, clip.start_us, clip.end_us, "she lifts it")
    return written(Piece.of_stretch("relations", stretch, 0), (clip.name,), one)


def chains(clip, *links):
    stretch = Stretch("3min", 0, us(180), us(180), (clip.name,))
    return written(Piece.of_stretch("chains", stretch, -1), (clip.name,), *(one(stretch, clip) for one in links))


def fact(topic, text):
    return lambda stretch, clip: TopicFact(stretch, AUTHOR, topic, text, (clip.name,), clip.start_us, clip.end_us)


def step(title, text):
    return lambda stretch, clip: EventStep(stretch, AUTHOR, None, title, text, (clip.name,), clip.start_us, clip.end_us)


def test_words_appear_in_the_recording_without_a_reload(telling, look):
    rig, address, write = telling
    page = look(address, f"#/s/{STREAM}/live")
    page.locator(".entry .line").first.wait_for()
    page.evaluate("window.same = true")
    film, window = first_clip(rig)
    stretch = Stretch("3min", 0, us(180), us(180), (film.name,))
    mention = Mention(stretch, AUTHOR, f"Ada {HOSTILE}", NameKind.PERSON, (film.name,), film.start_us, film.end_us)
    write(
        captioned(0, film, f"Tea is poured. {HOSTILE}"),
        summarised(window, (film.name,), f"A breakfast. {HOSTILE}"),
        written(Piece.of_stretch("names", stretch, -1), (film.name,), mention),
    )
    page.locator(".written", has_text=f"Tea is poured. {HOSTILE}").wait_for()
    page.locator(".chapter[data-scale='10min']", has_text=f"A breakfast. {HOSTILE}").wait_for()
    assert page.locator(".entry .told .by").inner_text() == BY
    assert page.locator(".chapter .by").inner_text() == BY
    assert page.locator(".name").inner_text() == f"Ada {HOSTILE}"
    assert page.evaluate("window.same") is True
    assert page.locator("img[src='x'], main b:text-is('bold')").count() == 0


def test_who_spoke_is_shown_where_it_is_known_and_nobody_elsewhere(telling, look):
    """Subtitles without voice tags were all of "Somebody"."""
    rig, address, _ = telling
    said = clip("c2", 800.0, stream=STREAM, words="a line of nobody's")
    named = replace(said.clip.lines[0], speaker="Ann", text="a line of hers")
    rig.apply(STREAM, replace(said, clip=replace(said.clip, lines=(*said.clip.lines, named))))
    page = look(address, f"#/s/{STREAM}/live")
    page.locator(".line.speech", has_text="a line of nobody's").first.wait_for()
    lines = page.locator(".entry").first.locator(".line.speech")
    assert lines.all_inner_texts() == ["a line of nobody's", "Ann a line of hers"]
    assert lines.locator("b").all_inner_texts() == ["Ann"]


def test_a_biography_is_told_in_new_words_in_place(telling, look):
    rig, address, write = telling
    page = look(address, f"#/s/{STREAM}/entity/e0")
    page.locator(".occasion").first.wait_for()
    film, _ = first_clip(rig)
    write(described(0, film.name, 0, us(600), f"A cup with a chipped rim. {HOSTILE}"), relation(film))
    page.locator(".described", has_text=f"A cup with a chipped rim. {HOSTILE}").wait_for()
    assert page.locator(".occasion .by").inner_text() == BY
    row = page.locator(".relations li")
    row.wait_for()
    assert f"Ada {HOSTILE} uses the cup e0 (she lifts it)" in row.inner_text()
    row.locator(".relation-when").click()
    dialog = page.locator("dialog[open]")
    dialog.locator(".relations li", has_text="uses the cup").wait_for()
    assert page.locator("img[src='x'], main b:text-is('bold'), dialog b:text-is('bold')").count() == 0


def test_chains_are_listed_by_topic_and_event_and_beside_whom_they_name(telling, look):
    rig, address, write = telling
    page = look(address, f"#/s/{STREAM}/chains")
    page.locator(".note", has_text="Nothing has been written over time yet").wait_for()
    film, _ = first_clip(rig)
    write(chains(film, fact("Grail", f"it is chipped {HOSTILE}"), step("Breakfast", "the grail is filled")))
    page.locator(".chain", has_text=f"it is chipped {HOSTILE}").wait_for()
    assert page.locator(".chain[data-kind=event] h3").inner_text().startswith("Breakfast")
    assert page.locator(".chain .by").first.inner_text() == BY
    rig.folder.stream(STREAM).obey(Word(Act.NAME, "me", 0, name="Grail"))
    rig.api.commits.announce(STREAM)
    page.goto(f"{address}/#/s/{STREAM}/entity/e0")
    page.locator("h1", has_text="Grail").wait_for()
    page.locator(".told-of .chain").nth(1).wait_for()
    page.goto(f"{address}/#/s/{STREAM}/search?q=grail&from=1970-01-01T00:11:00Z")
    page.locator(".found .chain").first.wait_for()
    page.goto(f"{address}/#/s/{STREAM}/chains?name=grail")
    page.locator(".chain", has_text="the grail is filled").wait_for()
    page.locator(".chain li a").first.click()
    page.locator("dialog[open] .stage").wait_for()
    assert page.locator("img[src='x'], main b:text-is('bold')").count() == 0


def test_kinds_of_nodes_that_are_new_to_the_page_are_drawn_by_their_words(telling, look):
    _, address, _ = telling
    node = {"hops": 1, "start": None, "crop": None}
    graph = {
        "nodes": [
            {**node, "node": "n3", "kind": "name", "hops": 0, "label": f"Ada {HOSTILE}"},
            {**node, "node": "f7", "kind": "fact", "label": "Ada keeps bees on the roof of her house"},
            {**node, "node": "x1", "kind": "some_thing", "label": None},
        ],
        "edges": [{"left": "n3", "right": one, "kind": "has_property", "weight": 1.0} for one in ("f7", "x1")],
        "complete": True,
    }
    prepare = lambda page: page.route("**/graph/n3*", lambda route: route.fulfill(json=graph))  # noqa: E731
    page = look(address, f"#/s/{STREAM}/graph/n3", prepare=prepare)
    page.locator(".node.fact").focus()
    told = page.locator(".node-told")
    assert "Ada keeps bees on the roof of her house" in told.inner_text()
    assert "Edges: 1 has property." in told.inner_text()
    page.locator(".node.some_thing").focus()
    assert "some thing" in told.inner_text()
    page.locator(".node.name").focus()
    told.locator("a", has_text="What is told of it").click()
    page.locator("h1", has_text=f"Ada {HOSTILE}").wait_for()
