import pytest

from biographer.ops.broker import free_port
from biographer.state.errors import TransientError
from biographer.streams.identity import Identity, agree, read_identity
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.topics import ensure_topic


async def test_topic_that_is_missing_has_no_partitions_and_is_not_made_by_asking(settings):
    for _ in range(2):
        identity = await read_identity(settings, settings.topic, 5)
        assert identity.partitions == 0
        assert identity.cluster


async def test_cluster_and_topic_are_told_and_stay(broker, settings_for):
    settings = settings_for(broker, partitions=3)
    made = await ensure_topic(settings, settings.topic)
    assert made.cluster
    assert made.topic_id
    assert made.partitions == 3
    assert await read_identity(settings, settings.topic, 5) == made
    other = await ensure_topic(settings, settings.dead_letter_topic)
    assert (other.cluster, other.topic_id == made.topic_id) == (made.cluster, False)


async def test_next_address_is_asked_where_the_first_is_away(broker, settings_for):
    settings = settings_for(broker, bootstrap=f"127.0.0.1:{free_port()},{broker.bootstrap}")
    assert (await read_identity(settings, settings.topic, 5)).cluster


async def test_no_broker_is_transient_and_named():
    settings = KafkaSettings(bootstrap=f"127.0.0.1:{free_port()}")
    with pytest.raises(TransientError, match=f"{settings.bootstrap}.*is it running"):
        await read_identity(settings, "clips", 5)


@pytest.mark.parametrize(
    ("one", "other", "same"), [("a", "a", True), ("a", "b", False), ("", "b", True), ("a", "", True)]
)
def test_unknown_identities_contradict_nothing(one, other, same):
    assert agree(one, other) is same
    assert Identity(one, "t", 1).is_same_log(Identity(other, "t", 2)) is same
    assert Identity("c", one, 1).is_same_log(Identity("c", other, 2)) is same
