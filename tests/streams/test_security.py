"""TLS and SASL: the options that aiokafka is given, and real listeners of Apache Kafka that ask for them."""

import asyncio
import ssl
import subprocess
from contextlib import aclosing

import pytest
from brokers import need_kafka

from biographer.ops.broker import free_port
from biographer.ops.kafka_broker import KafkaBroker
from biographer.state.errors import FatalError, TransientError
from biographer.streams.kafka_settings import KafkaSecurity, KafkaSettings, Mechanism, Protocol
from biographer.streams.reader import read_record
from biographer.streams.security import connection_options
from biographer.streams.sink import KafkaSink
from biographer.streams.source import KafkaSource


def options(**security):
    return connection_options(KafkaSettings(security=KafkaSecurity(**security)))


def test_plain_text_has_no_secrets():
    assert options() == {
        "bootstrap_servers": "127.0.0.1:9092",
        "request_timeout_ms": 15_000,
        "security_protocol": "PLAINTEXT",
    }


def test_sasl_names_mechanism_and_user():
    found = options(protocol=Protocol.SASL_PLAINTEXT, mechanism=Mechanism.SCRAM_SHA_512, user="anna", password="secret")
    assert found["sasl_mechanism"] == "SCRAM-SHA-512"
    assert (found["sasl_plain_username"], found["sasl_plain_password"]) == ("anna", "secret")
    assert "ssl_context" not in found


@pytest.mark.parametrize("missing_one", [{"user": "anna"}, {"password": "secret"}])
def test_sasl_without_user_or_password_is_fatal(missing_one):
    with pytest.raises(FatalError, match="user and password"):
        options(protocol=Protocol.SASL_SSL, **missing_one)


def test_tls_verifies_by_default():
    context = options(protocol=Protocol.SSL)["ssl_context"]
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
    assert not options(protocol=Protocol.SSL, check_hostname=False)["ssl_context"].check_hostname


@pytest.mark.parametrize("setting", ["ca_file", "certificate_file"])
def test_missing_file_is_fatal_with_its_setting_and_name(setting, tmp_path):
    path = str(tmp_path / "absent.pem")
    with pytest.raises(FatalError, match=rf"{setting} .*absent\.pem"):
        options(protocol=Protocol.SSL, **{setting: path})


@pytest.mark.parametrize("setting", ["ca_file", "certificate_file"])
def test_file_that_is_no_certificate_is_fatal_with_its_name(setting, tmp_path):
    path = tmp_path / "text.pem"
    path.write_text("not a certificate")
    with pytest.raises(FatalError, match=r"text\.pem"):
        options(protocol=Protocol.SSL, **{setting: str(path)})


def test_key_without_certificate_is_fatal(tmp_path):
    key = tmp_path / "key.pem"
    key.write_text("x")
    with pytest.raises(FatalError, match="certificate_file"):
        options(protocol=Protocol.SSL, key_file=str(key))


async def test_source_says_at_once_what_would_never_be_right():
    security = KafkaSecurity(protocol=Protocol.SSL, ca_file="absent.pem")

    async def claims(_partition):
        return []

    with pytest.raises(FatalError, match="ca_file"):
        await KafkaSource(KafkaSettings(security=security), claims).__aenter__()


def keytool(*arguments):
    subprocess.run(["keytool", *arguments], check=True, capture_output=True)


@pytest.fixture(scope="session")
def secured(tmp_path_factory):
    """Apache Kafka with a TLS listener that also asks for SASL, and the certificate that it shows."""
    need_kafka()
    folder = tmp_path_factory.mktemp("secured")
    store = (
        "-keystore",
        str(folder / "server.p12"),
        "-storetype",
        "PKCS12",
        "-storepass",
        "changeit",
        "-alias",
        "kafka",
    )
    keytool("-genkeypair", *store, "-keyalg", "EC", "-dname", "CN=kafka", "-ext", "SAN=ip:127.0.0.1", "-validity", "2")
    keytool("-exportcert", *store, "-rfc", "-file", str(folder / "ca.pem"))
    port = free_port()
    login = "org.apache.kafka.common.security.plain.PlainLoginModule required"
    properties = {
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SECURED:SASL_SSL",
        "listeners": "PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller_port},"
        f"SECURED://127.0.0.1:{port}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:${{port}},SECURED://127.0.0.1:{port}",
        "sasl.enabled.mechanisms": "PLAIN",
        "listener.name.secured.plain.sasl.jaas.config": f'{login} user_anna="secret";',
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.location": str(folder / "server.p12"),
        "ssl.keystore.password": "changeit",
    }
    with KafkaBroker(folder / "broker", properties):
        yield f"127.0.0.1:{port}", str(folder / "ca.pem")


def secured_settings(secured, **overrides):
    bootstrap, ca_file = secured
    login = {"protocol": Protocol.SASL_SSL, "user": "anna", "password": "secret", "ca_file": ca_file}
    security = KafkaSecurity(**(login | overrides))
    return KafkaSettings(bootstrap=bootstrap, security=security, partitions=1, check_interval_ms=100)


@pytest.mark.slow
@pytest.mark.kafka
async def test_clips_pass_over_tls_with_sasl(secured):
    settings = secured_settings(secured)

    async def claims(_partition):
        return []

    async with KafkaSink(settings) as sink:
        sent = await sink.send("anna", b"secret clip")
    again = await read_record(settings, settings.topic, *sent)
    assert again is not None
    assert again.value == b"secret clip"
    async with KafkaSource(settings, claims) as source, asyncio.timeout(20), aclosing(source.records()) as records:
        record = await anext(records)
        assert record.value == b"secret clip"
        await source.commit({0: 1})


@pytest.mark.slow
@pytest.mark.kafka
@pytest.mark.parametrize("wrong", [{"password": "guess"}, {"ca_file": ""}])
async def test_wrong_login_or_authority_is_said_and_does_not_hang(secured, wrong):
    settings = secured_settings(secured, **wrong)
    with pytest.raises(TransientError, match=r"(?i)authentication|certificate"):
        async with asyncio.timeout(20):
            await KafkaSink(settings).__aenter__()
