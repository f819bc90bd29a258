"""A real daemon with a broker, fed as a device without Kafka feeds it, and a real browser that looks at its console."""

import asyncio
import contextlib
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

import httpx
import pytest
from api_rig import Rig
from daemon_doubles import NO_NETWORKS
from filmed_clips import ODD, filmed

from biographer.ops.broker import Broker
from biographer.ops.child import ChildDaemon
from biographer.ops.demo_place import DemoPlace
from biographer.streams.message import ClipMessage, encode

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE_S = 30.0
LOOKS = {"locale": "en-GB", "timezone_id": "Europe/Berlin", "viewport": {"width": 1200, "height": 800}}
"""How a page is looked at where a test says nothing else."""


def need_browser() -> None:
    """Skip where there is no browser; with CI_REQUIRE_BROWSER set, as continuous integration has it, fail."""
    if CHROMIUM is not None:
        return
    reason = "no chromium on PATH; on Debian: apt-get install chromium"
    if os.environ.get("CI_REQUIRE_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


@dataclass
class Seen:
    """What a page asked for, and what the browser reported of it."""

    address: str
    refused: str | None
    asked: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)

    def watch(self, page):
        for event, note in self._notes():
            page.on(event, note)

    def leave(self, page):
        for event, note in self._notes():
            page.remove_listener(event, note)

    def _notes(self):
        return (("console", self._said), ("pageerror", self._broke), ("request", self._sent))

    def _said(self, message):
        if message.type == "error":
            self.errors.append(message.text)

    def _broke(self, error):
        self.errors.append(str(error))

    def _sent(self, request):
        self.asked.add(request.url)


class Fed:
    """A daemon that is up, and what it is sent."""

    def __init__(self, address: str, check: Callable[[], None]) -> None:
        self.address, self._check = address, check
        self._client = httpx.Client(base_url=address, timeout=20)

    def send(self, message: ClipMessage) -> None:
        path = f"/v1/streams/{quote(message.stream, safe='')}/clips"
        headers = {"content-type": "application/msgpack"}
        answer = self._client.post(path, content=encode(message), headers=headers)
        assert answer.status_code == 202, answer.text

    def hold(self, stream: str, clips: int) -> None:
        """Wait until the stream has as many clips."""
        self._until(lambda: self._clips(stream) >= clips)

    def ready(self) -> None:
        self._until(lambda: self._status() == 200)

    def close(self) -> None:
        self._client.close()

    def _status(self) -> int:
        try:
            return self._client.get("/readyz").status_code
        except httpx.TransportError:
            return 0

    def _clips(self, stream: str) -> int:
        answer = self._client.get(f"/v1/streams/{quote(stream, safe='')}")
        return int(answer.json()["clips"]) if answer.status_code == 200 else 0

    def _until(self, met: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not met():
            self._check()
            assert time.monotonic() < end, "the daemon did not get there in time"
            time.sleep(0.05)


@pytest.fixture(scope="session")
def fed(embedded_broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fed]:
    """A daemon without networks: what it sees is what the device says."""
    need_browser()
    folder = tmp_path_factory.mktemp("console")
    environ = DemoPlace.beside(embedded_broker, folder, {**os.environ, **NO_NETWORKS}).environ
    own = {
        "BIOGRAPHER_STATE_TIMEZONE": "Europe/Berlin",
        "BIOGRAPHER_KAFKA_TOPIC": "console",
        "BIOGRAPHER_KAFKA_GROUP": "console",
    }
    with ChildDaemon({**environ, **own}, folder / "daemon.log") as child:
        made = Fed(child.address(), child.check)
        made.ready()
        yield made
        made.close()


@pytest.fixture(scope="session")
def filled(fed: Fed) -> Fed:
    """The daemon with a stream of a few clips."""
    for number in range(4):
        fed.send(filmed(ODD, number))
    fed.hold(ODD, 4)
    return fed


@pytest.fixture
def serving(tmp_path):
    """A rig, and the address where a loop of its own serves it."""
    rig, served, over = Rig(tmp_path), [], threading.Event()
    rig.health.report("start", None)
    ready = threading.Event()

    async def serve():
        loop, announce = asyncio.get_running_loop(), rig.api.commits.announce
        # Tests commit from their own thread, and those who wait for it are in the loop.
        rig.api.commits.announce = lambda stream: loop.call_soon_threadsafe(announce, stream)
        async with rig.served() as address:
            served.append(address)
            ready.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(20)
    try:
        yield rig, served[0]
    finally:
        over.set()
        thread.join(20)
        with contextlib.suppress(RuntimeError):
            rig.folder.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[object]:
    """A browser for a module of tests that are no coroutines: its driver runs an event loop in this very thread."""
    need_browser()
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is in the extra dev")
    with playwright.sync_playwright() as driver:
        # A container has neither the namespaces of the sandbox nor shared memory worth the name.
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def window(chromium):
    """The page that tests are led to one after another: a window for each took half of their time."""
    made = _window(chromium)
    yield made
    made.context.close()


def _window(chromium, **changed):
    made = chromium.new_context(**{**LOOKS, **changed})
    made.set_default_timeout(10_000)
    return made.new_page()


@pytest.fixture
def look(chromium, window) -> Iterator[Callable[..., object]]:
    """Return a function that opens a page; at the end no page may have met an error or asked another host.

    `prepare` is given the page before it is led to `path`. `refused` is part of what the browser may report: the
    refusal that a test provokes. A second page of a test, or one that is looked at otherwise, has a window of its own.
    """
    opened = []

    def open_page(address, path="", prepare=lambda _: None, refused=None, **changed):
        page = _window(chromium, **changed) if changed or opened else window
        seen = Seen(address, refused)
        opened.append((page, seen))
        seen.watch(page)
        prepare(page)
        page.goto(f"{address}/{path}")
        return page

    yield open_page
    for page, seen in opened:
        seen.leave(page)
        if page is window:
            _clear(page)
        else:
            page.context.close()
        assert [url for url in seen.asked if not url.startswith((f"{seen.address}/", "data:", "blob:"))] == []
        # A breach of the content-security policy is reported as an error too.
        assert [error for error in seen.errors if seen.refused is None or seen.refused not in error] == []


def _clear(page):
    """Leave nothing of a test to the next one."""
    page.unroute_all(behavior="ignoreErrors")
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.context.clear_cookies()
    page.goto("about:blank")
