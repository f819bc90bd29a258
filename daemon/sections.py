"""The sections of the settings: every key, its type, range, default and meaning. Reading them is `settings`' work.

The description of a field is its documentation: SETTINGS.md is made of nothing else.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias, get_args

import msgspec
from msgspec import Meta

from biographer.models.cleanup import CleanupSettings
from biographer.models.crops import CropSettings
from biographer.models.tracker import TrackerSettings

_MIB = 1024 * 1024
_TRACKER, _CLEANUP, _CROPS = TrackerSettings(), CleanupSettings(), CropSettings()
"""Perceiving is tuned where it is done; its defaults are taken from there."""

Cosine: TypeAlias = Annotated[float, Meta(ge=-1, le=1)]


SECRET = {"secret": True}
"""Marks a field that is never shown: neither where it is refused nor where settings end up in a log."""

OUTSIDE_FILES = {"secret": True, "outside_files": True}
"""Marks a secret that is refused in a settings file, which is read by many."""


class Section(msgspec.Struct, frozen=True):
    """Base of all sections: immutable, and nothing unknown in it."""

    def __repr__(self) -> str:
        """Show what is no secret."""
        fields = msgspec.structs.fields(self)
        shown = [f"{one.name}={getattr(self, one.name)!r}" for one in fields if not marked(one, "secret")]
        return f"{type(self).__name__}({', '.join(shown)})"


def marked(field: msgspec.structs.FieldInfo, mark: str) -> bool:
    """Whether a field bears a mark, such as secret."""
    return any(isinstance(meta, Meta) and mark in (meta.extra or {}) for meta in get_args(field.type)[1:])


class State(Section, frozen=True):
    """Where the memory lies and what it keeps of the pixels."""

    folder: Annotated[str, Meta(min_length=1, description="Folder of the memory; one daemon at a time holds it.")] = (
        "biographer-state"
    )
    timezone: Annotated[
        str,
        Meta(
            min_length=1,
            description="Where midnight is for streams that begin: a name like Europe/Berlin. A stream keeps its own.",
        ),
    ] = "UTC"
    keep: Annotated[
        Literal["clips", "crops", "nothing"],
        Meta(description="Which pixels are kept: whole clips with the crops, the crops alone, or nothing."),
    ] = "clips"
    media_limit_bytes: Annotated[
        int, Meta(ge=0, description="Most bytes of kept pixels per stream; the oldest go first. 0 means no bound.")
    ] = 0


class Kafka(Section, frozen=True):
    """The broker, the topics and how the connection is secured."""

    bootstrap: Annotated[str, Meta(description="Broker addresses, host:port, separated by commas.")] = "127.0.0.1:9092"
    topic: Annotated[str, Meta(description="Topic that clips are read from.")] = "biographer.clips"
    dead_letter_topic: Annotated[str, Meta(description="Topic that clips are set aside on, with the reason.")] = (
        "biographer.dead-letters"
    )
    group: Annotated[str, Meta(description="Consumer group; daemons of one group share the partitions.")] = "biographer"
    member: Annotated[
        str,
        Meta(description="Name of this daemon in the group, unlike any other's: killed, it is back at once."),
    ] = ""
    protocol: Annotated[
        Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"], Meta(description="How the connection is secured.")
    ] = "PLAINTEXT"
    mechanism: Annotated[
        Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"], Meta(description="How SASL proves who we are.")
    ] = "PLAIN"
    user: Annotated[str, Meta(description="SASL user.")] = ""
    password: Annotated[str, Meta(description="SASL password; better in `password_file`.", extra=SECRET)] = ""
    password_file: Annotated[str, Meta(description="File whose first line is the SASL password.", extra=SECRET)] = ""
    ca_file: Annotated[str, Meta(description="PEM file of trusted authorities; empty takes the system's.")] = ""
    certificate_file: Annotated[str, Meta(description="PEM file of our own certificate, for mutual TLS.")] = ""
    key_file: Annotated[str, Meta(description="PEM file of that certificate's key.")] = ""
    key_password: Annotated[
        str, Meta(description="Password of the key; better in `key_password_file`.", extra=SECRET)
    ] = ""
    key_password_file: Annotated[
        str, Meta(description="File whose first line is the key's password.", extra=SECRET)
    ] = ""
    check_hostname: Annotated[bool, Meta(description="Whether the broker's certificate must bear its host's name.")] = (
        True
    )
    max_bytes: Annotated[
        int, Meta(ge=1024, description="Largest record that is sent, and the limit that topics are created with.")
    ] = 8 * _MIB
    create_topics: Annotated[bool, Meta(description="Whether missing topics are created.")] = True
    partitions: Annotated[int, Meta(ge=1, description="Partitions of a topic that we create.")] = 4
    replication: Annotated[int, Meta(ge=1, description="Replicas of a topic that we create.")] = 1
    idempotent: Annotated[
        bool, Meta(description="Whether the broker drops repeated sends; false on the embedded broker.")
    ] = True
    on_position_gone: Annotated[
        Literal["earliest", "stop"],
        Meta(description="Where the store's position is not in the log: read from the start, or stop."),
    ] = "earliest"
    fetch_max_wait_ms: Annotated[int, Meta(ge=0, description="How long the broker may wait for more to send.")] = 20
    fetch_bytes: Annotated[int, Meta(ge=1, description="Most bytes of a partition in one fetch.")] = 2 * _MIB
    buffer_records: Annotated[int, Meta(ge=1, description="Records of a partition that wait before the pipeline.")] = 8
    buffer_bytes: Annotated[int, Meta(ge=1, description="Bytes of records that wait before the pipeline, in all.")] = (
        64 * _MIB
    )
    session_timeout_ms: Annotated[
        int, Meta(ge=1, description="Silence after which our partitions are another's; 6000 on the embedded broker.")
    ] = 30_000
    heartbeat_interval_ms: Annotated[
        int, Meta(ge=1, description="Time between heartbeats; 300 on the embedded broker.")
    ] = 3_000
    max_poll_interval_ms: Annotated[
        int, Meta(ge=1, description="Time without a fetch after which the group counts us as stuck.")
    ] = 300_000
    request_timeout_ms: Annotated[int, Meta(ge=1, description="Time that a request to the broker may take.")] = 15_000
    check_interval_ms: Annotated[int, Meta(ge=1, description="Time between checks of the broker's health and lag.")] = (
        2_000
    )


class Perceive(Section, frozen=True):
    """From frames to observations."""

    detector: Annotated[
        str,
        Meta(description="A name of the catalogue, an ONNX file, or none: device tracks and lines only."),
    ] = "nanodet-g-416"
    embedder: Annotated[str, Meta(description="A name of the catalogue, an ONNX file, or none: no identities.")] = (
        "nanodet-g-416-stats"
    )
    text_embedder: Annotated[
        str, Meta(description="A name of the catalogue, or none: searches then go by words alone.")
    ] = "minilm-l6-int8"
    rate: Annotated[float, Meta(gt=0, le=60, description="Frames looked at, per second of video.")] = 5.0
    side_max: Annotated[int, Meta(ge=64, description="Longest side in pixels that frames are decoded to.")] = 1280
    score: Annotated[
        float, Meta(ge=0, le=1, description="Score from which a detection counts; weak ones only continue tracks.")
    ] = 0.2
    start_score: Annotated[float, Meta(ge=0, le=1, description="Score from which a detection begins a track.")] = (
        _TRACKER.start_score
    )
    visible_s: Annotated[
        float,
        Meta(ge=0, description="Seconds seen from which a track is an observation; half of a shorter clip."),
    ] = _CLEANUP.visible_s
    regroup_similarity: Annotated[
        float, Meta(ge=-1, le=1, description="Mean cosine from which tracks that share no frame are one split track.")
    ] = _CLEANUP.regroup_similarity
    crops: Annotated[int, Meta(ge=1, description="Pictures of an observation.")] = _CROPS.count
    crop_side: Annotated[int, Meta(ge=16, description="Longest side of a picture, in pixels.")] = _CROPS.side
    crop_quality: Annotated[int, Meta(ge=1, le=95, description="JPEG quality of a picture.")] = _CROPS.quality
    batch: Annotated[int, Meta(ge=1, description="Frames that the detector is given at a time.")] = 8


class Association(Section, frozen=True):
    """Which sightings are the same thing (GEB section 3.3)."""

    references: Annotated[int, Meta(ge=1, description="Most recent observations of an entity that are compared.")] = 10
    apart_shared_s: Annotated[
        float, Meta(ge=0, description="Seconds two subjects must share frames for, to be seen apart.")
    ] = 0.3
    apart_shared_frames: Annotated[int, Meta(ge=1, description="Frames they must share, at least.")] = 2
    apart_iou: Annotated[float, Meta(ge=0, le=1, description="Overlap under which they are at different places.")] = 0.5
    apart_fraction: Annotated[
        float, Meta(gt=0, le=1, description="Fraction of the shared frames in which they must be.")
    ] = 2 / 3
    anchor_iou: Annotated[
        float, Meta(ge=0, le=1, description="Overlap from which a box stayed in place across a cut.")
    ] = 0.6
    anchor_gap_s: Annotated[float, Meta(ge=0, description="Seconds from the cut within which both are seen.")] = 0.5
    similar_to_all: Annotated[
        float, Meta(ge=-1, le=1, description="Cosine that every reference reaches, for embedders with no own value.")
    ] = 0.60
    similar_to_one: Annotated[
        float, Meta(ge=-1, le=1, description="Cosine that one reference reaches, for embedders with no own value.")
    ] = 0.75
    thresholds: Annotated[
        Mapping[str, tuple[Cosine, Cosine]],
        Meta(description='Per embedder, over the catalogue\'s: {"name" = [similar_to_all, similar_to_one]}.'),
    ] = {}


class Order(Section, frozen=True):
    """When clips that come out of order are applied."""

    lateness_s: Annotated[
        float, Meta(ge=0, description="Seconds of event time that a clip after a gap waits for what is missing.")
    ] = 0.0
    held_clips: Annotated[int, Meta(ge=1, description="Most clips of a stream that wait; then the first goes.")] = 16
    future_s: Annotated[float, Meta(ge=0, description="Seconds that a clip may end after its arrival; 0: any.")] = 3600


class Models(Section, frozen=True):
    """Where networks come from and what they run on."""

    folder: Annotated[
        str, Meta(description="Folder of downloaded weights and engine caches; empty takes the user's cache folder.")
    ] = ""
    providers: Annotated[
        tuple[str, ...],
        Meta(description="ONNX Runtime providers in order of preference; empty takes TensorRT, CUDA, CPU as present."),
    ] = ()
    threads: Annotated[int, Meta(ge=0, description="Threads of one network run; 0 leaves it to the runtime.")] = 0


class Http(Section, frozen=True):
    """The API, the console, health and metrics."""

    host: Annotated[
        str,
        Meta(min_length=1, description="Address to listen at; without any token only this machine is served."),
    ] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535, description="Port to listen at; 0 takes any free one.")] = 8640
    hosts: Annotated[
        tuple[str, ...],
        Meta(description="Names that the daemon may be asked by, beside localhost and literal addresses."),
    ] = ()
    lag_max: Annotated[
        int, Meta(ge=0, description="Records not yet delivered from which readiness is red; 0: never for that.")
    ] = 0


class Client(Section, frozen=True):
    """Which daemon commands such as `search` ask, and as whom."""

    url: Annotated[
        str, Meta(description="Address of the daemon; empty takes http.host and http.port, on this machine.")
    ] = ""
    token: Annotated[str, Meta(description="Token that is borne; better in `token_file`.", extra=SECRET)] = ""
    token_file: Annotated[str, Meta(description="File whose first line is the token.")] = ""
    timeout_s: Annotated[float, Meta(gt=0, description="Seconds that a daemon may take for one step of an answer.")] = (
        30.0
    )


class Log(Section, frozen=True):
    """What is written to standard error."""

    level: Annotated[Literal["debug", "info", "warning", "error"], Meta(description="Least level that is written.")] = (
        "info"
    )
    format: Annotated[Literal["console", "json"], Meta(description="For people, or JSON a line.")] = "console"


class Pipeline(Section, frozen=True):
    """How much is in hand at once, and when to give up."""

    perceivers: Annotated[int, Meta(ge=1, description="Clips perceived at once, over all streams.")] = 2
    ahead: Annotated[int, Meta(ge=1, description="Clips of one stream perceived at once.")] = 2
    queue_records: Annotated[
        int, Meta(ge=1, description="Records of a partition in hand at which it is paused; resumed at half.")
    ] = 8
    queue_bytes: Annotated[
        int, Meta(ge=1, description="Bytes of a partition in hand at which it is paused; resumed at half.")
    ] = 64 * _MIB
    crashes_max: Annotated[
        int, Meta(ge=1, description="Crashes of the daemon at work on a clip after which the clip is set aside.")
    ] = 3
    fetch_tries: Annotated[int, Meta(ge=1, description="Tries for a clip's file elsewhere, then it is set aside.")] = 5
    decode_limit_s: Annotated[float, Meta(gt=0, description="Seconds that decoding one clip may take.")] = 120.0
    idle_flush_s: Annotated[
        float,
        Meta(
            ge=0,
            description="Quiet seconds after which a flush is sent for clips that wait; 0: never.",
        ),
    ] = 0.0
    store_position_s: Annotated[
        float, Meta(gt=0, description="Seconds between writes of a position behind records that changed nothing.")
    ] = 10.0
    product_threads: Annotated[
        int, Meta(ge=1, description="Threads of one matrix product of association or search; several go on at once.")
    ] = 1
    retry_first_s: Annotated[float, Meta(gt=0, description="First pause before trying again; it doubles.")] = 0.1
    retry_last_s: Annotated[float, Meta(gt=0, description="Longest pause before trying again.")] = 5.0


class Clips(Section, frozen=True):
    """Clips whose pixels lie elsewhere, and bounds on what one may be."""

    roots: Annotated[tuple[str, ...], Meta(description="Folders that file: uris may lie in; empty allows none.")] = ()
    hosts: Annotated[tuple[str, ...], Meta(description="Hosts that http(s): uris may name; empty allows none.")] = ()
    limit_bytes: Annotated[int, Meta(ge=1, description="Largest file that is fetched.")] = 1024 * _MIB
