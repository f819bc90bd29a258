"""`biographer bench`: the benches, given what can start a broker for them."""

from biographer.bench.cli import bench_group
from biographer.ops.answers_command import answers
from biographer.ops.broker import Broker, EmbeddedBroker
from biographer.ops.kafka_broker import KafkaBroker, missing


def _best() -> Broker:
    """Return Apache Kafka where it can be had: the embedded broker lets a member wait for seconds before it joins."""
    return EmbeddedBroker() if missing() else KafkaBroker()


bench = bench_group({"auto": _best, "kafka": KafkaBroker, "embedded": EmbeddedBroker})
bench.add_command(answers)
