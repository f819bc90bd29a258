"""The language server without a model: what it fills in fits, and is the same each time."""

import json

import pytest
from language_rig import language

from biographer.bench.language_server import DIM, LanguageServer, Play, vector_of
from biographer.bench.smallest import smallest
from biographer.models.captioning import CaptionForm
from biographer.models.casting import CastForm, ProfilesForm
from biographer.models.chaining import ChainsForm
from biographer.models.describing import DescriptionForm
from biographer.models.extracting import FactsForm, TripleForm
from biographer.models.form import read_form, schema_of
from biographer.models.language_fault import FaultKind
from biographer.models.relating import RelationForm, RelationsForm

FORMS = [
    CaptionForm,
    CastForm,
    ChainsForm,
    DescriptionForm,
    FactsForm,
    ProfilesForm,
    RelationForm,
    RelationsForm,
    TripleForm,
]


@pytest.mark.parametrize("form", FORMS)
def test_the_smallest_content_of_every_form_fits_it(form):
    content = smallest(schema_of(form))
    assert isinstance(read_form(json.dumps(content), form), form)
    assert set(content) == set(schema_of(form)["required"])


def test_vectors_are_the_same_each_time_and_differ():
    assert vector_of("a") == vector_of("a") != vector_of("b")
    assert len(vector_of("a")) == DIM


async def test_plays_come_in_order_then_the_script_then_the_smallest():
    server = LanguageServer(lambda asked: Play("by script") if "script" in asked.text else None)
    async with language(server=server) as (_, client, _):
        server.play(Play("first"))
        said = []
        for words in ("script", "script", "else"):
            body = {"model": "small", "messages": [{"role": "user", "content": words}]}
            said.append(json.loads(await client.ask("chat/completions", body))["choices"][0]["message"]["content"])
        assert said == ["first", "by script", "nothing to say"]
        assert [one.text for one in server.asked] == ["script", "script", "else"]


async def test_a_model_that_is_not_served_is_not_found():
    async with language() as (_, client, _):
        fault = await client.ask("chat/completions", {"model": "large", "messages": []})
        assert fault.kind is FaultKind.SETUP
