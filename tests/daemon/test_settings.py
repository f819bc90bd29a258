"""Settings from files and environments; every one documented; every default that of the part it is for."""

import re
import subprocess
from dataclasses import fields as fields_of
from pathlib import Path

import msgspec
import pytest

from biographer.daemon import parts
from biographer.daemon.settings import CONFIG, PREFIX, Settings, description, read_settings
from biographer.daemon.settings_reference import settings_reference
from biographer.models.perceiver_settings import PerceiverSettings
from biographer.state.ablation import Ablation
from biographer.state.errors import RefusedError
from biographer.state.rule import Rule, Thresholds
from biographer.streams.kafka_settings import KafkaSecurity, KafkaSettings

ROOT = Path(__file__).resolve().parents[2]
EVERY = [
    pytest.param(section.name, field, id=f"{section.name}.{field.name}")
    for section in msgspec.structs.fields(Settings)
    for field in msgspec.structs.fields(section.type)
]

TABLES = {
    "association": ('{"x": [0.1, 0.2]}', {"x": (0.1, 0.2)}),
    "search": ('{"3min": 0.25}', {"3min": 0.25}),
    "language": ('{"x": "y"}', {"x": "y"}),
}
"""A table that each section's tables take, as text and as value."""


def refusal(tmp_path, text="", environ=None):
    file = tmp_path / "biographer.toml"
    file.write_text(text)
    with pytest.raises(RefusedError) as caught:
        read_settings(file, environ or {})
    return str(caught.value)


@pytest.mark.parametrize(("section", "field"), EVERY)
def test_every_setting_is_documented(section, field):
    assert description(field).endswith("."), f"{section}.{field.name} needs Meta(description=...), a sentence"
    assert f"| `{field.name}` |" in settings_reference()


def test_the_page_of_settings_is_current():
    assert (ROOT / "SETTINGS.md").read_text() == settings_reference(), "run: make settings"


@pytest.mark.parametrize(("section", "field"), EVERY)
def test_every_setting_is_an_environment_variable_too(section, field):
    default = field.default
    text = (
        ",".join(default)
        if isinstance(default, tuple)
        else "{}"
        if isinstance(default, msgspec.Struct)
        else str(default)
    )
    if not isinstance(default, (str, int, float, tuple)):
        text, default = TABLES[section]
    settings = read_settings(None, {f"BIOGRAPHER_{section}_{field.name}".upper(): text, "HOME": "/home/x"})
    expected = default if (section, field.name) != ("models", "folder") else "/home/x/.cache/biographer/models"
    assert getattr(getattr(settings, section), field.name) == expected


def test_the_environment_goes_before_the_file(tmp_path):
    file = tmp_path / "b.toml"
    file.write_text('[http]\nport = 1\nhost = "::1"\n[clips]\nroots = ["/a"]')
    settings = read_settings(file, {"BIOGRAPHER_HTTP_PORT": "2", "BIOGRAPHER_CONFIG": "b.toml", "PATH": "/bin"})
    assert (settings.http.port, settings.http.host, settings.clips.roots) == (2, "::1", ("/a",))


def test_all_faults_are_told_at_once_with_key_value_and_remedy(tmp_path):
    text = '[kafka]\nboostrap = "x"\npartitions = 0\n[stat]\nfolder = "x"\n[log]\nformat = "xml"'
    told = refusal(tmp_path, text, {"BIOGRAPHER_HTTP_PORT": "99999", "BIOGRAPHER_HTTP_PROT": "9"})
    assert "kafka.boostrap is no setting; did you mean bootstrap?" in told
    assert "kafka.partitions = 0: Expected `int` >= 1" in told
    assert "[stat] is no section; did you mean state?" in told
    assert "log.format = 'xml'" in told
    assert "http.port = '99999': Expected `int` <= 65535; it is: Port to listen at" in told
    assert "BIOGRAPHER_HTTP_PROT is no setting; did you mean BIOGRAPHER_HTTP_PORT?" in told


@pytest.mark.parametrize("section", ["order", "pipeline"])
def test_what_is_not_finite_is_refused(tmp_path, section):
    """An endless lateness came through and ended the daemon at its first clip."""
    name = {"order": "lateness_s", "pipeline": "retry_last_s"}[section]
    assert f"{section}.{name} = inf: Expected a finite number" in refusal(tmp_path, f"[{section}]\n{name} = inf")


def test_a_key_is_never_told_and_never_in_a_file(tmp_path):
    told = refusal(tmp_path, '[language]\nkey = "hush"')
    assert "key_file" in told
    assert "hush" not in told
    settings = read_settings(None, {"BIOGRAPHER_LANGUAGE_KEY": "hush"})
    assert settings.language.key == "hush"
    assert "hush" not in repr(settings)


def test_a_password_is_never_told(tmp_path):
    assert "1234567" not in refusal(tmp_path, "[kafka]\npassword = 1234567")
    assert "1234567" not in refusal(tmp_path, "[client]\ntoken = 1234567")
    for variable in ("KAFKA_PASSWORD", "KAFKA_KEY_PASSWORD", "CLIENT_TOKEN"):
        assert "hush" not in repr(read_settings(None, {f"BIOGRAPHER_{variable}": "hush"}))


@pytest.mark.parametrize("text", ["[kafka", "kafka = 3", "\x00"])
def test_what_is_no_settings_file_is_refused(tmp_path, text):
    assert "kafka" in refusal(tmp_path, text) or "TOML" in refusal(tmp_path, text)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(RefusedError, match=r"gone\.toml can't be read"):
        read_settings(tmp_path / "gone.toml", {})


def test_the_cache_of_models_follows_the_user():
    assert read_settings(None, {"XDG_CACHE_HOME": "/c"}).models.folder == "/c/biographer/models"
    assert read_settings(None, {"BIOGRAPHER_MODELS_FOLDER": "/m", "HOME": "/h"}).models.folder == "/m"


def test_defaults_are_those_of_the_parts():
    settings = Settings()
    assert parts.kafka_settings(settings) == KafkaSettings()
    assert parts.perceiver_settings(settings) == PerceiverSettings()
    assert settings.perceive.score < settings.perceive.start_score, "weak detections continue tracks"
    rule = parts.rule_of(settings)
    assert (rule.references, rule.separation, rule.anchor_iou) == (
        Rule().references,
        Rule().separation,
        Rule().anchor_iou,
    )
    assert rule.anchor_gap_us == Rule().anchor_gap_us
    assert rule.thresholds[""] == Rule().thresholds[""]


def test_every_field_of_the_kafka_side_can_be_set():
    known = {field.name for field in msgspec.structs.fields(type(Settings().kafka))}
    wanted = {field.name for record in (KafkaSettings, KafkaSecurity) for field in fields_of(record)} - {"security"}
    assert wanted <= known


def test_every_variable_that_is_named_anywhere_is_a_setting():
    """One that is not makes every command refuse while it is set, as the tests' own BIOGRAPHER_MODELS once did."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    texts = [ROOT / name for name in listed if name.endswith((".py", ".md", ".yaml", "file", ".service", "run"))]
    if not texts:
        pytest.skip("not a checkout")
    named = {
        variable: path.name
        for path in texts
        if path.is_file() and path != Path(__file__)
        for variable in re.findall(r"\bBIOGRAPHER_[A-Z_]*[A-Z]\b", path.read_text(encoding="utf-8"))
    }
    known = {f"{PREFIX}{one.id}".replace(".", "_").upper() for one in EVERY} | {CONFIG}
    assert {variable: place for variable, place in named.items() if variable not in known} == {}


def test_own_thresholds_go_before_the_catalogues():
    environ = {"BIOGRAPHER_ASSOCIATION_THRESHOLDS": '{"nanodet-g-416-stats": [0.1, 0.2], "mine": [0.3, 0.4]}'}
    rule = parts.rule_of(read_settings(None, environ))
    assert rule.thresholds["nanodet-g-416-stats"] == Thresholds(0.1, 0.2)
    assert rule.thresholds_of("mine") == Thresholds(0.3, 0.4)


def test_a_secret_may_lie_in_a_file(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("s3cret\nmore")
    settings = read_settings(None, {"BIOGRAPHER_KAFKA_PASSWORD_FILE": str(secret)})
    assert parts.kafka_settings(settings).security.password == "s3cret"
    with pytest.raises(RefusedError, match=r"kafka\.password_file"):
        parts.kafka_settings(read_settings(None, {"BIOGRAPHER_KAFKA_PASSWORD_FILE": str(tmp_path / "none")}))


def test_parts_are_left_out_by_their_names():
    told = read_settings(None, {"BIOGRAPHER_SEARCH_WITHOUT": "graph, chains"})
    assert parts.search_settings_of(told).without == {Ablation.GRAPH, Ablation.CHAINS}
    with pytest.raises(RefusedError, match=r"search\.without"):
        read_settings(None, {"BIOGRAPHER_SEARCH_WITHOUT": "everything"})
