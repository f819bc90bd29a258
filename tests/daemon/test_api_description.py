"""The API's description: what it says holds of every route, the page made of it is current, and nothing breaks it."""

import json
import logging
from pathlib import Path

import msgspec
import pytest
import schemathesis
from api_rig import ODD, Rig, fill, filmed
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

from biographer.daemon.api_reference import api_page, api_reference, meaning
from biographer.daemon.endpoint import Nothing
from biographer.daemon.openapi import describe
from biographer.streams.sink import Sent

ROOT = Path(__file__).resolve().parents[2]

EXCLUDED = [
    ignored_auth,  # our token goes before the one that it makes up
    positive_data_acceptance,  # no schema says that a cursor is one of ours, or that a year is after 1970
]


class Topic:
    async def send(self, _key, _value):
        return Sent(0, 0)


@pytest.fixture
def rig(tmp_path):
    made = Rig(tmp_path)
    fill(made, "s")
    yield made
    made.close()


def test_the_page_is_current(rig):
    assert (ROOT / "API.md").read_text("utf-8") == api_page(), "run: make settings"
    assert api_page() == api_reference(rig.api.endpoints)


def test_the_page_names_the_values_of_a_kind_and_tells_what_a_field_means_that_may_be_null(rig):
    page = api_reference(rig.api.endpoints)
    assert "One of `interacts_with` or `mentions` or `talks_to` or `uses`.\n" in page
    assert "| `speaker` | string or null | Only where this speaker is heard. |\n" in page
    assert "|---|---|---|\n\n" not in page


def test_every_parameter_says_what_it_means(rig):
    for endpoint in rig.api.endpoints:
        assert endpoint.summary.endswith("."), endpoint.name
        fields = {field.encode_name for field in msgspec.structs.fields(endpoint.params)}
        assert set(endpoint.in_path) <= fields, endpoint.name
        assert (endpoint.body is Nothing) == (endpoint.body_max == 0)


def test_every_field_of_requests_answers_and_events_says_what_it_means(rig):
    described = describe(rig.api.endpoints, "")
    fields = {
        f"{name}.{field}": meaning(one)
        for name, schema in described["components"]["schemas"].items()
        for field, one in schema.get("properties", {}).items()
    }
    operations = [(path, one) for path, methods in described["paths"].items() for one in methods.values()]
    fields |= {f"{path} {one['name']}": one["description"] for path, each in operations for one in each["parameters"]}
    assert len(fields) > 300
    assert {name: told for name, told in fields.items() if len(told) < 8 or not told.endswith(".")} == {}
    # Only how a time is written says nothing of what it is the time of.
    assert [name for name, told in fields.items() if told == "RFC 3339 with an offset."] == []
    undescribed = [name for name, schema in described["components"]["schemas"].items() if not schema.get("description")]
    assert undescribed == []


def test_events_are_described_and_on_the_page(rig):
    described = describe(rig.api.endpoints, "")
    told = {
        name: each["$ref"].rpartition("/")[2]
        for methods in described["paths"].values()
        for one in methods.values()
        for name, each in one.get("x-events", {}).items()
    }
    assert told["change"] == "ChangeRecord"
    assert told["answer"] == "AskResult"
    assert set(told.values()) <= described["components"]["schemas"].keys()
    assert "`judged` [JudgedEvent](#judgedevent)" in api_reference(rig.api.endpoints)


async def test_every_read_takes_as_of_and_names_its_snapshot(rig):
    live = {"followEvents", "uploadClip", "signIn", "whoAmI", "signOut"}
    for endpoint in rig.api.endpoints:
        if endpoint.name in live or endpoint.role == "write":
            continue
        asked = (*msgspec.structs.fields(endpoint.params), *msgspec.structs.fields(endpoint.body))
        assert "as_of" in {field.encode_name for field in asked}, endpoint.name
        if endpoint.result is not None and endpoint.name != "listStreams":
            assert "snapshot" in {field.name for field in msgspec.structs.fields(endpoint.result)}, endpoint.name


async def test_the_description_is_served_and_whole(rig):
    async with rig.client() as client:
        described = (await client.get("/openapi.json")).json()
    assert described["openapi"] == "3.1.0"
    text = json.dumps(described)
    for name in {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}:
        assert name in described["components"]["schemas"]


@pytest.mark.slow
def test_no_request_of_the_description_breaks_it(tmp_path):
    """Property-based: whatever fits the description, or just not, is answered, and never by a fault of ours."""
    rig = Rig(tmp_path, hosts=("testserver",))
    fill(rig, "s")
    rig.apply(ODD, filmed(ODD, 0, 5.0))
    rig.api.uploads.connect(Topic())
    bearing = {"authorization": f"Bearer {rig.token('admin')}"}
    logging.getLogger("schemathesis").setLevel(logging.ERROR)
    schema = schemathesis.openapi.from_asgi("/openapi.json", rig.app)
    names = {
        "stream": st.sampled_from(["s", ODD, "none"]), "entity": st.sampled_from(["e0", "e1", "e77"]),
        "observation": st.sampled_from(["o0", "o3"]), "clip": st.sampled_from(["c0", "c12"]),
        "node": st.sampled_from(["e0", "o1", "c12", "l12", "w0"]),
    }  # fmt: skip
    statuses = set()
    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.path.endswith("/events"):
            continue  # what lasts is tested over a socket

        @settings(
            max_examples=60, deadline=None, derandomize=True, database=None,
            suppress_health_check=list(HealthCheck), phases=[Phase.generate],
        )  # fmt: skip
        @given(case=operation.as_strategy(), data=st.data())
        def holds(case, data):
            for name in case.path_parameters or {}:
                if name in names and data.draw(st.booleans()):
                    case.path_parameters[name] = data.draw(names[name])
            answer = case.call(headers=bearing)
            statuses.add(answer.status_code)
            assert answer.status_code < 500, case.as_curl_command()
            if answer.status_code >= 400:
                assert answer.json()["status"] == answer.status_code
            case.validate_response(answer, excluded_checks=EXCLUDED)

        holds()
    rig.close()
    assert {200, 400, 404} <= statuses
