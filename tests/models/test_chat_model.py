"""A chat model against the language server: words, pictures, forms, and servers that take no schema."""

import json
from typing import Annotated, Literal

import msgspec
import pytest
from language_rig import language

from biographer.bench.language_server import LanguageServer, Play
from biographer.bench.smallest import smallest
from biographer.daemon.judge import Judgement
from biographer.models.casting import CastForm, ProfilesForm
from biographer.models.chaining import ChainsForm
from biographer.models.chat import ChatRequest, Picture, Turn
from biographer.models.chat_model import ATTEMPTS, ChatModel, Filled, Unusable
from biographer.models.extracting import FactsForm
from biographer.models.form import Form, read_fitting_rows, read_form, schema_of
from biographer.models.prompt import Prompt
from biographer.models.relating import RelationsForm
from biographer.models.spending import Spending
from biographer.state.authorship import Authorship
from biographer.state.errors import RefusedError, TransientError


class Inner(Form, frozen=True):
    colour: Literal["red", "blue"]


class Outer(Form, frozen=True):
    name: Annotated[str, msgspec.Meta(max_length=10)]
    parts: list[Inner]
    note: str | None


PROMPT = Prompt("try", "Be brief.")
REQUEST = ChatRequest(PROMPT, (Turn("user", ("hello",)),))
GOOD = '{"name": "cup", "parts": [{"colour": "blue"}], "note": null}'
CUP = Outer("cup", [Inner("blue")], None)


async def test_a_form_comes_back_with_author_and_cost():
    async with language() as (server, client, _):
        model = ChatModel(client, "small", {"chat_template_kwargs": {"enable_thinking": False}})
        server.play(Play(GOOD))
        filled = await model.fill(REQUEST, Outer)
        assert filled.form == CUP
        assert filled.author == Authorship("small", PROMPT.mark)
        assert filled.spent == model.spent == Spending(1, 3, len(GOOD) // 4)
        assert server.asked[0].body["messages"][0] == {"role": "system", "content": "Be brief."}
        assert server.asked[0].body["chat_template_kwargs"] == {"enable_thinking": False}


async def test_pictures_are_sent_as_data():
    async with language() as (server, client, _):
        await ChatModel(client, "small").fill(ChatRequest(PROMPT, (Turn("user", ("see", Picture(b"JPEG"))),)), Outer)
        parts = server.asked[0].body["messages"][1]["content"]
        assert parts[0] == {"type": "text", "text": "see"}
        assert parts[1]["image_url"]["url"] == "data:image/jpeg;base64,SlBFRw=="


async def test_a_form_is_filled_in_by_its_schema():
    async with language() as (server, client, _):
        server.play(Play(GOOD))
        filled = await ChatModel(client, "small").fill(REQUEST, Outer)
        assert filled.form == CUP
        assert server.asked[0].body["response_format"]["json_schema"]["schema"] == schema_of(Outer)
        assert "$ref" not in json.dumps(schema_of(Outer))
        assert isinstance(await ChatModel(client, "small").fill(REQUEST, Outer), Filled)


async def test_an_answer_that_does_not_fit_is_asked_for_again_with_the_reason():
    async with language() as (server, client, _):
        server.play(Play("not at all"), Play(GOOD.replace("blue", "green")), Play(GOOD))
        filled = await ChatModel(client, "small").fill(REQUEST, Outer)
        assert isinstance(filled, Filled)
        assert filled.spent.requests == 3
        assert "Invalid enum value 'green'" in server.asked[2].text


async def test_of_the_last_answer_the_rows_that_fit_serve():
    """A small model names one thing wrongly in every answer: that is not to cost all that it says."""
    marred = GOOD.replace('{"colour": "blue"}', '{"colour": "green"}, {"colour": "blue"}, 7, {"colour": "red", "x": 1}')
    async with language() as (server, client, _):
        server.play(*[Play(marred)] * ATTEMPTS)
        filled = await ChatModel(client, "small").fill(REQUEST, Outer)
        assert isinstance(filled, Filled)
        assert filled.form == CUP
        assert filled.spent.requests == ATTEMPTS


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (GOOD.replace("blue", "green"), "green"),
        (GOOD.replace("cup", "a name that is too long"), "length <= 10"),
        (GOOD.replace('[{"colour": "blue"}]', '"blue"'), "parts"),
        ("[1, 2]", "object"),
    ],
)
def test_where_no_row_fits_or_something_else_does_not_nothing_does(answer, fault):
    with pytest.raises(msgspec.ValidationError, match=fault):
        read_fitting_rows(answer, Outer)


def test_a_list_without_rows_is_one():
    assert read_fitting_rows(GOOD.replace('{"colour": "blue"}', ""), Outer) == Outer("cup", [], None)


@pytest.mark.parametrize("form", [CastForm, ChainsForm, FactsForm, ProfilesForm, RelationsForm, Judgement])
def test_every_form_with_rows_is_read_by_row(form):
    rows = {
        name: [7, smallest(part["items"])] for name, part in schema_of(form)["properties"].items() if "items" in part
    }
    assert rows
    found = read_fitting_rows(json.dumps({**smallest(schema_of(form)), **rows}), form)
    assert all(len(getattr(found, name)) == 1 for name in rows)


@pytest.mark.parametrize(
    ("plays", "reason"),
    [
        ([Play('{"name": "a name that is too long"}')] * ATTEMPTS, "fits Outer"),
        ([Play('{"name": "cu', finish="length")] * ATTEMPTS, "cut after"),
        ([Play("[" * 100_000)] * ATTEMPTS, "fits Outer"),
        ([Play(refusal="I would rather not")], "rather not"),
        ([Play(status=400, text="too many pictures")] * 2, "too many pictures"),
    ],
)
async def test_what_cannot_be_had_says_why(plays, reason):
    async with language() as (server, client, _):
        server.play(*plays)
        unusable = await ChatModel(client, "small").fill(REQUEST, Outer)
        assert isinstance(unusable, Unusable)
        assert reason in unusable.reason
        assert len(server.asked) == len(plays)


async def test_a_server_without_schemas_is_told_in_words_from_then_on():
    async with language(server=LanguageServer(lambda _: Play(GOOD), schemas=False)) as (server, client, _):
        model = ChatModel(client, "small")
        assert (await model.fill(REQUEST, Outer)).form == CUP
        assert (await model.fill(REQUEST, Outer)).form == CUP
        assert ["response_format" in one.body for one in server.asked] == [True, False, False]
        assert '"colour"' in server.asked[1].body["messages"][0]["content"]


async def test_a_request_at_fault_does_not_take_schemas_from_the_rest():
    async with language() as (server, client, _):
        model = ChatModel(client, "small")
        server.play(Play(status=400), Play(status=400))
        assert isinstance(await model.fill(REQUEST, Outer), Unusable)
        await model.fill(REQUEST, Outer)
        assert "response_format" in server.asked[-1].body


async def test_a_wrong_key_or_model_is_not_the_requests_fault():
    async with language() as (_, client, _):
        with pytest.raises(RefusedError, match=r"does not exist.*models check"):
            await ChatModel(client, "larger").fill(REQUEST, Outer)


async def test_a_failing_server_is_not_the_requests_fault():
    async with language(tries=1) as (server, client, _):
        server.play(Play(status=500), Play(body=b"<html>"))
        for _ in range(2):
            with pytest.raises(TransientError):
                await ChatModel(client, "small").fill(REQUEST, Outer)


@pytest.mark.parametrize("around", ["{}", "<think>so { then</think>\n{}", "```json\n{}\n```", "Here it is: {} Enjoy!"])
def test_forms_are_found_in_what_models_say_around_them(around):
    assert read_form(around.replace("{}", GOOD), Outer) == CUP


def test_an_answer_of_nothing_but_newlines_is_read_at_once():
    """A breaker's find: 30,000 of them held the daemon's loop for nine seconds, a megabyte for hours."""
    with pytest.raises(msgspec.DecodeError):
        read_form("```" + 1_000_000 * "\n" + "x", Outer)
