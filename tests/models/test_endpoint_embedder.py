"""Embedder roles that an endpoint plays, asked in threads as perception asks them."""

import asyncio
import json

import numpy as np
import pytest
from language_rig import language

from biographer.bench.language_server import DIM, LanguageServer, Play, vector_of
from biographer.models.embeddings import TOGETHER, EmbeddingModel
from biographer.models.endpoint_embedder import EndpointEmbedder, EndpointTextEmbedder, SubjectEmbedder
from biographer.models.waiting import LoopThread, OnLoop
from biographer.state.errors import FatalError, RefusedError, TransientError


def unit(values):
    return np.array(values) / np.linalg.norm(values)


async def test_texts_keep_their_rows():
    async with language() as (server, client, _):
        embedder = EndpointTextEmbedder(EmbeddingModel(client, "small"), OnLoop(asyncio.get_running_loop()))
        texts = [f"text {number}" for number in range(TOGETHER + 3)]
        texts[1] = " "
        vectors = await asyncio.to_thread(embedder.embed, texts)
        assert vectors.shape == (len(texts), DIM)
        assert not vectors[1].any()
        np.testing.assert_allclose(vectors[5], unit(vector_of("text 5")), atol=1e-6)
        assert [len(one.body["input"]) for one in server.asked[1:]] == [TOGETHER, 2]
        assert (await asyncio.to_thread(embedder.embed, [])).shape == (0, DIM)


async def test_crops_are_asked_about_one_by_one_and_empty_ones_not_at_all():
    async with language() as (server, client, _):
        embedder = EndpointEmbedder(EmbeddingModel(client, "small"), OnLoop(asyncio.get_running_loop()))
        crops = [np.full((40, 30, 3), 10, np.uint8), np.zeros((0, 5, 3), np.uint8), np.full((40, 30, 3), 250, np.uint8)]
        vectors = await asyncio.to_thread(embedder.embed, crops)
        assert vectors.shape == (3, DIM)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 0, 1], atol=1e-6)
        assert abs(vectors[0] @ vectors[2]) < 0.99
        assert len(server.asked) == 3
        alone = await asyncio.to_thread(embedder.embed, crops[2:])
        np.testing.assert_array_equal(alone[0], vectors[2])


async def test_a_described_subject_is_one_vector_in_a_gallery_of_its_own():
    async with language() as (server, client, _):
        model = EmbeddingModel(client, "small")
        embedding = await SubjectEmbedder(model).embed([b"one", b"two"], "cup. A red cup.")
        assert embedding.embedder == "small:crops+text"
        assert embedding.embedder != EndpointEmbedder(model, OnLoop(asyncio.get_running_loop())).name
        (message,) = server.asked[0].body["messages"]
        assert [part["type"] for part in message["content"]] == ["image_url", "image_url", "text"]


@pytest.mark.parametrize("bad", [[float("nan")] * DIM, [0.0] * DIM, []])
async def test_a_vector_that_poisons_is_refused(bad):
    """FAULTS, faiss: a NaN or zero vector poisons matching silently."""
    rows = json.dumps({"data": [{"index": 0, "embedding": bad}]}).replace("NaN", "1e999")
    async with language(lambda _: Play(body=rows.encode())) as (_, client, _):
        with pytest.raises((RefusedError, TransientError)):
            await EmbeddingModel(client, "small").of_texts(["x"])


@pytest.mark.parametrize("rows", [[], [{"index": 1, "embedding": [1.0]}], [{"index": 0, "embedding": [1.0]}] * 2])
async def test_rows_that_do_not_answer_the_texts_are_not_taken(rows):
    """ultralytics/ultralytics#21485: vectors must not land on what they do not belong to."""
    async with language(lambda _: Play(body=json.dumps({"data": rows}).encode())) as (_, client, _):
        with pytest.raises(TransientError, match="vectors for 1"):
            await EmbeddingModel(client, "small").of_texts(["x"])


async def test_an_answer_too_deep_to_read_passes():
    """A breaker's find: it set the clip aside whose texts were to be embedded."""
    async with language(tries=1) as (server, client, _):
        server.play(Play(body=b'{"a":' * 100_000))
        with pytest.raises(TransientError, match="no vectors"):
            await EmbeddingModel(client, "small").of_texts(["cup"])


TWO = Play(body=b'{"data": [{"index": 0, "embedding": [1, 2]}]}')


async def test_a_length_that_nothing_is_stored_with_is_forgotten_with_the_first_answer_of_another():
    async with language() as (server, client, _):
        model = EmbeddingModel(client, "small")
        server.play(TWO)
        await model.of_texts(["x"])
        with pytest.raises(TransientError, match=f"{DIM} numbers, 2 before"):
            await model.of_texts(["x"])
        assert (await model.of_texts(["x"])).shape == (1, DIM)


@pytest.mark.parametrize("before", [True, False])
async def test_what_is_stored_says_how_long_vectors_are(before):
    async with language() as (server, client, _):
        model = EmbeddingModel(client, "small", lambda: frozenset({DIM}))
        if before:
            await model.of_texts(["x"])
        for _ in range(2):
            server.play(TWO)
            with pytest.raises(TransientError, match=f"2 numbers where {DIM} are stored"):
                await model.of_texts(["x"])
        assert (await model.of_texts(["x"])).shape == (1, DIM)


async def test_batches_of_several_lengths_are_not_taken_together():
    async with language() as (server, client, _):
        model = EmbeddingModel(client, "small", lambda: frozenset({2, DIM}))
        rows = [{"index": n, "embedding": [1, 2]} for n in range(TOGETHER)]
        server.play(Play(body=json.dumps({"data": rows}).encode()))
        with pytest.raises(TransientError):
            await model.of_texts(["x"] * (TOGETHER + 1))


async def test_waiting_on_the_loop_itself_is_refused_instead_of_for_ever():
    async with language(server=LanguageServer()) as (_, client, _):
        embedder = EndpointTextEmbedder(EmbeddingModel(client, "small"), OnLoop(asyncio.get_running_loop()))
        with pytest.raises(FatalError, match="worker thread"):
            embedder.embed(["x"])


def test_a_command_without_a_loop_has_one_in_a_thread():
    async def said():
        return 7

    with LoopThread() as thread:
        assert thread.wait(said()) == 7
