"""The console's files as they are served, without a browser: whole, of the right types, and asking nobody else."""

import re

import pytest
from api_rig import Rig

from biographer.daemon.api import CONSOLE

TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
FILES = sorted(str(path.relative_to(CONSOLE)) for path in CONSOLE.rglob("*") if path.suffix in TYPES)
IMPORT = re.compile(r'from "(\.[^"]+)"')


@pytest.fixture
def rig(tmp_path):
    made = Rig(tmp_path)
    yield made
    made.close()


async def test_files_are_served_under_the_policy_and_asked_for_anew_each_time(rig):
    async with rig.client() as client:
        for name in ["", *FILES]:
            answer = await client.get(f"/{name}")
            assert answer.status_code == 200, name
            kind = answer.headers["content-type"].partition(";")[0].replace("application/javascript", "text/javascript")
            assert kind == TYPES.get(f".{name.rpartition('.')[2]}", "text/html")
            assert answer.headers["cache-control"] == "no-cache"
            assert "script-src 'self'; style-src 'self'" in answer.headers["content-security-policy"]
        again = await client.get("/main.js", headers={"if-none-match": (await client.get("/main.js")).headers["etag"]})
        assert again.status_code == 304


@pytest.mark.parametrize("path", ["/../guard.py", "/..%2fguard.py", "/views/..%2f..%2fapi.py", "/%2e%2e/api.py"])
async def test_nothing_beside_the_console_is_served(rig, path):
    async with rig.client() as client:
        assert (await client.get(path)).status_code == 404


def test_every_module_that_is_named_is_there():
    for name in FILES:
        file = CONSOLE / name
        for named in IMPORT.findall(file.read_text()):
            assert (file.parent / named).is_file(), f"{name} imports {named}"
    page = (CONSOLE / "index.html").read_text()
    for named in re.findall(r'(?:href|src)="([^"#]+)"', page):
        if named != "#/":
            assert (CONSOLE / named).is_file(), named


def test_no_file_names_another_host_or_holds_what_the_policy_forbids():
    for name in FILES:
        text = (CONSOLE / name).read_text().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//[a-z]+\.[a-z]", text), name
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), (
            name
        )
    page = (CONSOLE / "index.html").read_text()
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page)
