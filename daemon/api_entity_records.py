"""What is answered about entities and the observations that are theirs: records of the API."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from biographer.daemon.api_fields import Box, ClipNameOf, ClipOf, End, Known, Next, Start, StreamOf, Time
from biographer.daemon.api_records import AuthorRecord, Drawn, Record

Label: TypeAlias = Annotated[str, Meta(description="What the detector takes it for, such as cup.")]


class CropRecord(Record, frozen=True, kw_only=True):
    """One picture of an observation."""

    n: Annotated[int, Meta(description="Which of its pictures, from 0.")]
    at: Annotated[Time, Meta(description="When it was taken.")]
    box: Box
    path: Annotated[str, Meta(description="Where to GET it.")]


class DescriptionRecord(Record, frozen=True, kw_only=True):
    """What a vision-language model wrote about an observation; empty where it had nothing to say."""

    author: Annotated[AuthorRecord, Meta(description="Who wrote it.")]
    known: Known
    name: Annotated[str, Meta(description="What it is, in at most five words; never a person's name.")]
    is_person: Annotated[bool, Meta(description="Whether it is a person.")]
    appearance: Annotated[str, Meta(description="What it looks like.")]
    location: Annotated[str, Meta(description="Where it is or belongs.")]
    action: Annotated[str, Meta(description="What it does or what is done to it; empty without evidence.")]
    action_evidence: Annotated[str, Meta(description="The picture or line that shows the action.")]
    event: Annotated[str, Meta(description="What goes on around it.")]
    summary: Annotated[str, Meta(description="One to three sentences about it: what is searched, with its name.")]
    mark: Annotated[str, Meta(description="Text, logo or scratch that tells it from another of its model.")]
    lasting: Annotated[str, Meta(description="What holds in every sighting of it.")]
    confidence: Annotated[str, Meta(description="How sure the model says it is: low, medium or high.")]


class ObservationRecord(Record, frozen=True, kw_only=True):
    """One tracked subject in one clip."""

    observation: Annotated[str, Meta(description="Its name, such as o12.")]
    stream: StreamOf
    entity: Annotated[str | None, Meta(description="Whose it is, such as e12; null without evidence of identity.")]
    clip: ClipOf
    clip_name: ClipNameOf
    track: Annotated[int, Meta(description="Number of its track within the clip.")]
    label: Label
    text: Annotated[str, Meta(description="What it looks like in words: of its description where there is one.")]
    start: Annotated[Start, Meta(description="When it was first seen in the clip.")]
    end: Annotated[End, Meta(description="When it was last seen in the clip.")]
    known: Known
    score: Annotated[float, Meta(description="How sure the detector was of it, 0..1, over its frames.")]
    similarity: Annotated[
        float | None,
        Meta(
            description="Mean cosine to the entity's references when it was decided, -1..1; 1 where it began the "
            "entity, or a user or castings said so; null without an entity."
        ),
    ]
    cause: Annotated[
        str | None,
        Meta(
            description="Why it is the entity's: new (it began it), match (it looks like it), anchor (it stayed in "
            "place from the clip before), ruling (a user's word), casting (a model's); null without an entity."
        ),
    ]
    flaw: Annotated[str | None, Meta(description="Why there is no evidence of identity; null where there is evidence.")]
    crops: Annotated[tuple[CropRecord, ...], Meta(description="Its pictures, in order of time.")]
    description: Annotated[
        DescriptionRecord | None,
        Meta(description="The newest that was written about it, and what `text` is of; null where nobody wrote."),
    ] = None


class EntityRecord(Record, frozen=True, kw_only=True):
    """One inferred physical instance."""

    entity: Annotated[str, Meta(description="Its name, such as e12.")]
    stream: StreamOf
    name: Annotated[
        str | None, Meta(description="What a user called it, or whom the model took it for; null where nobody did.")
    ]
    named_by: Annotated[
        Literal["user", "castings"] | None,
        Meta(description="Whose word the name is; castings are a model's, and give way to a user's; null without one."),
    ] = None
    joined: Annotated[
        tuple[str, ...],
        Meta(description="Entities that castings say are parts of this one; a user who says `apart` parts them."),
    ] = ()
    label: Annotated[Label, Meta(description="The label of most of its observations, such as cup.")]
    observations: Annotated[int, Meta(description="How many observations it has.")]
    clips: Annotated[int, Meta(description="How many clips they are of.")]
    first_seen: Annotated[Time, Meta(description="When the first of them began.")]
    last_seen: Annotated[Time, Meta(description="When the last of them ended.")]
    crop: Annotated[
        str | None, Meta(description="Where to GET the first picture of its newest observation; null without one.")
    ]
    best_crop: Annotated[str | None, Meta(description="Where to GET the picture that shows it best; null without one.")]
    apart_from: Annotated[
        tuple[str, ...],
        Meta(description="Seen at another place in the same frames. Not being here proves nothing."),
    ]


class LabelRecord(Record, frozen=True, kw_only=True):
    """A label, and how many entities bear it."""

    label: Label
    entities: Annotated[int, Meta(description="How many entities bear it.")]


class EntityPage(Record, frozen=True, kw_only=True):
    """A page of entities."""

    snapshot: Drawn
    total: Annotated[int, Meta(description="How many there are on all pages.")]
    entities: Annotated[tuple[EntityRecord, ...], Meta(description="Those of this page, in the order asked for.")]
    labels: Annotated[
        tuple[LabelRecord, ...], Meta(description="The most frequent labels, whatever label or text is asked for.")
    ]
    next: Next


class Biography(Record, frozen=True, kw_only=True):
    """An entity and its observations in order of event time, or a page of them."""

    snapshot: Drawn
    entity: Annotated[EntityRecord, Meta(description="Whose it is.")]
    observations: Annotated[tuple[ObservationRecord, ...], Meta(description="Those of this page.")]
    next: Next


class TrailPoint(Record, frozen=True, kw_only=True):
    """Where the subject was at one frame."""

    at: Annotated[Time, Meta(description="When the frame was shown.")]
    box: Box


class ObservationPage(Record, frozen=True, kw_only=True):
    """One observation with its way through the clip."""

    snapshot: Drawn
    observation: Annotated[ObservationRecord, Meta(description="The one that was asked for.")]
    trail: Annotated[tuple[TrailPoint, ...], Meta(description="Where it was, frame by frame, in order of time.")]
