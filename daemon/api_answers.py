"""From the state's records to the API's: names, RFC 3339 times, and the paths where pixels are."""

from collections.abc import Sequence
from typing import Literal
from urllib.parse import quote

import numpy as np

from biographer.daemon import api_clip_records as clip_records
from biographer.daemon import api_entity_records as entity_records
from biographer.daemon import api_records as records
from biographer.daemon.unit_names import KINDS
from biographer.state.authorship import Authorship
from biographer.state.caption import Caption
from biographer.state.cut import Cut, Snapshot
from biographer.state.description import Description
from biographer.state.errors import RefusedError
from biographer.state.graph import Node
from biographer.state.line import Line
from biographer.state.name import Mention
from biographer.state.recalled_clips import ChangeRecord, ClipRecord, EpisodeRecord
from biographer.state.recalled_entities import Known, apart_from
from biographer.state.recalled_numbers import Numbers
from biographer.state.recalled_observations import Sighting, best_picture, crops_of
from biographer.state.times import SECOND_US, format_time
from biographer.state.trail import Trail


def number_of(name: str) -> int:
    """Return the number in a name such as e12, whose form has been checked."""
    return int(name[1:])


def node_of(name: str) -> Node:
    """Return the node that a name such as e12 stands for; raises RefusedError for other letters."""
    kind = KINDS.get(name[:1])
    if kind is None:
        raise RefusedError(f"node {name!r:.60} is of no known kind; write e12, o12, c12, l12, w12, n12 or f12")
    return Node(kind, number_of(name))


def place_of(stream: str) -> str:
    """Return the path below which a stream is."""
    return f"/v1/streams/{quote(stream, safe='')}"


def picture_path(stream: str, observation: int) -> str:
    """Return where to GET an observation's first picture."""
    return f"{place_of(stream)}/observations/o{observation}/crop/0"


def snapshot_record(snapshot: Snapshot, now_us: int) -> records.SnapshotRecord:
    """Name the state of memory that an answer was drawn from."""
    watermark, as_of = snapshot.watermark_us, snapshot.as_of_us
    until = now_us if as_of is None else as_of
    lag = None if watermark is None else max(0.0, (until - watermark) / SECOND_US)
    return records.SnapshotRecord(version=snapshot.version, watermark=_time(watermark), lag_s=lag, as_of=_time(as_of))


def stream_record(cut: Cut, numbers: Numbers, now_us: int) -> records.StreamRecord:
    """Return a stream in numbers."""
    snapshot = cut.snapshot
    return records.StreamRecord(
        stream=snapshot.stream,
        snapshot=snapshot_record(snapshot, now_us),
        start=_time(snapshot.start_us),
        timezone=str(cut.zone),
        clips=snapshot.clips,
        late_clips=snapshot.late,
        observations=numbers.observations,
        without_identity=numbers.without_identity,
        entities=numbers.entities,
    )


def entity_record(cut: Cut, one: Known) -> entity_records.EntityRecord:
    """Return an entity, with whom it was seen apart from and its newest picture."""
    stream, newest = cut.snapshot.stream, one.last_observation
    crop = picture_path(stream, newest) if crops_of(cut, [newest])[newest] else None
    best = best_picture(cut, one.entity, one.label)
    return entity_records.EntityRecord(
        entity=f"e{one.entity}",
        stream=stream,
        name=cut.standing.names.get(one.entity),
        named_by=_named_by(cut, one.entity),
        joined=tuple(f"e{part}" for part, owner in sorted(cut.people.owners.items()) if owner == one.entity),
        label=one.label,
        observations=one.observations,
        clips=one.clips,
        first_seen=format_time(one.first_us),
        last_seen=format_time(one.last_us),
        crop=crop,
        best_crop=None if best is None else picture_path(stream, best),
        apart_from=tuple(f"e{other}" for other in apart_from(cut, one.entity)),
    )


def _named_by(cut: Cut, entity: int) -> Literal["user", "castings"] | None:
    if entity in cut.ruled.names:
        return "user"
    return "castings" if entity in cut.people.names else None


def observation_record(stream: str, one: Sighting, said: Description | None = None) -> entity_records.ObservationRecord:
    """Return an observation, in the words of its description where there is one."""
    name = f"o{one.number}"
    path = f"{place_of(stream)}/observations/{name}/crop"
    return entity_records.ObservationRecord(
        observation=name,
        stream=stream,
        entity=None if one.entity is None else f"e{one.entity}",
        clip=f"c{one.clip}",
        clip_name=one.clip_name,
        track=one.track,
        label=one.label,
        text=one.text if said is None else said.text,
        start=format_time(one.start_us),
        end=format_time(one.end_us),
        known=format_time(one.known_us),
        score=one.score,
        similarity=one.similarity,
        cause=one.cause,
        flaw=one.flaw,
        crops=tuple(
            entity_records.CropRecord(n=n, at=format_time(crop.at_us), box=crop.box, path=f"{path}/{n}")
            for n, crop in enumerate(one.crops)
        ),
        description=None if said is None else _description(said),
    )


def author_record(author: Authorship) -> records.AuthorRecord:
    """Return who wrote a text."""
    return records.AuthorRecord(model=author.model, prompt=author.prompt)


def _description(said: Description) -> entity_records.DescriptionRecord:
    return entity_records.DescriptionRecord(
        author=author_record(said.author),
        known=format_time(said.known_us),
        name=said.name,
        is_person=said.is_person,
        appearance=said.appearance,
        location=said.location,
        action=said.action,
        action_evidence=said.action_evidence,
        event=said.event,
        summary=said.summary,
        mark=said.mark,
        lasting=said.lasting,
        confidence=said.confidence.value,
    )


def trail_points(trail: Trail) -> tuple[entity_records.TrailPoint, ...]:
    """Return where a subject was, frame by frame."""
    boxes = np.round(trail.boxes.astype(np.float64), 4).tolist()
    moments = map(format_time, trail.times_us.tolist())
    return tuple(entity_records.TrailPoint(at=at, box=tuple(box)) for at, box in zip(moments, boxes, strict=True))


def episode_record(stream: str, one: EpisodeRecord) -> clip_records.EpisodeRecord:
    """Return an episode of any scale."""
    return clip_records.EpisodeRecord(
        episode=f"{'w' if one.clip is None else 'l'}{one.number}",
        stream=stream,
        scale=one.scale,
        clip=None if one.clip is None else f"c{one.clip}",
        clip_name=one.clip_name,
        start=format_time(one.start_us),
        end=format_time(one.end_us),
        known=format_time(one.known_us),
        late=one.late,
        text=one.text,
        holds=tuple(f"l{number}" for number in one.holds),
        author=None if one.author is None else author_record(one.author),
    )


def clip_record(stream: str, one: ClipRecord) -> clip_records.ClipRecord:
    """Return a clip; whether its pixels are still there is seen when someone asks for them."""
    path = f"{place_of(stream)}/clips/c{one.number}"
    return clip_records.ClipRecord(
        clip=f"c{one.number}",
        stream=stream,
        name=one.name,
        start=format_time(one.start_us),
        end=format_time(one.end_us),
        known=format_time(one.known_us),
        late=one.late,
        version=one.version,
        video=None if one.media is None else f"{path}/video",
        frame=None if one.media is None else f"{path}/frame",
    )


def line_records(lines: Sequence[Line]) -> tuple[clip_records.LineRecord, ...]:
    """Return a clip's lines."""
    return tuple(
        clip_records.LineRecord(
            start=format_time(line.start_us),
            end=format_time(line.end_us),
            kind=str(line.kind),
            text=line.text,
            speaker=line.speaker,
        )
        for line in lines
    )


def caption_record(caption: Caption | None) -> clip_records.CaptionRecord | None:
    """Return what was written of a clip; None where nobody wrote."""
    return (
        None if caption is None else clip_records.CaptionRecord(text=caption.text, author=author_record(caption.author))
    )


def name_records(mentions: Sequence[Mention]) -> tuple[clip_records.NameRecord, ...]:
    """Return the names that were found."""
    return tuple(clip_records.NameRecord(name=one.name, kind=one.kind.value) for one in mentions)


def change_record(stream: str, one: ChangeRecord) -> clip_records.ChangeRecord:
    """Return what applying a clip brought."""
    return clip_records.ChangeRecord(
        stream=stream,
        version=one.clip.version,
        watermark=format_time(one.clip.watermark_us),
        clip=clip_record(stream, one.clip),
        observations=tuple(f"o{number}" for number in one.observations),
        entities=tuple(f"e{number}" for number in one.entities),
        new_entities=tuple(f"e{number}" for number in one.new_entities),
    )


def _time(moment_us: int | None) -> str | None:
    return None if moment_us is None else format_time(moment_us)
