"""Reading a memory from the command line: which stream is meant, and its records as rows with traceable names.

They are the API's: e12 an entity, o12 an observation, l12 a local episode, w12 a coarser one; a crop is its SHA-256 and
its file. Reading takes no lock: it sees one state of the store, and a daemon goes on writing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import tzinfo
from pathlib import Path

from biographer.ops.local_time import LocalTime
from biographer.ops.tables import Row
from biographer.state.episode import LOCAL
from biographer.state.errors import RefusedError
from biographer.state.folder import stream_names
from biographer.state.listing import EntityRow, EpisodeRow, ObservationRow, StreamRow
from biographer.state.media import MediaFolder
from biographer.state.observation import Crop
from biographer.state.reader import Reader
from biographer.state.zones import zone_of


@contextmanager
def reader_of(folder: Path, stream: str | None) -> Iterator[Reader]:
    """Open a stream, the only one where none is named; raises RefusedError where that is not clear."""
    reader = Reader(folder, chosen_stream(folder, stream))
    try:
        yield reader
    finally:
        reader.close()


def chosen_stream(folder: Path, stream: str | None) -> str:
    """Return the stream that is named, or the only one; raises RefusedError where that is not clear."""
    if stream is not None:
        return stream
    names = stream_names(folder)
    if not names:
        raise RefusedError(f"there is no stream in {folder}; name the state folder with --state or --config")
    if len(names) > 1:
        raise RefusedError(f"{folder} has {len(names)} streams; choose one with --stream: {', '.join(names)}")
    return names[0]


def entity_number(name: str) -> int:
    """Return the number of e12 or 12; raises RefusedError for anything else."""
    digits = name.removeprefix("e")
    if not digits.isascii() or not digits.isdigit():
        raise RefusedError(f"entity {name!r} is no entity's name; write it like e12 (`biographer entities` lists them)")
    return int(digits)


def stream_row(stream: StreamRow) -> Row:
    """Return a stream for showing. Raises RefusedError for a time zone that is unknown here."""
    zone = zone_of(stream.timezone)
    return {
        "stream": stream.stream,
        "version": stream.version,
        "start": _time(stream.start_us, zone),
        "watermark": _time(stream.watermark_us, zone),
        "timezone": stream.timezone,
        "clips": stream.clips,
        "late_clips": stream.late,
        "observations": stream.observations,
        "without_identity": stream.unidentified,
        "entities": stream.entities,
    }


def entity_row(entity: EntityRow, zone: tzinfo) -> Row:
    """Return an entity for showing."""
    return {
        "entity": f"e{entity.entity}",
        "name": entity.name,
        "label": entity.label,
        "observations": entity.observations,
        "clips": entity.clips,
        "first_seen": _time(entity.first_us, zone),
        "last_seen": _time(entity.last_us, zone),
        "apart_from": [f"e{other}" for other in entity.apart],
    }


def observation_row(one: ObservationRow, media: MediaFolder, zone: tzinfo) -> Row:
    """Return an observation for showing; a crop's `file` is None where it is no longer kept."""
    return {
        "observation": f"o{one.observation}",
        "clip": one.clip,
        "entity": None if one.entity is None else f"e{one.entity}",
        "label": one.label,
        "start": _time(one.start_us, zone),
        "end": _time(one.end_us, zone),
        "score": round(one.score, 4),
        "similarity": None if one.similarity is None else round(one.similarity, 4),
        "cause": one.cause,
        "text": one.text,
        "track": one.track,
        "known": _time(one.known_us, zone),
        "flaw": one.flaw,
        "crops": [_crop_row(crop, media, zone) for crop in one.crops],
    }


def episode_row(episode: EpisodeRow, zone: tzinfo) -> Row:
    """Return an episode for showing."""
    return {
        "episode": f"{'l' if episode.scale == LOCAL else 'w'}{episode.episode}",
        "scale": episode.scale,
        "clip": episode.clip,
        "start": _time(episode.start_us, zone),
        "end": _time(episode.end_us, zone),
        "known": _time(episode.known_us, zone),
        "late": episode.late,
        "text": episode.text,
    }


def media_of(reader: Reader) -> MediaFolder:
    """Return where the stream's crops and clips are."""
    return MediaFolder(reader.folder / "media")


def _crop_row(crop: Crop, media: MediaFolder, zone: tzinfo) -> Row:
    file = media.path(crop.sha256)
    return {
        "sha256": crop.sha256,
        "at": _time(crop.at_us, zone),
        "box": [round(side, 4) for side in crop.box],
        "file": str(file) if file.exists() else None,
    }


def _time(moment_us: int | None, zone: tzinfo) -> LocalTime | None:
    return None if moment_us is None else LocalTime(moment_us, zone)
