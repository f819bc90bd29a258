"""Inline description: words, then a vector of crops and words, then nothing is left to do before association."""

import json

import pytest
from language_rig import language
from sightings import seen, us

from biographer.bench.language_server import Play
from biographer.models.chat_model import ChatModel
from biographer.models.describing import Encounter, GroundedDescriber
from biographer.models.embeddings import EmbeddingModel
from biographer.models.endpoint_embedder import SubjectEmbedder
from biographer.models.inline import InlineDescriber
from biographer.models.prompt import load_prompt
from biographer.state.description import Description, Mode, Undescribable
from biographer.state.errors import TransientError

END = us(30)
SUBJECTS = [seen(track, (1, 0, 0, 0), track, label=f"thing {track}") for track in (1, 2, 3)]
ENCOUNTERS = [Encounter("c0", one, (b"crop %d" % one.track,), (), (), END, Mode.INLINE) for one in SUBJECTS]


def play(asked):
    if asked.path == "embeddings":
        return None
    track = next(number for number in (1, 2, 3) if f"thing {number}" in asked.text)
    return (
        Play(refusal="no") if track == 2 else Play(json.dumps({**BLANK, "name": f"cup {track}", "summary": "A cup."}))
    )


BLANK = {
    **dict.fromkeys(["appearance", "location", "action", "action_evidence", "event", "mark", "lasting"], ""),
    "is_person": False,
    "lines_used": [],
    "confidence": "low",
}


async def test_observations_take_words_and_the_vector_of_crops_and_words():
    async with language(play) as (server, client, _):
        inline = InlineDescriber(
            GroundedDescriber(ChatModel(client, "small"), load_prompt("describe")),
            SubjectEmbedder(EmbeddingModel(client, "small")),
        )
        found = await inline.describe(ENCOUNTERS)
        assert [observation.text for observation, _ in found] == ["cup 1. A cup.", "a thing 2", "cup 3. A cup."]
        assert [type(said) for _, said in found] == [Description, Undescribable, Description]
        assert {observation.embedding.embedder for observation, _ in found} == {"small:crops+text"}
        embedded = sorted(
            one.body["messages"][0]["content"][1]["text"] for one in server.asked if one.path == "embeddings"
        )
        assert embedded == ["cup 1. A cup.", "cup 3. A cup.", "thing 2"]
        assert all(said.known_us == END for _, said in found)


async def test_without_an_embedder_the_identity_stays():
    async with language(play) as (_, client, _):
        describer = GroundedDescriber(ChatModel(client, "small"), load_prompt("describe"))
        found = await InlineDescriber(describer, None).describe(ENCOUNTERS)
        assert [observation.embedding for observation, _ in found] == [one.embedding for one in SUBJECTS]


async def test_a_failing_endpoint_fails_the_clip_as_a_whole():
    async with language(lambda _: Play(status=503), tries=1) as (_, client, _):
        describer = GroundedDescriber(ChatModel(client, "small"), load_prompt("describe"))
        with pytest.raises(TransientError):
            await InlineDescriber(describer, None).describe(ENCOUNTERS)
