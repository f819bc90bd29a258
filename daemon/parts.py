"""What the settings are made into: the records and parts that each folder asks for."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from biographer.daemon.secret import secret
from biographer.daemon.settings import Settings
from biographer.models.catalogue import MODELS, KnownModel, Role
from biographer.models.cleanup import CleanupSettings
from biographer.models.crops import CropSettings
from biographer.models.perceiver_settings import PerceiverSettings
from biographer.models.runtime import Runtime
from biographer.models.tracker import TrackerSettings
from biographer.state.rule import Rule, Thresholds
from biographer.state.search_settings import SearchSettings
from biographer.state.times import SECOND_US
from biographer.state.trail import Separation
from biographer.streams.decoder import Decoder
from biographer.streams.kafka_settings import KafkaSecurity, KafkaSettings, Mechanism, OnPositionGone, Protocol
from biographer.streams.uri import Fetcher

OFF = "none"
"""By which the settings switch a model off."""


def kafka_settings(settings: Settings) -> KafkaSettings:
    """Return what the Kafka side is told. Raises RefusedError for an unreadable password file."""
    kafka = settings.kafka
    security = KafkaSecurity(
        protocol=Protocol(kafka.protocol),
        mechanism=Mechanism(kafka.mechanism),
        user=kafka.user,
        password=secret(kafka.password, kafka.password_file, "kafka.password_file"),
        ca_file=kafka.ca_file,
        certificate_file=kafka.certificate_file,
        key_file=kafka.key_file,
        key_password=secret(kafka.key_password, kafka.key_password_file, "kafka.key_password_file"),
        check_hostname=kafka.check_hostname,
    )
    return KafkaSettings(
        bootstrap=kafka.bootstrap,
        topic=kafka.topic,
        dead_letter_topic=kafka.dead_letter_topic,
        group=kafka.group,
        member=kafka.member,
        security=security,
        max_bytes=kafka.max_bytes,
        create_topics=kafka.create_topics,
        partitions=kafka.partitions,
        replication=kafka.replication,
        idempotent=kafka.idempotent,
        on_position_gone=OnPositionGone(kafka.on_position_gone),
        fetch_max_wait_ms=kafka.fetch_max_wait_ms,
        fetch_bytes=kafka.fetch_bytes,
        buffer_records=kafka.buffer_records,
        buffer_bytes=kafka.buffer_bytes,
        session_timeout_ms=kafka.session_timeout_ms,
        heartbeat_interval_ms=kafka.heartbeat_interval_ms,
        max_poll_interval_ms=kafka.max_poll_interval_ms,
        request_timeout_ms=kafka.request_timeout_ms,
        check_interval_ms=kafka.check_interval_ms,
    )


def rule_of(settings: Settings) -> Rule:
    """Return the association rule; thresholds come from the settings, else the catalogue, else the fallback."""
    section = settings.association
    calibrated = {
        model.name: Thresholds(model.similar_to_all, model.similar_to_one)
        for model in MODELS.values()
        if model.similar_to_all is not None and model.similar_to_one is not None
    }
    own = {name: Thresholds(*pair) for name, pair in section.thresholds.items()}
    return Rule(
        references=section.references,
        separation=Separation(
            min_shared_us=round(section.apart_shared_s * SECOND_US),
            min_shared_frames=section.apart_shared_frames,
            iou=section.apart_iou,
            fraction=section.apart_fraction,
        ),
        anchor_iou=section.anchor_iou,
        anchor_gap_us=round(section.anchor_gap_s * SECOND_US),
        thresholds={"": Thresholds(section.similar_to_all, section.similar_to_one), **calibrated, **own},
    )


def models_named(settings: Settings) -> Mapping[Role, str]:
    """Return what the settings have a daemon load, by role: names of the catalogue, and files; what is off is not."""
    section = settings.perceive
    wanted: Mapping[Role, str] = {
        "detector": section.detector,
        "embedder": section.embedder,
        "text_embedder": section.text_embedder,
    }
    return {role: name for role, name in wanted.items() if name != OFF}


def models_needed(settings: Settings) -> tuple[KnownModel, ...]:
    """Return the models of the catalogue among them: all that is to be fetched."""
    return tuple(MODELS[name] for name in models_named(settings).values() if name in MODELS)


def models_folder(settings: Settings) -> Path:
    """Return where weights lie."""
    return Path(settings.models.folder or "~/.cache/biographer/models").expanduser()


def runtime_of(settings: Settings) -> Runtime:
    """Return what runs networks. Raises FatalError without ONNX Runtime."""
    return Runtime(models_folder(settings) / "engines", settings.models.providers or None, settings.models.threads)


def perceiver_settings(settings: Settings) -> PerceiverSettings:
    """Return how clips become observations."""
    section = settings.perceive
    return PerceiverSettings(
        tracker=TrackerSettings(start_score=section.start_score),
        cleanup=CleanupSettings(visible_s=section.visible_s, regroup_similarity=section.regroup_similarity),
        crops=CropSettings(count=section.crops, side=section.crop_side, quality=section.crop_quality),
        batch=section.batch,
    )


def decoder_of(settings: Settings) -> Decoder:
    """Return what turns clips into frames."""
    return Decoder(settings.perceive.rate, settings.perceive.side_max, settings.pipeline.decode_limit_s)


def fetcher_of(settings: Settings) -> Fetcher:
    """Return what brings clips that lie elsewhere."""
    return Fetcher(tuple(map(Path, settings.clips.roots)), settings.clips.hosts, settings.clips.limit_bytes)


def search_settings_of(settings: Settings) -> SearchSettings:
    """Return how the memory is searched."""
    told = msgspec.structs.asdict(settings.search)
    return SearchSettings(**{**told, "without": frozenset(settings.search.without)})


def media_limit_of(settings: Settings) -> int | None:
    """Return the bound on kept pixels, None for no bound."""
    return settings.state.media_limit_bytes or None
