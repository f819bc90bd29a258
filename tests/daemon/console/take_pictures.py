"""The README's pictures of the console, taken of a daemon that is up: `python take_pictures.py ADDRESS STREAM FOLDER`.

STREAM is to hold the demo's recording; a second stream, if named behind FOLDER, is shown live and as a wall. The daemon
is to have a language model, for the picture of an answer.
"""

import sys
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, sync_playwright

from biographer.ops.demo import QUESTION

WIDE = {"width": 1280, "height": 860}
TALL = {"width": 1280, "height": 1240}
PHONE = {"width": 390, "height": 844}
SETTLED_MS = 2_500
"""Until pictures have come and what arrives has arrived."""

ANSWERED_MS = 120_000


def take(browser: Browser, address: str, folder: Path, name: str, *, dark: bool = False, phone: bool = False) -> None:
    """Take one picture of a place in the console."""
    context = browser.new_context(
        viewport=PHONE if phone else TALL if name == "live" else WIDE,
        color_scheme="dark" if dark else "light",
        locale="en-GB",
        is_mobile=phone,
    )
    page = context.new_page()
    page.goto(address)
    if name == "ask":
        page.locator("button:visible", has_text="Ask").click()
        page.locator(".answer .words").wait_for(timeout=ANSWERED_MS)
    page.wait_for_timeout(SETTLED_MS)
    page.screenshot(path=folder / f"console-{name}.jpg", type="jpeg", quality=84)
    context.close()


def main(address: str, stream: str, folder: str, second: str | None = None) -> None:
    """Take all of them."""
    demo, other = (f"{address}/#/s/{quote(one, safe='')}" for one in (stream, second or stream))
    views = {
        "live": f"{other}/live",
        "entities": f"{other}/entities",
        "biography": f"{demo}/entity/e0",
        "search": f"{demo}/search?q=cup",
        "graph": f"{demo}/graph/e0",
        "ask": f"{demo}/ask?q={quote(QUESTION)}",
        "frame": f"{demo}/entity/e4?clip=c4&of=o6",
    }
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for name, there in views.items():
            take(browser, there, Path(folder), name)
        take(browser, f"{demo}/search?q=cup", Path(folder), "dark", dark=True)
        take(browser, f"{other}/live", Path(folder), "phone", phone=True)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
