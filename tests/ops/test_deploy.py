"""What is deployed agrees with the code: settings, commands, paths and metrics by their names, versions, ports.

None of it is run here; so all that it names is looked up where it comes from.
"""

import asyncio
import configparser
import json
import re
import shlex
from xml.etree import ElementTree as ET

import click
import pytest
import structlog
import yaml
from daemon_doubles import ListSource, clip, running, until

from biographer.daemon.gauges import Gauges
from biographer.daemon.language import LanguageModels
from biographer.daemon.language_section import Language
from biographer.daemon.loop_lag import LoopLag
from biographer.daemon.parts import rule_of
from biographer.daemon.service import REFUSED
from biographer.daemon.settings import Settings, read_settings
from biographer.daemon.writers import StreamWriters
from biographer.models.embeddings import EmbeddingModel
from biographer.models.endpoint_embedder import SubjectEmbedder
from biographer.ops.cli import COMMANDS, main
from biographer.ops.kafka_broker import DEPLOY
from biographer.state.rule import Thresholds

POM = {"m": "http://maven.apache.org/POM/4.0.0"}
FOLDER = DEPLOY.parent
ROOT = FOLDER.parents[1]
PLACES = ["compose.yaml", "Dockerfile", "biographer.service"]
TEXTS = [*PLACES, "prometheus/prometheus.yml", "prometheus/alerts.yml"]


def text_of(name):
    return (FOLDER / name).read_text(encoding="utf-8")


def parsed(name):
    return yaml.safe_load(text_of(name))


def unit():
    """Return the sections of the unit, each a list of (key, value): keys may come again."""
    sections, current = {}, []
    for row in text_of("biographer.service").splitlines():
        if row.startswith("["):
            current = sections.setdefault(row.strip("[]"), [])
        elif row and not row.startswith("#"):
            key, separator, value = row.partition("=")
            assert separator, row
            current.append((key, value))
    return sections


@pytest.mark.parametrize("place", PLACES)
def test_environment_names_are_settings(place):
    found = re.findall(r"(BIOGRAPHER_[A-Z_]+)[:=] ?(\S+)", text_of(place))
    assert found
    settings = read_settings(None, dict(found))
    assert settings != Settings()


@pytest.mark.parametrize("place", TEXTS)
def test_commands_that_are_named_are_there(place):
    """Also those in comments: they are what an operator types."""
    joined = text_of(place).replace("\\\n#", " ")
    lines = re.findall(
        r"(?:bin/|exec biographer |\s|`)biographer ([a-z]+(?: [a-z]+)?)((?: --[a-z-]+(?: [^\s`>]+)?)*)", joined
    )
    for words, options in lines:
        names = words.split()
        if names[0] not in COMMANDS:
            continue
        command = main.get_command(click.Context(main), names[0])
        if isinstance(command, click.Group):
            command = command.get_command(click.Context(command), names[1])
        assert command is not None, words
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in shlex.split(options) if word.startswith("--")} <= known, words
    assert set(re.findall(r"`biographer ([a-z]+)", joined)) <= COMMANDS.keys()


def test_compose_runs_the_kafka_that_the_tests_run():
    dependencies = ET.parse(DEPLOY / "pom.xml").getroot().findall(".//m:dependency", POM)
    versions = {one.findtext("m:artifactId", "", POM): one.findtext("m:version", "", POM) for one in dependencies}
    assert parsed("compose.yaml")["services"]["kafka"]["image"] == f"apache/kafka:{versions['kafka_2.13']}"


def test_published_port_is_the_one_that_is_listened_at():
    port = Settings().http.port
    assert parsed("compose.yaml")["services"]["biographer"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert f"EXPOSE {port}" in text_of("Dockerfile")
    (scraped,) = parsed("prometheus/prometheus.yml")["scrape_configs"]
    assert scraped["static_configs"] == [{"targets": [f"biographer:{port}"]}]


def test_everything_is_published_on_loopback_only():
    published = [port for one in parsed("compose.yaml")["services"].values() for port in one.get("ports", ())]
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)


def environment():
    """Return what compose tells the daemon: (set by compose itself, names that are passed on where they are set)."""
    told = parsed("compose.yaml")["services"]["biographer"]["environment"]
    return {key: text for key, text in told.items() if text is not None}, {
        k for k, text in told.items() if text is None
    }


def test_language_profile_tells_the_daemon_what_its_servers_serve():
    """Settings by their names, servers by theirs, each model where it is served, thresholds for the very vectors."""
    (words, passed), services = environment(), parsed("compose.yaml")["services"]
    assert not words.keys() & passed
    rows = [row for row in text_of("language.env").splitlines() if row and not row.startswith("#")]
    told = dict(shlex.split(row)[0].split("=", 1) for row in rows)
    ours = {key: text for key, text in told.items() if key.startswith("BIOGRAPHER_")}
    assert ours.keys() == passed
    language = read_settings(None, ours).language
    served = {name: one for name, one in services.items() if one.get("profiles") == ["language"]}
    for url, model in ((language.url, language.model), (language.urls["embedder"], language.models["embedder"])):
        host = url.removeprefix("http://").removesuffix(":8000/v1")
        (variable,) = re.findall(r"--model=\$\{([A-Z_]+):-\}", " ".join(served.pop(host)["command"]))
        assert told[variable] == model
    assert not served
    subject = SubjectEmbedder(EmbeddingModel(None, language.models["embedder"]))
    rule = rule_of(read_settings(None, ours))
    assert rule.thresholds[subject.name] == Thresholds(0.60, 0.75)


def test_servers_of_models_are_not_published_and_serve_what_the_extra_installs():
    served = [one for one in parsed("compose.yaml")["services"].values() if one.get("profiles") == ["language"]]
    assert len(served) == 2
    assert {one["image"].split(":")[0] for one in served} == {"vllm/vllm-openai"}
    assert not any("ports" in one for one in served)


def test_daemon_is_found_by_the_name_that_prometheus_asks_by():
    settings = read_settings(None, environment()[0])
    assert settings.http.hosts == ("biographer",)
    assert settings.kafka.bootstrap == "kafka:19092"
    assert (
        "INSIDE://kafka:19092"
        in parsed("compose.yaml")["services"]["kafka"]["environment"]["KAFKA_ADVERTISED_LISTENERS"]
    )


def test_paths_that_are_mounted_or_built_from_are_there():
    compose = parsed("compose.yaml")
    for name, service in compose["services"].items():
        for mount in service.get("volumes", ()):
            source = mount.split(":")[0]
            assert (FOLDER / source).exists() if source.startswith(".") else source in compose["volumes"], (name, mount)
        assert set(service.get("depends_on", ())) <= compose["services"].keys()
    build = compose["services"]["biographer"]["build"]
    assert (FOLDER / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]) == FOLDER / "Dockerfile"
    assert (FOLDER / "prometheus" / parsed("prometheus/prometheus.yml")["rule_files"][0]).is_file()
    datasource = parsed("grafana/datasource.yaml")["datasources"][0]
    assert datasource["url"] == "http://prometheus:9090"
    (provider,) = parsed("grafana/dashboards.yaml")["providers"]
    assert any(f":{provider['options']['path']}/" in mount for mount in compose["services"]["grafana"]["volumes"])


def test_image_gets_every_folder_of_the_package_and_what_building_it_reads():
    ignored = text_of("Dockerfile.dockerignore").splitlines()
    package = ROOT / ".pkg" / "biographer"
    needed = [path.name for path in package.iterdir() if path.is_symlink()]
    built = re.findall(r'^(?:readme|license-files) = \[?"(\S+?)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert len(built) == 2
    for name in [*needed, *built, "pyproject.toml", ".pkg"]:
        assert f"!{name}" in ignored
        assert (ROOT / name).exists()


def test_image_installs_the_runtimes_and_pulls_the_weights_to_where_they_are_looked_for():
    text = text_of("Dockerfile")
    extras = re.search(r"pip install .*'\.\[(\w+)\]'", text).group(1)
    assert f"\n{extras} = [" in (ROOT / "pyproject.toml").read_text()
    (folder,) = set(re.findall(r"BIOGRAPHER_MODELS_FOLDER=(\S+)", text))
    assert f"COPY --from=weights --chown=biographer {folder} {folder}" in text
    assert re.search(r"RUN .*apt-get install .* npm\b", text)
    assert "RUN /opt/biographer/bin/biographer models pull" in text
    stages = re.findall(r"^FROM \S+(?: AS (\w+))?", text, re.MULTILINE)
    assert set(re.findall(r"--from=(\w+)", text)) <= set(stages)
    assert int(re.search(r"^FROM python:3\.(\d+)-slim AS build", text, re.MULTILINE).group(1)) >= 11
    assert json.loads(re.search(r"^CMD (.*)", text, re.MULTILINE).group(1))[0] in COMMANDS


@pytest.mark.parametrize("place", ["Dockerfile", "biographer.service"])
def test_freed_frames_go_back_to_the_system(place):
    assert re.search(r"^\s*(ENV |Environment=)?MALLOC_MMAP_THRESHOLD_=65536\b", text_of(place), re.MULTILINE)


def test_unit_starts_the_daemon_where_the_packages_put_it_and_leaves_bad_settings_alone():
    sections = unit()
    assert sections.keys() == {"Unit", "Service", "Install"}
    service = dict(sections["Service"])
    words = service["ExecStart"].split()
    assert words[0].endswith("/bin/biographer")
    assert words[1] in COMMANDS
    assert int(service["RestartPreventExitStatus"]) == REFUSED
    environ = dict(value.split("=", 1) for key, value in sections["Service"] if key == "Environment")
    settings = read_settings(None, {name: value for name, value in environ.items() if name.startswith("BIOGRAPHER_")})
    assert settings.state.folder == f"/var/lib/{service['StateDirectory']}"
    assert settings.models.folder.startswith(f"/var/cache/{service['CacheDirectory']}/")
    assert service["ProtectSystem"] == "strict"
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.read_string(text_of("biographer.service"))


@pytest.fixture
async def metrics(tmp_path):
    """The names on a page of metrics, with every gauge set, and their labels."""
    source = ListSource()
    async with running(tmp_path, source) as rig:
        source.send([clip("a", 0)])
        source.add(b"\xc1", b"a")
        await until(lambda: b'outcome="applied"' in rig.metrics.page())
        await source.committed()
        rig.metrics.stages({"decode": 1.0})
        rig.metrics.wrote("caption", "written")
        loop, told = asyncio.get_running_loop(), Language(url="http://127.0.0.1:9/v1", model="small")
        models = LanguageModels(told, clock=loop.time, random=lambda: 1.0, wall=lambda: 0.0)
        writers = StreamWriters(tmp_path, models, None, rig.pipeline.in_turn.amend, rig.metrics, structlog.get_logger())
        page = Gauges(rig.metrics, rig.pipeline, lambda: {0: 1}, LoopLag(), writers.gauges).page().decode()
        await models.close()
    named = {}
    for name, labels in re.findall(r"^(?:# TYPE )?(biographer_\w+)(?:\{([^}]*)\})?", page, re.MULTILINE):
        named.setdefault(name, set()).update(re.findall(r'(\w+)="', labels))
    return named


def queries():
    board = json.loads(text_of("grafana/biographer.json"))
    yield from (target["expr"] for panel in board["panels"] for target in panel["targets"])
    yield from (one["query"] for one in board["templating"]["list"])
    yield from (rule["expr"] for group in parsed("prometheus/alerts.yml")["groups"] for rule in group["rules"])


async def test_dashboard_and_alerts_ask_for_metrics_that_there_are(metrics):
    asked = {name for query in queries() for name in re.findall(r"biographer_\w+", query)}
    histograms = {
        name.removesuffix(end) for name in asked for end in ("_bucket", "_sum", "_count") if name.endswith(end)
    }
    known = metrics.keys() | {
        f"{name}{end}" for name in histograms & metrics.keys() for end in ("_bucket", "_sum", "_count")
    }
    assert asked - known == set()
    shown = {name.removesuffix("_total") for name in metrics if not re.search(r"_(created|bucket|sum|count)$", name)}
    assert {name for name in shown if not any(query.startswith(name) for query in asked)} == set(), (
        "not on the dashboard"
    )


async def test_labels_that_are_grouped_by_are_there(metrics):
    mine = {label for labels in metrics.values() for label in labels} | {"instance", "method", "route", "status"}
    grouped = {
        label.strip() for query in queries() for by in re.findall(r"by \(([^)]*)\)", query) for label in by.split(",")
    }
    assert grouped <= mine | {"le"}


def test_panels_do_not_overlap_and_use_the_data_source_that_is_provided():
    board = json.loads(text_of("grafana/biographer.json"))
    uid = parsed("grafana/datasource.yaml")["datasources"][0]["uid"]
    taken = set()
    for panel in board["panels"]:
        assert panel["datasource"]["uid"] == uid
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken
        assert place["x"] + place["w"] <= 24
        taken |= cells
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
