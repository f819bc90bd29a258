import asyncio

import pytest
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

from biographer.state.errors import FatalError
from biographer.streams.topics import ensure_topic


async def test_topic_is_made_once_though_many_want_it(settings):
    made = await asyncio.gather(*(ensure_topic(settings, settings.topic) for _ in range(3)))
    assert len({identity.topic_id for identity in made}) == 1
    assert made[0].partitions == settings.partitions


@pytest.mark.kafka
async def test_topic_carries_the_limit_for_its_records(kafka_broker, settings_for):
    settings = settings_for(kafka_broker, max_bytes=3_000_000)
    await ensure_topic(settings, settings.topic)
    admin = AIOKafkaAdminClient(bootstrap_servers=settings.bootstrap)
    await admin.start()
    asked = ConfigResource(ConfigResourceType.TOPIC, settings.topic, configs={"max.message.bytes": ""})
    [response] = await admin.describe_configs([asked])
    await admin.close()
    assert response.resources[0][4][0][:2] == ("max.message.bytes", "3000000")


@pytest.mark.kafka
async def test_what_the_broker_refuses_is_said(kafka_broker, settings_for):
    settings = settings_for(kafka_broker, replication=3)
    with pytest.raises(FatalError, match=f"{settings.topic}.*ReplicationFactor"):
        await ensure_topic(settings, settings.topic)


async def test_topic_that_may_not_be_made_is_named(broker, settings_for):
    settings = settings_for(broker, create_topics=False)
    with pytest.raises(FatalError, match="create_topics"):
        await ensure_topic(settings, settings.topic)
