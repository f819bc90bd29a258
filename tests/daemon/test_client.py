"""One conformance suite for both clients against a real API over a socket: one in a thread, one on the loop."""

import asyncio
import inspect
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone

import httpx
import msgspec
import pytest
from api_rig import ODD, SPOKEN, Rig, fill
from daemon_doubles import clip as clip_record
from sightings import recording
from videos import video

import biographer
from biographer.daemon import api_clip_records as clip_records
from biographer.daemon.client_faults import Patience
from biographer.daemon.endpoint import Endpoint
from biographer.state.errors import BadClipError, FatalError, RefusedError, TransientError
from biographer.streams.message import decode, encode
from biographer.streams.sink import Sent

HASTE = Patience(first_s=0.001, longest_s=0.002, total_s=0.01)


class Plain:
    """A plain client whose calls run in a thread, so that both kinds read alike in a test."""

    def __init__(self, *args, **options):
        self._client = biographer.Client(*args, **options)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await asyncio.to_thread(self._client.close)

    def __getattr__(self, name):
        method = getattr(self._client, name)
        if inspect.isgeneratorfunction(method):
            return lambda *args, **asked: _stepped(method(*args, **asked))

        async def called(*args, **asked):
            return await asyncio.to_thread(method, *args, **asked)

        return called


async def _stepped(generator):
    try:
        while (one := await asyncio.to_thread(next, generator, None)) is not None:
            yield one
    finally:
        await asyncio.to_thread(generator.close)


@pytest.fixture(params=[Plain, biographer.AsyncClient], ids=["sync", "async"])
def kind(request):
    return request.param


@pytest.fixture
def rig(tmp_path):
    made = Rig(tmp_path)
    fill(made, ODD, clips=6)
    yield made
    made.close()


@pytest.fixture
async def client(rig, kind):
    async with rig.served() as url, kind(url, patience=HASTE) as made:
        yield made


async def listed(items):
    return [one async for one in items]


async def test_streams_and_their_numbers(client):
    (stream,) = await client.streams()
    assert stream == await client.stream(ODD)
    assert (stream.stream, stream.clips) == (ODD, 7)
    assert stream.snapshot.version == 7


async def test_every_page_of_a_list_is_read(client, monkeypatch):
    whole = await listed(client.entities(ODD, sort="entity"))
    monkeypatch.setattr("biographer.daemon.api_queries.PAGE_MAX", 2)
    assert await listed(client.entities(ODD, sort="entity")) == whole
    assert len(whole) > 4
    assert [one.name for one in await listed(client.clips(ODD))] == [
        one.clip_name for one in await listed(client.episodes(ODD))
    ]
    label = whole[0].label
    assert await listed(client.entities(ODD, sort="entity", label=label)) == [
        one for one in whole if one.label == label
    ]


async def test_a_list_that_a_users_word_has_changed_is_to_be_begun_anew(rig, client, monkeypatch):
    rig.api.rulings.connect(rig.obey)
    monkeypatch.setattr("biographer.daemon.api_queries.PAGE_MAX", 1)
    entities = client.entities(ODD, sort="entity")
    first = await anext(entities)
    await client.merge(ODD, first.entity, "e2")
    with pytest.raises(TransientError, match=r"410: the list has changed.*begin it again"):
        await anext(entities)
    assert len(await listed(client.entities(ODD))) > 1


async def test_a_biography_is_whole_whatever_its_pages(client, monkeypatch):
    most = max(await listed(client.entities(ODD)), key=lambda one: one.observations)
    whole = await client.biography(ODD, most.entity)
    monkeypatch.setattr("biographer.daemon.api_queries.PAGE_MAX", 2)
    paged = await client.biography(ODD, most.entity)
    assert (whole.entity, whole.observations, whole.next) == (paged.entity, paged.observations, None)
    assert len(whole.observations) == most.observations > 2


async def test_records_are_frozen_and_typed(client):
    (first,) = await listed(client.clips(ODD, "film-0"))
    detail = await client.clip(ODD, first.clip)
    assert isinstance(detail, clip_records.ClipDetail)
    assert detail.clip == first
    with pytest.raises(AttributeError):
        detail.clip.name = "another"
    seen = (await client.observation(ODD, detail.observations[0].observation)).observation
    assert seen == detail.observations[0]
    around = await client.graph(ODD, first.clip)
    assert around.nodes[0].node == first.clip
    assert around.edges


async def test_as_of_and_spans_by_text_and_by_datetime(client):
    early = datetime.fromtimestamp(60, UTC)
    known = await client.stream(ODD, early)
    assert known == await client.stream(ODD, "1970-01-01T01:01:00+01:00")
    assert known.clips < 7
    elsewhere = early.astimezone(timezone(timedelta(hours=5, minutes=30)))
    before = await listed(client.clips(ODD, until=elsewhere))
    assert before
    assert all(one.start < "1970-01-01T00:01:00" for one in before)
    with pytest.raises(RefusedError, match="no offset"):
        await client.stream(ODD, early.replace(tzinfo=None))


async def test_search_with_every_filter(client):
    found = await client.search(ODD, SPOKEN, limit=4)
    assert found.items
    assert SPOKEN in found.reading
    more = await client.search(ODD, SPOKEN, limit=4, exclude=tuple(one.unit for one in found.items))
    assert not {one.unit for one in more.items} & {one.unit for one in found.items}
    assert (await client.search(ODD, SPOKEN, speaker="nobody")).items == ()
    with pytest.raises(RefusedError, match="400"):
        await client.search(ODD, image=b"no picture")
    span = (datetime.fromtimestamp(2000, UTC), datetime.fromtimestamp(2001, UTC))
    read_out = await client.search(ODD, between=span)
    assert [one.clip_name for one in read_out.items] == ["film-0"]
    assert (await client.search(ODD, SPOKEN, as_of=datetime.fromtimestamp(100, UTC))).snapshot.as_of is not None


async def test_a_question_without_a_language_model_is_told_why(client):
    told = await client.ask(ODD, "What was said?", options=("zeppelin", "nothing"))
    assert told.answer is None
    assert "language" in told.reason


async def test_pixels(client):
    (film,) = await listed(client.clips(ODD, "film-0"))
    whole = await client.video(ODD, film.clip)
    assert whole.media_type == "video/mp4"
    assert (await client.video(ODD, film.clip, 4, 7)).content == whole.content[4:8] == b"ftyp"
    frame = await client.frame(ODD, film.clip, film.start, side=64)
    assert (frame.content[:2], frame.at) == (b"\xff\xd8", film.start)
    shown = (await client.clip(ODD, film.clip)).observations[0]
    assert (await client.crop(ODD, shown.observation)).content.startswith(b"\xff\xd8\xff picture")


class Topic:
    def __init__(self):
        self.values, self.busy = [], 0

    async def send(self, _, value):
        if self.busy:
            self.busy -= 1
            raise TransientError("the broker is away; send it again")
        self.values.append(value)
        return Sent(0, len(self.values) - 1)


async def test_uploads_and_patience_with_a_broker_that_is_away(rig, client):
    topic = Topic()
    rig.api.uploads.connect(topic)
    message = encode(clip_record("cam", 3))
    assert (await client.upload("cam", message)).offset == 0
    film = await client.upload_video("cam", "one", datetime.fromtimestamp(5, UTC), video(10))
    assert (film.stream, film.clip) == ("cam", "one")
    assert [decode(value).clip for value in topic.values] == ["clip-00003", "one"]
    topic.busy = 1000
    with pytest.raises(TransientError, match=r"POST /v1/streams/cam/clips: 503: the broker is away"):
        await client.upload("cam", message)
    with pytest.raises(BadClipError, match="422"):
        await client.upload("cam", b"\xc1")


async def test_refusals_keep_the_daemons_words(client):
    with pytest.raises(RefusedError, match=r"404: stream 'nobody' is unknown here; GET /v1/streams"):
        await client.stream("nobody")
    with pytest.raises(RefusedError, match="404: 'e999'"):
        await client.biography(ODD, "e999")
    with pytest.raises(RefusedError, match="400"):
        await client.search(ODD, "x", as_of="yesterday")
    with pytest.raises(RefusedError, match="regex"):
        await client.observation(ODD, "../../secret")
    with pytest.raises(RefusedError, match="404"):
        await client.stream("..")


async def test_tokens(rig, kind):
    secret = rig.token("read", streams=("other",))
    async with rig.served() as url:
        async with kind(url, secret) as bearer:
            assert (await bearer.who()).streams == ("other",)
            assert await bearer.streams() == ()
        async with kind(url) as nobody:
            with pytest.raises(RefusedError, match=r"401: .*client\.token_file"):
                await nobody.streams()


async def test_health(rig, client, kind):
    assert await client.alive()
    rig.health.report("store", None)
    rig.health.report("start", None)
    assert (await client.ready()).ready
    rig.health.report("store", "the disk is full")
    assert (await client.ready()).reasons == ("store: the disk is full",)
    assert "metrics 1" in await client.metrics()
    assert (await client.description())["openapi"].startswith("3.1")
    async with kind("http://127.0.0.1:1", patience=HASTE) as nobody:
        assert not await nobody.alive()
        with pytest.raises(TransientError, match="start the daemon"):
            await nobody.streams()


async def test_events_go_on_where_they_were_broken_off(rig, kind):
    coming = recording(5, 12, stream=ODD)[7:]
    async with rig.served() as url, kind(url, patience=HASTE, **no_sleep(kind)) as client:
        events = client.events(ODD, 5)
        versions = [(await anext(events)).version, (await anext(events)).version]
        for one in coming[:3]:
            rig.apply(ODD, one)
        versions += [(await anext(events)).version for _ in range(3)]
        await events.aclose()
        resumed = client.events(ODD, versions[-1])
        rig.apply(ODD, coming[3])
        versions.append((await anext(resumed)).version)
        await resumed.aclose()
    assert versions == [6, 7, 8, 9, 10, 11]


def no_sleep(kind):
    async def at_once(_):
        await asyncio.sleep(0)

    return {"sleep": (lambda _: None) if kind is Plain else at_once}


class Scripted:
    """A transport that gives prepared answers, and notes what was asked and how long was slept."""

    def __init__(self, kind, *answers):
        self.answers, self.requests, self.slept = list(answers), [], []
        self.transport = httpx.MockTransport(self._answer)
        self.client = kind("http://x", transport=self.transport, sleep=self._sleep(kind))

    def _sleep(self, kind):
        async def slept(seconds):
            self.slept.append(seconds)

        return self.slept.append if kind is Plain else slept

    def _answer(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def busy(status, **headers):
    return httpx.Response(status, headers=headers, content=b'{"title":"t","status":503,"detail":"later"}')


def good(value):
    return httpx.Response(200, json=value)


STREAMS = {"streams": []}


async def test_a_busy_daemon_is_asked_again_and_never_sooner_than_it_says(kind):
    script = Scripted(kind, busy(503), busy(429, **{"retry-after": "7"}), busy(503), good(STREAMS))
    assert await script.client.streams() == ()
    assert script.slept == [0.1, 7.0, 0.4]


async def test_patience_ends(kind):
    script = Scripted(kind, busy(429, **{"retry-after": "3600"}))
    with pytest.raises(TransientError, match="429: later"):
        await script.client.streams()
    assert script.slept == []


async def test_what_no_daemon_answers_is_said(kind):
    script = Scripted(
        kind, httpx.Response(200, content=b"<html>"), httpx.Response(404, content=b"<p>nginx"), httpx.Response(500)
    )
    with pytest.raises(FatalError, match="one version"):
        await script.client.streams()
    with pytest.raises(RefusedError, match="404: <p>nginx"):
        await script.client.streams()
    with pytest.raises(FatalError, match="500"):
        await script.client.streams()


def change(version, name="c"):
    clip = clip_records.ClipRecord(
        clip="c1",
        stream="s",
        name=name,
        start="",
        end="",
        known="",
        late=False,
        version=version,
        video=None,
        frame=None,
    )
    one = clip_records.ChangeRecord(
        stream="s", version=version, watermark="", clip=clip, observations=(), entities=(), new_entities=()
    )
    return b"id: %d\nevent: change\ndata: %b\n\n" % (version, msgspec.json.encode(one))


async def test_events_survive_breaks_and_odd_line_ends_in_what_was_recorded(kind):
    begin = b'retry: 5\nevent: snapshot\ndata: {"version":4,"watermark":null,"lag_s":null}\n\n'
    odd = "a\u2028b\x85c\x0bd"
    script = Scripted(
        kind,
        httpx.Response(200, content=begin),
        httpx.ConnectError("gone"),
        httpx.Response(200, content=begin + change(5, odd) + b": still here\n\n" + change(6)[:30]),
        busy(503),
        httpx.Response(200, content=begin + change(6)),
        httpx.Response(404),
    )
    events = script.client.events("s")
    first, second = await anext(events), await anext(events)
    assert (first.version, first.clip.name, second.version) == (5, odd, 6)
    with pytest.raises(RefusedError):
        await anext(events)
    assert [one.headers.get("last-event-id") for one in script.requests] == [None, "4", "4", "5", "5", "6"]
    assert script.slept[0] == 0.005


def test_both_clients_have_the_same_methods_and_a_method_for_every_route(tmp_path):
    def methods(kind):
        return {name: inspect.signature(one).parameters for name, one in vars(kind).items() if name[0] != "_"}

    plain, looping = methods(biographer.Client), methods(biographer.AsyncClient)
    assert {name: list(one) for name, one in plain.items()} == {name: list(one) for name, one in looping.items()}
    made = Rig(tmp_path)
    routes: set[str] = {one.name for one in made.api.endpoints if isinstance(one, Endpoint)}
    made.close()
    known = {
        "listStreams": "streams", "getStream": "stream", "listEntities": "entities", "getEntity": "biography",
        "getObservation": "observation", "listEpisodes": "episodes", "listClips": "clips", "getClip": "clip",
        "getGraph": "graph", "getCrop": "crop", "getFrame": "frame", "getVideo": "video", "search": "search",
        "ask": "ask", "followEvents": "events", "uploadClip": "upload", "whoAmI": "who",
        "nameEntity": "name", "mergeEntity": "merge", "splitEntity": "split", "setApart": "apart",
        "undoRuling": "undo", "listRulings": "rulings", "findRelations": "relations",
        "listChains": "chains",
    }  # fmt: skip
    browsers_only = {"signIn", "signOut"}
    assert routes - browsers_only == known.keys()
    assert set(known.values()) <= plain.keys()


def test_importing_the_package_stays_light():
    code = "import sys, biographer; print(sorted({'httpx', 'starlette', 'numpy', 'msgspec'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
    with pytest.raises(AttributeError):
        _ = biographer.NoSuchThing


@pytest.mark.parametrize("url", ["", "127.0.0.1:8640", "ftp://x", "http://", "http://u:p@x", "http://x/?a=b"])
def test_odd_addresses_are_refused(url):
    with pytest.raises(RefusedError):
        biographer.Client(url)
