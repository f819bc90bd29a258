import pytest

from biographer.state.errors import RefusedError
from biographer.streams.kafka_settings import KafkaSecurity, KafkaSettings


def test_defaults_are_valid():
    assert KafkaSettings().topic != KafkaSettings().dead_letter_topic


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("bootstrap", ""),
        ("topic", ""),
        ("topic", "clips/anna"),
        ("topic", ".."),
        ("dead_letter_topic", "x" * 250),
        ("group", ""),
        ("dead_letter_topic", "biographer.clips"),
        ("max_bytes", 1_000),
        ("partitions", 0),
        ("partitions", 100_000_000),
        ("fetch_bytes", 2**31),
        ("session_timeout_ms", 2**40),
        ("buffer_records", 0),
        ("buffer_bytes", 0),
        ("fetch_bytes", 0),
        ("check_interval_ms", 0),
        ("heartbeat_interval_ms", 20_000),
    ],
)
def test_what_could_not_work_is_refused_by_name(name, value):
    with pytest.raises(RefusedError, match=name):
        KafkaSettings(**{name: value})


def test_passwords_are_not_shown():
    security = KafkaSecurity(user="anna", password="secret", key_password="hidden")
    shown = repr(KafkaSettings(security=security))
    assert "anna" in shown
    assert "secret" not in shown
    assert "hidden" not in shown
