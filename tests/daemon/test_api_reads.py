"""The API's reads: what they give, that they agree with the records, and that as-of shows the log cut at that time."""

import asyncio
from urllib.parse import quote

import httpx
import msgspec
import pytest
import structlog
from api_rig import HERE, ODD, Rig, fill, filmed, got, whole_and_cut
from sightings import recording

from biographer.daemon.api import Api
from biographer.daemon.api_answers import node_of
from biographer.daemon.origins import Origins
from biographer.state.reader import Reader
from biographer.state.times import SECOND_US, format_time
from biographer.state.windows import SCALES

ODD_PATH = f"/v1/streams/{quote(ODD, safe='')}"


@pytest.fixture
def rig(tmp_path):
    made = Rig(tmp_path)
    fill(made, ODD)
    yield made
    made.close()


async def pages(client, path, what, limit=3, **params):
    found, cursor = [], None
    while True:
        page = await got(client, path, limit=limit, **params, **({"cursor": cursor} if cursor else {}))
        assert len(page[what]) <= limit
        found += page[what]
        cursor = page["next"]
        if cursor is None:
            return found


async def test_a_stream_of_any_name_is_listed_and_found(rig, tmp_path):
    async with rig.client() as client:
        (listed,) = (await got(client, "/v1/streams"))["streams"]
        one = await got(client, ODD_PATH)
    summary = Reader(tmp_path, ODD).summary()
    assert listed == one
    assert (one["stream"], one["clips"], one["observations"]) == (ODD, summary.clips, summary.observations)
    assert (one["entities"], one["without_identity"]) == (summary.entities, summary.unidentified)
    assert one["late_clips"] == summary.late > 0
    assert one["snapshot"]["version"] == summary.version
    assert one["snapshot"]["watermark"] == format_time(summary.watermark_us)
    assert one["snapshot"]["lag_s"] == rig.clock.seconds - summary.watermark_us / SECOND_US


async def test_an_empty_folder_has_no_streams_and_says_so_for_each(tmp_path):
    rig = Rig(tmp_path)
    async with rig.client() as client:
        assert await got(client, "/v1/streams") == {"streams": []}
        problem = await got(client, "/v1/streams/none/entities", 404)
    rig.close()
    assert problem["status"] == 404
    assert "unknown" in problem["detail"]


async def test_an_entity_is_shown_by_its_best_picture_and_the_labels_are_counted(rig):
    async with rig.client() as client:
        page = await got(client, f"{ODD_PATH}/entities", limit=500)
        shown = [one for one in page["entities"] if one["best_crop"]]
        assert shown
        for one in shown:
            path, _, number = one["best_crop"].removesuffix("/crop/0").rpartition("/")
            seen = (await got(client, f"{path}/{number}"))["observation"]
            assert seen["entity"] == one["entity"]
            assert seen["label"] == one["label"]
            rest = (await got(client, f"{ODD_PATH}/entities/{one['entity']}"))["observations"]
            assert seen["score"] == max(other["score"] for other in rest if other["crops"])
        few = await got(client, f"{ODD_PATH}/entities", limit=1, label="bowl")
    counted = {one["label"]: one["entities"] for one in page["labels"]}
    assert sum(counted.values()) == page["total"]
    assert few["labels"] == page["labels"]


async def test_clips_are_read_from_the_newest_back_as_from_the_oldest_on(rig):
    async with rig.client() as client:
        forwards = await pages(client, f"{ODD_PATH}/clips", "clips")
        backwards = await pages(client, f"{ODD_PATH}/clips", "clips", sort="last")
        until = {"to": forwards[4]["start"], "sort": "last"}
        before = await pages(client, f"{ODD_PATH}/clips", "clips", **until)
    assert backwards == forwards[::-1]
    assert before == [one for one in backwards if one["start"] < forwards[4]["start"]]


async def test_nodes_of_the_graph_are_told_by_label_time_and_picture(rig):
    async with rig.client() as client:
        (entity,) = (await got(client, f"{ODD_PATH}/entities", limit=1))["entities"]
        around = await got(client, f"{ODD_PATH}/graph/{entity['entity']}", hops=2)
    told = {one["node"]: one for one in around["nodes"]}
    assert told[entity["entity"]]["label"] == entity["label"]
    assert told[entity["entity"]]["start"] == entity["first_seen"]
    assert told[entity["entity"]]["crop"] == entity["best_crop"]
    assert all(one["start"] for one in told.values())
    assert {bool(one["label"]) for one in told.values() if one["kind"] in ("entity", "observation")} == {True}


async def test_entities_are_those_of_the_records_in_pages_sorted_and_filtered(rig, tmp_path):
    rows = Reader(tmp_path, ODD).entities()
    async with rig.client() as client:
        seen = await pages(client, f"{ODD_PATH}/entities", "entities")
        by_last = await pages(client, f"{ODD_PATH}/entities", "entities", sort="last")
        bowls = await pages(client, f"{ODD_PATH}/entities", "entities", label="BOWL")
        cups = await pages(client, f"{ODD_PATH}/entities", "entities", text="A CUP")
    told = [(one["entity"], one["label"], one["observations"], one["clips"]) for one in seen]
    assert told == [(f"e{row.entity}", row.label, row.observations, row.clips) for row in rows]
    assert [one["apart_from"] for one in seen] == [[f"e{other}" for other in row.apart] for row in rows]
    assert [one["last_seen"] for one in by_last] == sorted((one["last_seen"] for one in seen), reverse=True)
    assert {one["entity"] for one in bowls} == {f"e{row.entity}" for row in rows if row.label == "bowl"}
    assert 0 < len(cups) <= len(seen)


async def test_pages_keep_to_the_version_of_the_first(rig):
    async with rig.client() as client:
        first = await got(client, f"{ODD_PATH}/entities", limit=2)
        rig.apply(ODD, filmed(ODD, 1, 3000.0), filmed(ODD, 2, 3001.0))
        second = await got(client, f"{ODD_PATH}/entities", limit=100, cursor=first["next"])
        anew = await got(client, ODD_PATH)
    assert second["snapshot"]["version"] == first["snapshot"]["version"] == anew["snapshot"]["version"] - 2
    assert len(second["entities"]) == second["total"] - 2 == first["total"] - 2


async def test_a_biography_is_in_order_of_time_with_pictures_to_get(rig, tmp_path):
    reader = Reader(tmp_path, ODD)
    entity = reader.entities()[0]
    rows = reader.biography(entity.entity)
    async with rig.client() as client:
        found = await pages(client, f"{ODD_PATH}/entities/e{entity.entity}", "observations", limit=2)
        picture = await client.get(found[0]["crops"][0]["path"])
        detail = await got(client, f"{ODD_PATH}/observations/{found[0]['observation']}")
    assert [one["observation"] for one in found] == [f"o{row.observation}" for row in rows]
    assert [one["start"] for one in found] == [format_time(row.start_us) for row in rows]
    assert {one["entity"] for one in found} == {f"e{entity.entity}"}
    assert picture.status_code in (200, 404)
    assert detail["observation"] == found[0]
    assert detail["trail"][0]["at"] == found[0]["start"]
    assert detail["trail"][-1]["at"] == found[0]["end"]


async def test_episodes_and_clips_within_a_span(rig, tmp_path):
    rows = Reader(tmp_path, ODD).episodes()
    async with rig.client() as client:
        all_of_them = await pages(client, f"{ODD_PATH}/episodes", "episodes")
        later = await pages(client, f"{ODD_PATH}/episodes", "episodes", **{"from": "1970-01-01T00:33:20+00:00"})
        (clip,) = (await got(client, f"{ODD_PATH}/clips", name="film-0"))["clips"]
        detail = await got(client, f"{ODD_PATH}/clips/{clip['clip']}")
    assert [one["text"] for one in all_of_them] == [row.text for row in rows]
    assert [one["clip_name"] for one in later] == ["film-0"]
    assert [line["speaker"] for line in detail["lines"]] == ["Ann"]
    assert [one["clip"] for one in detail["observations"]] == [clip["clip"]]


async def test_what_is_listed_is_the_same_from_a_view_and_from_the_records(tmp_path):
    """Before the memory is open and its index learned, the records answer, and they say the same."""
    rig = Rig(tmp_path)
    fill(rig, ODD, clips=40)
    rig.apply(ODD, filmed(ODD, 1, 9000.0))
    view = rig.api.live.view(ODD, None)
    assert rig.api.live.at_hand(ODD, None) is view
    paths = ["", "/entities?limit=500", "/entities?label=cup&sort=first", "/entities?name=bowl", "/entities?text=cup"]
    paths += ["/graph/l3?hops=3", "/graph/w0", *(f"/episodes?limit=500&scale={scale}" for scale in SCALES)]
    as_of = format_time(view.watermark_us - 3600 * SECOND_US)
    paths += [f"{path}{'&' if '?' in path else '?'}as_of={as_of}" for path in paths]
    async with rig.client() as client:
        viewed = [await got(client, ODD_PATH + path) for path in paths]
    rig.close()
    unopened = Api(tmp_path, rig.gate, Origins(()), rig.health, bytes, 1, rig.clock, structlog.get_logger())
    transport = httpx.ASGITransport(app=unopened.application(), client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
        read = [await got(client, ODD_PATH + path) for path in paths]
    unopened.close()
    for path, one, other in zip(paths, viewed, read, strict=True):
        assert one == other, path


async def test_coarser_episodes_are_listed_once_they_are_closed(rig):
    async with rig.client() as client:
        fine = await pages(client, f"{ODD_PATH}/episodes", "episodes")
        found = {scale: await pages(client, f"{ODD_PATH}/episodes", "episodes", scale=scale) for scale in SCALES}
        early = await got(client, f"{ODD_PATH}/episodes", scale="3min", as_of="1970-01-01T00:02:59Z")
        later = await pages(
            client, f"{ODD_PATH}/episodes", "episodes", scale="3min", **{"from": "1970-01-01T00:03:00Z"}
        )
        await got(client, f"{ODD_PATH}/episodes", 400, scale="2h")
        window = found["3min"][0]
        around = await got(client, f"{ODD_PATH}/graph/{window['episode']}")
    assert early["episodes"] == []
    assert later == found["3min"][1:]
    assert found["1h"] == []
    starts = {one["episode"]: one["start"] for one in fine}
    for scale in ("3min", "10min"):
        held = [name for one in found[scale] for name in one["holds"]]
        assert held
        assert len(held) == len(set(held))
        for one in found[scale]:
            assert one["text"]
            assert all(one["start"] <= starts[name] < one["end"] for name in one["holds"])
    assert {one["node"] for one in around["nodes"]} >= {window["episode"], *window["holds"]}
    assert {one["kind"] for one in around["edges"]} == {"containment", "adjacency"}


async def test_entities_are_found_by_the_words_of_their_name(rig):
    """Until entities have names, by their label's words; issue 4 brings names."""
    async with rig.client() as client:
        cups = await pages(client, f"{ODD_PATH}/entities", "entities", name="CUP")
        assert cups == await pages(client, f"{ODD_PATH}/entities", "entities", label="cup")
        assert await pages(client, f"{ODD_PATH}/entities", "entities", name="cup bowl") == []


async def test_the_graph_around_a_node_is_that_of_the_memory(rig):
    graph = rig.folder.stream(ODD).memory.graph
    async with rig.client() as client:
        observed = await got(client, f"{ODD_PATH}/graph/o0", hops=1)
        wide = await got(client, f"{ODD_PATH}/graph/o0", hops=4, limit=500)
        small = await got(client, f"{ODD_PATH}/graph/o0", hops=4, limit=5)
        await got(client, f"{ODD_PATH}/graph/e99999", 404)
        await got(client, f"{ODD_PATH}/graph/x1", 400)
    assert {node["kind"] for node in observed["nodes"]} >= {"observation", "clip", "episode"}
    assert len(small["nodes"]) == 5
    assert not small["complete"]
    assert wide["complete"]
    for edge in wide["edges"]:
        if edge["kind"] != "apart":
            assert graph.linked(node_of(edge["left"]), node_of(edge["right"])), edge


@pytest.mark.parametrize("cut", [3, 7, 11])
async def test_as_of_shows_what_the_log_cut_at_that_time_held(tmp_path, cut):
    """DESIGN section 5: degrees, counts, labels and texts of the full log must not show through."""
    as_of, whole, until = whole_and_cut(tmp_path, cut)
    paths = ["", "/entities", "/entities?sort=last&label=cup", "/entities?text=bowl", "/entities/e0", "/episodes"]
    paths += ["/clips", "/clips/c0", "/observations/o0", "/graph/e0?hops=3", "/graph/l0?hops=2", "/graph/c1"]
    paths += ["/entities?name=cup", *(f"/episodes?scale={scale}" for scale in SCALES)]
    async with whole.client() as full, until.client() as short:
        for path in [ODD_PATH + path for path in paths]:
            joint = "&" if "?" in path else "?"
            answers = [await one.get(f"{path}{joint}as_of={format_time(as_of)}") for one in (full, short)]
            assert answers[0].json() == answers[1].json(), path
            assert answers[0].status_code == 200, path
        for path in ("/clips/c13", "/observations/o9999", "/entities/e9999", "/graph/c13"):
            assert (await full.get(f"{ODD_PATH}{path}?as_of={format_time(as_of)}")).status_code == 404
    whole.close()
    until.close()


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("2026-01-01T00:00:00Z", 200),
        ("2026-01-01T00:00:00+07:00", 200),
        ("2026-01-01T00:00:00", 400),
        ("1970-01-01T00:00:00Z", 200),
        ("0001-01-01T00:00:00Z", 400),
        ("now", 400),
        ("", 400),
    ],
)
async def test_times_bear_an_offset_or_are_refused_with_the_reason(rig, text, status):
    """getzep/graphiti#920: a time without an offset is refused, never guessed."""
    async with rig.client() as client:
        answer = await client.get(f"{ODD_PATH}/entities", params={"as_of": text})
        bare = await client.get(f"{ODD_PATH}/entities?as_of={text}")
    assert answer.status_code == bare.status_code == status
    if status == 400:
        assert "time" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("limit=0", ">= 1"),
        ("limit=x", "int"),
        ("limit=1&limit=2", "2 times"),
        ("sort=best", "best"),
        ("colour=red", "known: as_of, cursor, label, limit, name, sort, text"),
        ("token=bio_x", "unknown"),
        ("cursor=%00", "cursor"),
        ("cursor=kwABAg", "cursor"),
    ],
)
async def test_what_is_not_understood_is_refused_with_the_reason(rig, query, told):
    async with rig.client() as client:
        answer = await client.get(f"{ODD_PATH}/entities?{query}")
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert told in answer.json()["detail"]


async def test_message_pack_on_request(rig):
    async with rig.client() as client:
        plain = await client.get(ODD_PATH)
        packed = await client.get(ODD_PATH, headers={"accept": "application/msgpack"})
    assert packed.headers["content-type"] == "application/msgpack"
    assert msgspec.msgpack.decode(packed.content) == plain.json()


async def test_other_methods_and_paths_are_problems_too(rig):
    async with rig.client() as client:
        for method, path, status in [("PUT", ODD_PATH, 405), ("GET", "/v1/nothing", 404), ("GET", "/v1/%ff", 404)]:
            answer = await client.request(method, path)
            assert (answer.status_code, answer.json()["status"]) == (status, status)
        assert (await client.get("/v1/streams/%ff")).status_code == 400
        assert (await client.head(ODD_PATH)).status_code == 200


async def test_eight_readers_under_ingest_each_see_one_snapshot(tmp_path):
    """langchain-ai/langgraph#2119: every response is consistent with one version, and none waits for the writer."""
    rig = Rig(tmp_path)
    log = recording(3, 60, stream="s")
    rig.apply("s", log[0])
    done, answered = False, asyncio.Event()

    async def read(client):
        versions = []
        while not done:
            page = await got(client, "/v1/streams/s/entities", limit=500)
            version = page["snapshot"]["version"]
            held = sum(len([o for o in one.observations if o.embedding is not None]) for one in log[:version])
            assert sum(one["observations"] for one in page["entities"]) == held
            versions.append(version)
            answered.set()
        assert versions == sorted(versions)
        return versions

    async with rig.client() as client:
        readers = [asyncio.create_task(read(client)) for _ in range(8)]
        for number, one in enumerate(log[1:]):
            await asyncio.to_thread(rig.folder.stream("s").apply, one)
            if number % 10 == 0:
                answered.clear()
                await answered.wait()
        done = True
        seen = await asyncio.gather(*readers)
    rig.close()
    assert len({version for versions in seen for version in versions}) > 3
