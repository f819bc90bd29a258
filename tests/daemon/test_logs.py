"""Logs: text of a recording stays a value, whatever is in it."""

import asyncio
import io
import json
import logging

import pytest
import structlog

from biographer.daemon.logs import configure_logs
from biographer.daemon.sections import Log

HOSTILE = "\x1b[2J%s{0}\n2026 [info] forged"


@pytest.fixture(autouse=True)
def _own_logs():
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


def test_json_is_one_object_a_line_with_the_names_that_are_bound():
    out = io.StringIO()
    log = configure_logs(Log(format="json"), out)
    log.bind(stream=HOSTILE).info("clip set aside", clip="c")
    logging.getLogger("elsewhere").warning("a library's %s", "word")
    ours, theirs = map(json.loads, out.getvalue().splitlines())
    assert (ours["event"], ours["stream"], ours["clip"], ours["level"]) == ("clip set aside", HOSTILE, "c", "info")
    assert theirs["event"] == "a library's word"


def test_the_console_shows_control_characters_and_does_not_obey_them():
    out = io.StringIO()
    configure_logs(Log(), out).warning("clip set aside", stream=HOSTILE)
    assert len(out.getvalue().splitlines()) == 1
    assert "\x1b" not in out.getvalue()


def test_what_is_below_the_level_is_not_written():
    out = io.StringIO()
    log = configure_logs(Log(level="warning"), out)
    log.info("quiet")
    logging.getLogger("aiokafka").error("Unable connect to node")
    log.warning("loud")
    assert [line.split("]")[1].split()[0] for line in out.getvalue().splitlines()] == ["loud"]


def test_requests_to_models_are_not_a_line_each():
    out = io.StringIO()
    configure_logs(Log(), out)
    logging.getLogger("httpx").info("HTTP Request: POST http://127.0.0.1:8000/v1/embeddings")
    assert out.getvalue() == ""


def test_a_failure_comes_with_its_traceback():
    out = io.StringIO()
    log = configure_logs(Log(format="json"), out)
    try:
        int(HOSTILE)
    except ValueError:
        log.exception("unexpected failure")
    assert json.loads(out.getvalue())["exception"][0]["exc_type"] == "ValueError"


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_traceback_shows_no_locals_and_obeys_nothing(form):
    """A breaker's find: locals took a second to show, and would have shown keys."""
    out, key = io.StringIO(), "key-" + 3 * "x"
    log = configure_logs(Log(format=form), out)
    try:
        raise ValueError(HOSTILE) if key else None
    except ValueError:
        log.exception("unexpected failure")
    told = out.getvalue()
    assert "ValueError" in told
    assert "key-xxx" not in told
    assert "\x1b" not in told
    assert not any(line.startswith("2026 [info]") for line in told.splitlines())


def test_an_answer_that_is_cancelled_at_the_end_is_no_failure():
    out = io.StringIO()
    configure_logs(Log(), out)
    for error in (asyncio.CancelledError(), KeyError("cup")):
        logging.getLogger("uvicorn.error").error("Exception in ASGI application", exc_info=error)
    assert out.getvalue().count("Exception in ASGI application") == 1
