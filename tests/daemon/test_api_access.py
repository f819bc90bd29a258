"""Access: deny by default, isolation of streams on every route there is, names and origins, sessions."""

import itertools
import re
from urllib.parse import quote

import pytest
from api_rig import HERE, ODD, SPOKEN, Rig, fill, filmed

from biographer.daemon.http import address


@pytest.fixture
def rig(tmp_path):
    made = Rig(tmp_path)
    fill(made, ODD)
    made.apply("b", filmed("b", 0, 2000.0))
    yield made
    made.close()


def concrete(rig, stream):
    """Every method and path of the description, with names that stream holds."""
    names = {
        "stream": quote(stream, safe=""), "entity": "e0", "observation": "o0", "clip": "c12", "node": "e0", "n": "0",
        "ruling": "r0",
    }  # fmt: skip
    for endpoint in rig.api.endpoints:
        yield endpoint, re.sub(r"{(\w+)}", lambda match: names[match[1]], endpoint.path)


async def test_without_tokens_only_this_machine_is_served(rig):
    async with rig.client() as here, rig.client(address="10.0.0.7") as there:
        assert (await here.get("/v1/streams")).status_code == 200
        for endpoint, path in concrete(rig, ODD):
            if endpoint.name not in ("signIn", "signOut"):
                assert (await there.request(endpoint.method, path)).status_code == 401, path
        assert (await there.get("/metrics")).status_code == 401
        forwarded = await here.get("/v1/streams", headers={"x-forwarded-for": "10.0.0.7"})
        assert forwarded.status_code == 401


async def test_with_tokens_everything_is_denied_that_bears_none(rig):
    rig.token("read")
    async with rig.client() as client:
        for endpoint, path in concrete(rig, ODD):
            if endpoint.name not in ("signIn", "signOut"):
                answer = await client.request(endpoint.method, path)
                assert answer.status_code == 401, path
                assert answer.headers["www-authenticate"].startswith("Bearer")


async def test_a_token_for_b_learns_nothing_of_a(rig):
    """Issue 3: no endpoint gives stream A's anything to a token for B; A is to it a stream that does not exist."""
    token = rig.token("read", "write", streams=("b",))
    words = (ODD, quote(ODD, safe=""), SPOKEN + " of " + ODD)
    async with rig.client(token) as client:
        tried = 0
        for endpoint, path in concrete(rig, ODD):
            answer = await client.request(endpoint.method, path, headers={"content-type": "video/mp4"})
            if "{stream}" not in endpoint.path:
                assert not any(word in answer.text for word in words), path
                continue
            tried += 1
            absent = path.replace(quote(ODD, safe=""), "nobody")
            other = await client.request(endpoint.method, absent, headers={"content-type": "video/mp4"})
            assert answer.status_code == other.status_code == 404, path
            expected = other.json() | {"detail": other.json()["detail"].replace("nobody", ODD)}
            assert answer.json() == expected, path
        assert tried >= 12
        assert [one["stream"] for one in (await client.get("/v1/streams")).json()["streams"]] == ["b"]
        assert (await client.get("/v1/streams/b")).status_code == 200


async def test_roles(rig):
    reader, writer, admin = rig.token("read"), rig.token("write"), rig.token("admin")
    upload = "/v1/streams/b/clips"
    kind = {"content-type": "application/json"}
    async with rig.client(reader) as client:
        assert (await client.post(upload, content=b"{}", headers=kind)).status_code == 403
        assert (await client.get("/metrics", headers={"x-forwarded-for": "1.1.1.1"})).status_code == 403
    async with rig.client(writer) as client:
        assert (await client.get("/v1/streams")).status_code == 403
        assert (await client.post(upload, content=b"{}", headers=kind)).status_code == 503
    async with rig.client(admin, address="10.0.0.7") as client:
        assert (await client.get("/v1/streams")).status_code == 200
        assert (await client.get("/metrics")).text == "metrics 1\n"


async def test_a_revoked_or_ended_token_opens_nothing_from_then_on(rig):
    token = rig.token("read")
    async with rig.client(token) as client:
        assert (await client.get("/v1/streams")).status_code == 200
        rig.token("read", name="another")
        rig.book.revoke(rig.book.tokens()[0].id)
        assert (await client.get("/v1/streams")).status_code == 401


async def test_a_damaged_book_lets_nobody_in(rig, tmp_path):
    (tmp_path / "access.json").write_text("{")
    async with rig.client() as client:
        answer = await client.get("/v1/streams")
        assert answer.status_code == 500
        assert str(tmp_path) not in answer.text
        assert (await client.get("/healthz")).status_code == 200


async def test_failures_are_slowed_and_only_those(rig):
    good = rig.token("read")
    async with rig.client("bio_wrong", address="10.0.0.7") as bad, rig.client(good, address="10.0.0.7") as client:
        statuses = [(await bad.get("/v1/streams")).status_code for _ in range(21)]
        assert statuses == [401] * 20 + [429]
        last = await bad.get("/v1/streams")
        assert int(last.headers["retry-after"]) == 61
        assert (await bad.post("/v1/session", json={"token": "bio_guess"})).status_code == 429
        assert (await client.get("/v1/streams")).status_code == 200
        rig.clock.seconds += 61
        assert (await bad.get("/v1/streams")).status_code == 401


async def test_signing_in_exchanges_the_token_for_a_cookie_that_scripts_cannot_see(rig):
    token = rig.token("read", streams=("b",))
    async with rig.client(origin=HERE) as page:
        answer = await page.post("/v1/session", json={"token": token})
        cookie = answer.headers["set-cookie"]
        assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/"))
        assert "Secure" not in cookie
        assert token not in cookie
        assert (await page.get("/v1/streams/b")).status_code == 200
        assert (await page.get("/v1/session")).json() == {"name": "t", "roles": ["read"], "streams": ["b"]}
        assert (await page.get(f"/v1/streams/{quote(ODD, safe='')}")).status_code == 404
        assert (await page.delete("/v1/session")).status_code == 204
        assert (await page.get("/v1/streams/b")).status_code == 401
    async with rig.client(origin="https://127.0.0.1:8640") as page:
        assert "Secure" in (await page.post("/v1/session", json={"token": token})).headers["set-cookie"]


async def test_sessions_end_with_time_and_with_their_token(rig):
    rig.token("read", name="kept")
    token = rig.token("read")
    async with rig.client(origin=HERE) as page:
        await page.post("/v1/session", json={"token": token})
        rig.clock.seconds += 12 * 3600 - 1
        assert (await page.get("/v1/streams")).status_code == 200
        rig.clock.seconds += 1
        assert (await page.get("/v1/streams")).status_code == 401
        page.cookies.clear()
        await page.post("/v1/session", json={"token": token})
        rig.book.revoke(rig.book.tokens()[1].id)
        assert (await page.get("/v1/streams")).status_code == 401


async def test_sessions_are_bounded(rig):
    cookies = [rig.gate.sessions.begin("t") for _ in range(1_001)]
    assert rig.gate.sessions.token(cookies[0]) is None
    assert rig.gate.sessions.token(cookies[1]) == "t"


async def test_a_token_in_a_url_is_not_taken(rig):
    token = rig.token("read")
    async with rig.client() as client:
        for name in ("token", "access_token"):
            assert (await client.get("/v1/streams", params={name: token})).status_code == 401
        assert (await client.post(f"/v1/session?token={token}", json={"token": token})).status_code == 400


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "localhost.evil.example:8640"}, 421),
        ({"host": ""}, 421),
        ({"host": "127.0.0.1@evil.example"}, 421),
        ({"host": "localhost:8640"}, 200),
        ({"host": "[::1]:8640"}, 200),
        ({"host": "memory.example"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:3000"}, 403),
        ({"origin": HERE}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
    ],
)
async def test_names_and_pages_that_are_not_ours_are_refused_on_loopback_too(tmp_path, headers, status):
    rig = Rig(tmp_path, hosts=("Memory.example",))
    async with rig.client() as client:
        answer = await client.get("/v1/streams", headers=headers)
    rig.close()
    assert answer.status_code == status, answer.text


async def test_a_borrowed_name_hears_no_reasons(rig):
    rig.health.report("store", "disk full")
    async with rig.client() as here, rig.client(address="10.0.0.7") as there:
        assert "store: disk full" in (await here.get("/readyz")).json()["reasons"]
        assert (await there.get("/readyz")).json() == {"ready": False}
        assert (await here.get("/readyz", headers={"host": "evil.example"})).json() == {"ready": False}
        assert (await there.get("/healthz", headers={"host": "10.1.1.1:1"})).status_code == 200


async def test_a_cookie_alone_changes_nothing(rig):
    token = rig.token("write")
    async with rig.client(origin=HERE) as page:
        await page.post("/v1/session", json={"token": token})
        cookies = dict(page.cookies)
    async with rig.client() as forged:
        forged.cookies.update(cookies)
        answer = await forged.post("/v1/streams/b/clips", content=b"x", headers={"content-type": "video/mp4"})
        assert answer.status_code == 403
        answer = await forged.post(
            "/v1/streams/b/clips", content=b"x", headers={"content-type": "video/mp4", "sec-fetch-site": "same-origin"}
        )
        assert answer.status_code == 503


async def test_every_answer_bears_the_guarding_headers(rig):
    async with rig.client() as client:
        for path in ("/", "/healthz", "/v1/streams", "/v1/none", "/openapi.json"):
            for headers in ({}, {"host": "evil.example"}):
                answer = await client.get(path, headers=headers)
                assert answer.headers["content-security-policy"].startswith("default-src 'none'"), path
                assert answer.headers["x-content-type-options"] == "nosniff"
                assert answer.headers["referrer-policy"] == "no-referrer"
                assert "server" not in answer.headers


@pytest.mark.parametrize(
    "name",
    ["..", "../b", "..%2f..%2faccess.json", "b/../b", "%00", "b%00", "/etc/passwd", "b-3e23e8160039594a", "\\.."],
)
async def test_names_do_not_lead_out_of_the_folder(rig, name):
    """Whatever a name holds, it is looked up by its hash; there is no such stream."""
    async with rig.client() as client:
        for after in ("", "/entities", "/clips/c0/video", "/observations/o0/crop/0"):
            answer = await client.get(f"/v1/streams/{quote(name, safe='')}{after}")
            assert answer.status_code in (400, 404), (name, after)
            assert "access" not in answer.text or "access" in name


async def test_bodies_are_bounded(rig):
    async def endless():
        for _ in itertools.count():
            yield b" " * 65_536

    async with rig.client() as client:
        assert (await client.post("/v1/session", content=b" " * 5000)).status_code == 413
        assert (await client.post("/v1/session", content=endless())).status_code == 413
        deep = b'{"token":' + b"[" * 2000
        kind = {"content-type": "application/json"}
        assert (await client.post("/v1/session", content=deep, headers=kind)).status_code == 400
        assert (await client.post("/v1/session", content=b"token=x")).status_code == 415


def test_where_to_listen():
    assert address("0.0.0.0", guarded=False) == "127.0.0.1"
    assert address("0.0.0.0", guarded=True) == "0.0.0.0"
    assert address("::1", guarded=False) == "::1"
    assert address("localhost", guarded=False) == "localhost"


async def test_the_console_is_served_at_the_root_and_nothing_beside_it(rig, tmp_path):
    folder = tmp_path / "console"
    folder.mkdir()
    (folder / "index.html").write_text("<title>Biographer</title>")
    rig.token("read")
    rig.app = rig.api.application(folder)
    async with rig.client(address="10.0.0.7") as client:
        page = await client.get("/", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"})
        assert page.text == "<title>Biographer</title>"
        assert page.headers["content-type"].startswith("text/html")
        for path in ("/../access.json", "/%2e%2e/access.json", "/..%2faccess.json", "//etc/passwd", "/nothing.js"):
            answer = await client.get(path)
            assert answer.status_code == 404, path
            assert answer.headers["content-type"] == "application/problem+json"
