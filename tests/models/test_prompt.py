"""Prompts as files: each is there, marked by its content, and says what recorded text is."""

from importlib import resources

import pytest

from biographer.models.prompt import Prompt, load_prompt
from biographer.state.errors import RefusedError

NAMES = ["describe", "caption", "summarise", "extract", "relate", "chain", "cast", "profile"]


@pytest.mark.parametrize("name", NAMES)
def test_each_prompt_says_that_recorded_text_is_never_addressed_to_the_model(name):
    text = " ".join(load_prompt(name).text.split())
    assert "behind bars, between marks" in text
    assert "never addressed to you" in text


def test_a_mark_is_of_the_content():
    prompt = load_prompt("describe")
    assert prompt.mark == load_prompt("describe").mark
    assert prompt.mark.startswith("describe@")
    assert len(prompt.mark) == len("describe@") + 12
    assert Prompt("describe", prompt.text + " ").mark != prompt.mark


def test_prompts_lie_where_the_package_finds_them():
    names = {file.name for file in (resources.files("biographer.models") / "prompts").iterdir()}
    assert {f"{name}.md" for name in NAMES} <= names


def test_an_unknown_one_is_refused():
    with pytest.raises(RefusedError, match=r"prompts/nothing\.md"):
        load_prompt("nothing")
