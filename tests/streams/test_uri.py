import os
import threading
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from biographer.state.errors import BadClipError, TransientError
from biographer.streams.uri import Fetcher

CONTENT = b"a clip " * 1000
HASH = sha256(CONTENT).hexdigest()
LIMIT = 20_000


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "clips"
    folder.mkdir()
    (folder / "a b.mp4").write_bytes(CONTENT)
    (tmp_path / "secret.mp4").write_bytes(CONTENT)
    return folder


@pytest.fixture
def fetch(root):
    return Fetcher((root,), (), LIMIT).fetch


def test_a_file_below_a_root_is_fetched(root, fetch):
    assert fetch((root / "a b.mp4").as_uri(), HASH) == CONTENT
    assert fetch(f"file://localhost{root}/a%20b.mp4", HASH) == CONTENT


def test_a_root_may_itself_be_a_link(root, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(root)
    fetch = Fetcher((link,), (), LIMIT).fetch
    assert fetch((link / "a b.mp4").as_uri(), HASH) == fetch((root / "a b.mp4").as_uri(), HASH) == CONTENT


def test_nothing_leads_out_of_the_roots(root, fetch, tmp_path):
    (root / "link.mp4").symlink_to(tmp_path / "secret.mp4")
    (root / "up").symlink_to(tmp_path)
    (tmp_path / "clips2").mkdir()
    (tmp_path / "clips2" / "a.mp4").write_bytes(CONTENT)
    for path in ("link.mp4", "up/secret.mp4", "../secret.mp4", "%2e%2e/secret.mp4", "../clips2/a.mp4"):
        with pytest.raises(BadClipError, match="outside the configured folders"):
            fetch(f"file://{root}/{path}", HASH)
    for uri in (f"file://{tmp_path}/secret.mp4", "file:///etc/passwd", "file:///absent", "file://"):
        with pytest.raises(BadClipError, match="outside the configured folders"):
            fetch(uri, HASH)


def test_without_roots_no_file_is_read(root):
    with pytest.raises(BadClipError, match=r"no folder is configured; .* clips\.roots"):
        Fetcher((), (), LIMIT).fetch((root / "a b.mp4").as_uri(), HASH)


def test_a_missing_short_or_altered_file_is_the_clips_fault(root, fetch):
    """confluentinc/confluent-kafka-python#290."""
    with pytest.raises(BadClipError, match="missing"):
        fetch(f"file://{root}/absent.mp4", HASH)
    path = root / "a b.mp4"
    for content in (CONTENT[:-1], b"", CONTENT[:-1] + b"x"):
        path.write_bytes(content)
        with pytest.raises(BadClipError, match=f"has {len(content)} bytes of SHA-256 .*, promised was {HASH}"):
            fetch(path.as_uri(), HASH)


def test_what_is_no_plain_file_is_refused_without_waiting(root, fetch):
    os.mkfifo(root / "pipe")
    (root / "loop").symlink_to(root / "loop")
    for name in ("pipe", "loop", "", "a b.mp4/below", "a" * 300, "zero%00byte"):
        with pytest.raises(BadClipError):
            fetch(f"file://{root}/{name}", HASH)


def test_the_limit_holds_to_the_byte(root):
    uri = (root / "a b.mp4").as_uri()
    assert Fetcher((root,), (), len(CONTENT)).fetch(uri, HASH) == CONTENT
    with pytest.raises(BadClipError, match=f"over the limit of {len(CONTENT) - 1} bytes"):
        Fetcher((root,), (), len(CONTENT) - 1).fetch(uri, HASH)


def test_an_absent_root_is_for_the_operator_to_mount_not_the_clips_fault(tmp_path):
    with pytest.raises(TransientError, match="mount it"):
        Fetcher((tmp_path / "unmounted",), (), LIMIT).fetch(f"file://{tmp_path}/unmounted/a.mp4", HASH)


@pytest.mark.parametrize(
    "uri", ["", "clip.mp4", "/srv/a.mp4", "ftp://h/a", "data:,x", "http://[::1/a", "http://h:99999/a", "concat:a|b"]
)
def test_other_addresses_are_refused(fetch, uri):
    with pytest.raises(BadClipError, match="uri"):
        fetch(uri, HASH)


class _Site(BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.strip("/")
        self.server.asked.append(path)
        if path.isdecimal():
            self.send_response(int(path))
        elif path.startswith("to/"):
            self.send_response(302)
            self.send_header("Location", path[3:] if "://" in path else f"/{path[3:]}")
        else:
            self.send_response(200)
            if path != "unsized":
                self.send_header("Content-Length", str({"short": 2, "huge": 10**9}.get(path, 1) * len(CONTENT)))
        self.end_headers()
        if path in {"clip", "unsized", "short"}:
            self.wfile.write(CONTENT)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site():
    with ThreadingHTTPServer(("127.0.0.1", 0), _Site) as server:
        server.asked = []
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def get(site):
    host = f"127.0.0.1:{site.server_port}"
    fetcher = Fetcher((), (host,), LIMIT, timeout_s=5)
    return lambda path, host=host: fetcher.fetch(f"http://{host}/{path}", HASH)


def test_a_file_on_a_configured_host_is_fetched(get, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert get("clip") == get("unsized") == get("to/clip") == CONTENT


@pytest.mark.parametrize("status", [400, 403, 404, 410])
def test_an_absent_file_is_the_clips_fault(get, status):
    """confluentinc/confluent-kafka-python#290."""
    with pytest.raises(BadClipError, match=f"answers {status}"):
        get(status)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_failing_host_is_tried_again(get, status):
    with pytest.raises(TransientError, match=f"answers {status}"):
        get(status)


def test_a_body_that_breaks_off_is_tried_again(get):
    with pytest.raises(TransientError, match=f"broke off after {len(CONTENT)} of {2 * len(CONTENT)} bytes"):
        get("short")


def test_a_body_over_the_limit_is_refused_whether_or_not_it_says_so(get, site):
    with pytest.raises(BadClipError, match="over the limit"):
        get("huge")
    host = f"127.0.0.1:{site.server_port}"
    with pytest.raises(BadClipError, match="over the limit"):
        Fetcher((), (host,), len(CONTENT) - 1).fetch(f"http://{host}/unsized", HASH)


def test_no_redirection_leads_to_another_host(get, site):
    elsewhere = f"http://localhost:{site.server_port}/clip"
    with pytest.raises(BadClipError, match="redirects to"):
        get(f"to/{elsewhere}")
    for scheme in ("file:///etc/passwd", "ftp://127.0.0.1/a"):
        with pytest.raises((BadClipError, TransientError)):
            get(f"to/{scheme}")
    with pytest.raises(BadClipError, match="answers 302"):
        Fetcher((), (f"127.0.0.1:{site.server_port}",), LIMIT).fetch(f"http://127.0.0.1:{site.server_port}/302", HASH)


def test_other_hosts_ports_and_users_are_never_asked(get, site):
    site.asked.clear()
    port = site.server_port
    for host in (f"localhost:{port}", f"127.0.0.1.:{port}", f"user@127.0.0.1:{port}", "127.0.0.1", "127.0.0.1:1"):
        with pytest.raises(BadClipError, match="not on a configured host"):
            get("clip", host=host)
    assert site.asked == []


def test_a_host_without_port_means_the_schemes_own():
    fetcher = Fetcher((), ("clips.invalid",), LIMIT)
    for uri in ("http://clips.invalid:8080/a", "https://clips.invalid:80/a", "http://clips.invalid:443/a"):
        with pytest.raises(BadClipError, match="not on a configured host"):
            fetcher.fetch(uri, HASH)


def test_a_closed_port_is_tried_again():
    with ThreadingHTTPServer(("127.0.0.1", 0), _Site) as closed:
        port = closed.server_port
    with pytest.raises(TransientError, match="cannot be reached"):
        Fetcher((), (f"127.0.0.1:{port}",), LIMIT).fetch(f"http://127.0.0.1:{port}/clip", HASH)


def test_a_transfer_has_a_time_limit(site):
    host = f"127.0.0.1:{site.server_port}"
    ticks = iter((0.0, 200.0))
    with pytest.raises(TransientError, match="too slowly"):
        Fetcher((), (host,), LIMIT, clock=lambda: next(ticks)).fetch(f"http://{host}/clip", HASH)
