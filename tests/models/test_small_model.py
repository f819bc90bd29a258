"""The protocol against a real server and a real, very small model: what our own server could have got wrong."""

import asyncio
import random
import time
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC
from typing import Annotated, Literal

import msgspec
import numpy as np
import pytest
import small_model
from sightings import us

from biographer.models.chat import ChatRequest, Turn, body_of, read_answer
from biographer.models.chat_model import PATH, ChatModel, Filled
from biographer.models.embeddings import EmbeddingModel
from biographer.models.extracting import Extractor, Facts
from biographer.models.form import Form
from biographer.models.language_client import LanguageClient
from biographer.models.language_endpoint import LanguageEndpoint
from biographer.models.prompt import Prompt, load_prompt
from biographer.models.told_texts import TimedText
from biographer.state.authorship import Authorship
from biographer.state.stretch import Stretch
from biographer.state.unwritten import Unwritten

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(small_model.weights() is None, reason="no small model here: make small-model"),
]

HELLO = ChatRequest(Prompt("try", "You are brief."), (Turn("user", ("Name one colour.",)),), tokens_max=16)


class Colour(Form, frozen=True):
    colour: Literal["red", "green", "blue"]
    reasons: Annotated[list[Literal["warm", "cold"]], msgspec.Meta(min_length=1, max_length=2)]
    known: bool


@pytest.fixture(scope="module")
def chat_url():
    with small_model.served() as url:
        yield url


@asynccontextmanager
async def asking(url, **told):
    endpoint = LanguageEndpoint(url, **told)
    client = LanguageClient(endpoint, clock=time.monotonic, random=random.random, wall=time.time)
    try:
        yield client
    finally:
        await client.close()


async def said(client, request):
    answer = await client.ask(PATH, body_of(request, small_model.NAME))
    assert isinstance(answer, bytes), answer
    return read_answer(answer, Authorship(small_model.NAME, request.prompt.mark))


async def test_it_says_what_it_serves_and_answers_in_words(chat_url):
    async with asking(chat_url) as client:
        assert small_model.NAME in await client.models()
        answer = await said(client, HELLO)
        assert answer.text.strip()
        assert answer.spent.read > 10
        assert 0 < answer.spent.written <= 16


async def test_it_fills_in_forms_by_their_schema(chat_url):
    async with asking(chat_url) as client:
        filled = await ChatModel(client, small_model.NAME).fill(replace(HELLO, tokens_max=200), Colour)
        assert isinstance(filled, Filled)
        assert filled.spent.requests == 1


async def test_our_longest_form_is_taken(chat_url):
    """A model this small may never end its list; what it writes is facts, or the reason why there are none."""
    async with asking(chat_url) as client:
        texts = [TimedText(us(0), us(30), "Jake puts the blue cup on the table.", ("c0",))]
        extractor = Extractor(ChatModel(client, small_model.NAME), load_prompt("extract"), "Jake", UTC)
        found = await extractor.extract(Stretch("3min", 0, us(180), us(180), ("c0",)), texts)
        assert isinstance(found, Facts | Unwritten)
        if isinstance(found, Unwritten):
            assert "cut after" in found.reason


async def test_one_who_goes_away_frees_the_model(chat_url):
    endless = ChatRequest(HELLO.prompt, (Turn("user", ("Count from 1 to 100000.",)),), tokens_max=3000)
    async with asking(chat_url) as client:
        tasks = [asyncio.create_task(said(client, endless)) for _ in range(2)]
        waiting = asyncio.create_task(said(client, HELLO))  # both are on their way by the time a third is
        await asyncio.wait({waiting}, timeout=0.5)
        begun = time.monotonic()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert time.monotonic() - begun < 1
        assert (await asyncio.wait_for(waiting, 15)).text


async def test_vectors_of_texts_keep_their_rows():
    with small_model.served(embedding=True) as url:
        async with asking(url) as client:
            model = EmbeddingModel(client, small_model.NAME)
            together = await model.of_texts(["a blue cup", "a red car", "a blue cup"])
            alone = await model.of_texts(["a red car"])
        np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
        assert together[0] @ together[2] > 0.999
        assert together[1] @ alone[0] > 0.99
