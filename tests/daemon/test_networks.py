"""What a daemon loads is what is fetched for it: a machine that has pulled is a machine that serves."""

import pytest

from biographer.daemon.networks import Networks
from biographer.daemon.parts import models_needed
from biographer.daemon.settings import read_settings
from biographer.models.catalogue import MODELS
from biographer.state.errors import BiographerError


def test_every_model_of_the_defaults_is_among_those_fetched() -> None:
    section = read_settings(None, {}).perceive
    named = {section.detector, section.embedder, section.text_embedder}
    assert {model.name for model in models_needed(read_settings(None, {}))} == named
    assert named <= set(MODELS)


def test_none_and_files_are_not_fetched() -> None:
    environ = {"BIOGRAPHER_PERCEIVE_DETECTOR": "/x/own.onnx", "BIOGRAPHER_PERCEIVE_TEXT_EMBEDDER": "none"}
    assert [model.role for model in models_needed(read_settings(None, environ))] == ["embedder"]


@pytest.mark.parametrize("missing", ["DETECTOR", "EMBEDDER", "TEXT_EMBEDDER"])
def test_a_network_that_was_not_pulled_is_said(missing: str, tmp_path: object) -> None:
    others = {name: "none" for name in ("DETECTOR", "EMBEDDER", "TEXT_EMBEDDER") if name != missing}
    environ = {f"BIOGRAPHER_PERCEIVE_{name}": value for name, value in others.items()}
    with pytest.raises(BiographerError, match="models pull"):
        Networks.load(read_settings(None, environ | {"BIOGRAPHER_MODELS_FOLDER": str(tmp_path)}))
