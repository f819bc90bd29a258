"""What is deployed agrees with the code: settings by their names, the broker by its version, the ports."""

import re
from xml.etree import ElementTree as ET

import pytest

from biographer.daemon.settings import Settings, read_settings
from biographer.ops.kafka_broker import DEPLOY

POM = {"m": "http://maven.apache.org/POM/4.0.0"}
PLACES = [DEPLOY.parent / "compose.yaml", DEPLOY.parent / "Dockerfile"]


def text_of(name):
    return (DEPLOY.parent / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_environment_names_are_settings(place):
    found = re.findall(r"(BIOGRAPHER_[A-Z_]+)[:=] ?(\S+)", place.read_text(encoding="utf-8"))
    assert found
    settings = read_settings(None, dict(found))
    assert settings != Settings()


def test_compose_runs_the_kafka_that_the_tests_run():
    dependencies = ET.parse(DEPLOY / "pom.xml").getroot().findall(".//m:dependency", POM)
    versions = {one.findtext("m:artifactId", "", POM): one.findtext("m:version", "", POM) for one in dependencies}
    assert f"apache/kafka:{versions['kafka_2.13']}" in text_of("compose.yaml")


def test_published_port_is_the_one_that_is_listened_at():
    port = Settings().http.port
    assert f"127.0.0.1:{port}:{port}" in text_of("compose.yaml")
    assert f"EXPOSE {port}" in text_of("Dockerfile")


def test_image_gets_every_folder_of_the_package():
    ignored = text_of("Dockerfile.dockerignore").splitlines()
    package = DEPLOY.parent.parent.parent / ".pkg" / "biographer"
    for folder in (path.name for path in package.iterdir() if path.is_symlink()):
        assert f"!{folder}" in ignored
