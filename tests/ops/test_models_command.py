import json

import pytest
from click.testing import CliRunner
from daemon_doubles import NO_NETWORKS

from biographer.daemon.parts import models_folder
from biographer.daemon.settings import read_settings
from biographer.models.catalogue import MODELS
from biographer.models.weights import present
from biographer.ops.cli import main

DEFAULTS = ("nanodet-g-416", "nanodet-g-416-stats", "minilm-l6-int8")


def run(*arguments: str, code: int = 0, **environ: str):
    result = CliRunner().invoke(main, ["models", *arguments], env=environ)
    assert result.exit_code == code, result.output
    return result


def test_the_list_says_what_each_is_where_from_its_licence_and_size():
    rows = json.loads(run("list", "--json").stdout)["models"]
    assert [row["name"] for row in rows] == list(MODELS)
    for row in rows:
        assert row["role"]
        assert row["source"]
        assert row["licence"]
        assert row["size_mb"] > 0
        assert isinstance(row["present"], bool)
    assert "MIT" in run("list").stdout


def test_a_name_that_is_not_known_is_refused_with_those_that_are():
    for command in ("pull", "check"):
        result = run(command, "yolo99", code=2)
        assert "yolo99" in result.stderr
        assert "nanodet-g-416" in result.stderr


def test_models_without_weights_are_reported_each_with_the_remedy(tmp_path):
    result = run("check", "--json", code=1, BIOGRAPHER_MODELS_FOLDER=str(tmp_path))
    rows = json.loads(result.stdout)["checks"]
    assert {row["name"] for row in rows} == set(DEFAULTS)
    assert all(not row["runs"] and "biographer models pull" in row["result"] for row in rows)
    assert result.stderr.startswith(f"biographer: {', '.join(DEFAULTS)} do not run here")
    assert not any(
        row["present"]
        for row in json.loads(run("list", "--json", BIOGRAPHER_MODELS_FOLDER=str(tmp_path)).stdout)["models"]
    )


def test_whatever_the_settings_name_is_checked_not_only_what_is_known():
    """`models check` passed where the daemon would refuse to start."""
    for named in ("foo", "missing.onnx"):
        result = run("check", "--json", code=1, BIOGRAPHER_PERCEIVE_DETECTOR=named)
        assert {row["name"]: row["runs"] for row in json.loads(result.stdout)["checks"]}[named] is False


def test_a_role_that_is_played_and_not_asked_says_so():
    told = {
        "BIOGRAPHER_LANGUAGE_URL": "http://127.0.0.1:1/v1",
        "BIOGRAPHER_LANGUAGE_MODEL": "small",
        "BIOGRAPHER_LANGUAGE_MODELS": '{"embedder": "eyes"}',
    }
    rows = {row["role"]: row["where"] for row in json.loads(run("list", "--json", **told).stdout)["language"]}
    assert {role for role, where in rows.items() if "inline alone" in where} == {"embedder"}


def test_what_is_switched_off_is_not_checked():
    assert json.loads(run("check", "--json", **NO_NETWORKS).stdout)["checks"] == []


def test_the_default_models_run():
    folder = models_folder(read_settings(None, {}))
    if not all(present(MODELS[name].bundle, folder) for name in DEFAULTS):
        pytest.skip("the default weights are not here: biographer models pull")
    rows = json.loads(run("check", "--json").stdout)["checks"]
    assert [(row["name"], row["runs"]) for row in rows] == [(name, True) for name in DEFAULTS]
    assert "already in" in run("pull").stdout


def test_language_roles_are_listed_with_who_plays_them_or_what_serves_instead():
    rows = {row["role"]: row for row in json.loads(run("list", "--json").stdout)["language"]}
    assert rows["describer"]["model"] is None
    assert "plain words" in rows["describer"]["where"]
    told = {"BIOGRAPHER_LANGUAGE_URL": "http://127.0.0.1:9/v1", "BIOGRAPHER_LANGUAGE_MODEL": "vl"}
    rows = {row["role"]: row for row in json.loads(run("list", "--json", **told).stdout)["language"]}
    assert rows["answerer"] == {"role": "answerer", "model": "vl", "where": "http://127.0.0.1:9/v1"}
    assert "transcriber" in run("list", **told).stdout


def test_an_endpoint_that_is_away_is_reported_with_the_remedy():
    told = {
        "BIOGRAPHER_LANGUAGE_URL": "http://127.0.0.1:9/v1",
        "BIOGRAPHER_LANGUAGE_MODELS": '{"answerer": "vl"}',
        **NO_NETWORKS,
    }
    result = run("check", "--json", code=1, **told)
    (row,) = json.loads(result.stdout)["checks"]
    assert (row["name"], row["runs"]) == ("answerer", False)
    assert "check that it runs" in row["result"]
    assert "answerer do not run here" in result.stderr
