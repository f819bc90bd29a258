"""What is answered about clips and the episodes that they are of: records of the API, and of changes as they come."""

from typing import Annotated

from msgspec import Meta

from biographer.daemon.api_entity_records import ObservationRecord
from biographer.daemon.api_fields import End, Known, Late, Next, Start, StreamOf, Time
from biographer.daemon.api_records import AuthorOfText, AuthorRecord, Drawn, Record


class EpisodeRecord(Record, frozen=True, kw_only=True):
    """A described stretch of time."""

    episode: Annotated[str, Meta(description="l12, a local episode, or w12, one of a coarser scale.")]
    stream: StreamOf
    scale: Annotated[str, Meta(description="How long it is: local (one clip), 3min, 10min or 1h.")]
    clip: Annotated[str | None, Meta(description="What it is a local episode of; null for coarser ones.")]
    clip_name: Annotated[str | None, Meta(description="The name under which that clip was sent; null likewise.")]
    start: Start
    end: End
    known: Known
    late: Annotated[bool, Meta(description="Came late; of a coarser one: was opened again by a late clip.")]
    text: Annotated[str, Meta(description="What happened: a model's words where it wrote any, and what was recorded.")]
    holds: Annotated[tuple[str, ...], Meta(description="The local episodes of a coarser one, in order of time.")] = ()
    author: AuthorOfText = None


class EpisodePage(Record, frozen=True, kw_only=True):
    """A page of episodes in order of event time."""

    snapshot: Drawn
    episodes: Annotated[tuple[EpisodeRecord, ...], Meta(description="Those of this page.")]
    next: Next


class ClipRecord(Record, frozen=True, kw_only=True):
    """One unit of ingest."""

    clip: Annotated[str, Meta(description="Its name here, such as c12.")]
    stream: StreamOf
    name: Annotated[str, Meta(description="The name under which it was sent, by which a repeat is known.")]
    start: Start
    end: End
    known: Known
    late: Late
    version: Annotated[int, Meta(description="The version of the memory that applying it made.")]
    video: Annotated[str | None, Meta(description="Where to GET its pixels; null where they are not kept.")]
    frame: Annotated[str | None, Meta(description="Where to GET its first frame; add ?at= for others. Null likewise.")]


class ClipPage(Record, frozen=True, kw_only=True):
    """A page of clips in order of event time."""

    snapshot: Drawn
    clips: Annotated[tuple[ClipRecord, ...], Meta(description="Those of this page.")]
    next: Next


class LineRecord(Record, frozen=True, kw_only=True):
    """Text that came with a clip."""

    start: Start
    end: End
    kind: Annotated[str, Meta(description="speech, narration or caption.")]
    text: Annotated[str, Meta(description="What was said or told.")]
    speaker: Annotated[str | None, Meta(description="Who said it; null where that was not told.")]


class CaptionRecord(Record, frozen=True, kw_only=True):
    """What a model wrote of a clip's local episode."""

    text: Annotated[str, Meta(description="The caption.")]
    author: Annotated[AuthorRecord, Meta(description="Who wrote it.")]


class NameRecord(Record, frozen=True, kw_only=True):
    """A name that occurs in what was seen or said, as a model found it."""

    name: Annotated[str, Meta(description="As it is written there.")]
    kind: Annotated[str, Meta(description="person, object, place or other.")]


class ClipDetail(Record, frozen=True, kw_only=True):
    """One clip with its lines, what was seen in it, and what was written about it."""

    snapshot: Drawn
    clip: Annotated[ClipRecord, Meta(description="The one that was asked for.")]
    lines: Annotated[tuple[LineRecord, ...], Meta(description="What was said and told in it, in order of time.")]
    observations: Annotated[tuple[ObservationRecord, ...], Meta(description="What was seen in it.")]
    caption: Annotated[CaptionRecord | None, Meta(description="What a model wrote of it; null where none did.")] = None
    names: Annotated[tuple[NameRecord, ...], Meta(description="Names that a model found in it.")] = ()


class ChangeRecord(Record, frozen=True, kw_only=True):
    """What applying one clip brought, as an event; its id is the version."""

    stream: StreamOf
    version: Annotated[int, Meta(description="The version of the memory that it made.")]
    watermark: Annotated[Time, Meta(description="Event time up to which the stream is complete since.")]
    clip: Annotated[ClipRecord, Meta(description="The clip that was applied.")]
    observations: Annotated[tuple[str, ...], Meta(description="What was seen in it, such as o12.")]
    entities: Annotated[tuple[str, ...], Meta(description="Whose these observations are.")]
    new_entities: Annotated[tuple[str, ...], Meta(description="Those of them that it began.")]
