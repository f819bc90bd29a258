"""`biographer search`."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

import click
import msgspec

from biographer.daemon.api_search_records import SearchResult
from biographer.daemon.client_async import AsyncClient
from biographer.daemon.client_call import Ask
from biographer.daemon.settings import Settings
from biographer.ops.daemon_place import daemon_client, daemon_url
from biographer.ops.local_time import asked_time, local_time, refuse_untimely
from biographer.ops.options import (
    WITHOUT_OFFSET,
    as_of_option,
    config_option,
    json_option,
    settings_of,
    state_option,
    stream_option,
    url_option,
)
from biographer.ops.progress import steps_of
from biographer.ops.search_shown import Shown, show_result
from biographer.ops.stream_asked import stream_asked
from biographer.state.errors import RefusedError, TransientError
from biographer.state.folder import stream_names

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@dataclass(frozen=True, slots=True)
class Place:
    """Where the search is to be made: the first of them that is given, else whatever is there."""

    snapshot: Path | None
    state: Path | None
    url: str | None


@dataclass(frozen=True, slots=True)
class Times:
    """The times that were typed; those without an offset are of the stream that is asked, once it is known."""

    as_of: str | None
    between: tuple[str, str] | None

    def stretch(self, zone: tzinfo) -> tuple[str, str] | None:
        """Return the stretch of time as the API takes it."""
        if self.between is None:
            return None
        return local_time(self.between[0], zone).utc, local_time(self.between[1], zone).utc


@click.command()
@click.argument("text", default="")
@stream_option
@as_of_option
@click.option(
    "--between",
    nargs=2,
    metavar="RFC3339 RFC3339",
    help=f"Only this time; without TEXT all that was then. {WITHOUT_OFFSET}",
)
@click.option("--label", help="Only what shows a thing of this label.")
@click.option("--entity", metavar="E12", help="Only what shows this entity.")
@click.option("--speaker", help="Only where this speaker is heard.")
@click.option("--image", type=FILE, help="A picture of what is looked for.")
@click.option("--limit", type=click.IntRange(1, 1000), default=16, show_default=True, help="Most units of evidence.")
@click.option("--snapshot", type=FOLDER, help="Search a snapshot that `biographer export` made.")
@url_option
@config_option
@state_option
@json_option
def search(
    *,
    text: str,
    stream: str | None,
    as_of: str | None,
    between: tuple[str, str] | None,
    label: str | None,
    entity: str | None,
    speaker: str | None,
    image: Path | None,
    limit: int,
    snapshot: Path | None,
    url: str | None,
    config: Path | None,
    state: Path | None,
    as_json: bool,
) -> None:
    """Find what the memory holds on a question.

    The running daemon is asked. Where none answers, the state folder of the settings is read as it lies there, which
    takes some seconds; --state reads one without asking a daemon, --snapshot one that was exported, and --url insists
    on a daemon. As JSON it is the API's own answer.
    """
    given = [name for name, value in (("--snapshot", snapshot), ("--state", state), ("--url", url)) if value]
    if len(given) > 1:
        raise RefusedError(f"{' and '.join(given)} name different places; give one of them")
    if not text.strip() and image is None and between is None:
        raise RefusedError("nothing is asked; give words, --image or --between")
    refuse_untimely(as_of, *(between or ()))
    asked: Ask = {
        "limit": limit,
        "label": label,
        "entity": entity,
        "speaker": speaker,
        "image": None if image is None else image.read_bytes(),
    }
    settings = settings_of(config, state)
    place, times = Place(snapshot, state, url), Times(as_of, between)
    shown, result = asyncio.run(_asked(settings, place, stream, text, asked, times))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(result), indent=2).decode())
    else:
        show_result(result, shown)


async def _asked(
    settings: Settings, place: Place, stream: str | None, text: str, asked: Ask, times: Times
) -> tuple[Shown, SearchResult]:
    images = asked.get("image") is not None
    async with _opened(settings, place, images=images) as (client, source):
        record = await stream_asked(client, stream, source)
        shown = Shown.of(record, source)
        timed: Ask = {**asked, "as_of": asked_time(times.as_of, shown.zone), "between": times.stretch(shown.zone)}
        return shown, await client.search(record.stream, text, **timed)


@asynccontextmanager
async def _opened(settings: Settings, place: Place, *, images: bool) -> AsyncIterator[tuple[AsyncClient, str]]:
    """Yield a client of the place, and what the place is called."""
    folder = place.state
    if folder is None and place.snapshot is None:
        url = place.url or daemon_url(settings)
        async with daemon_client(settings, url) as client:
            if await client.alive():
                yield client, url
                return
        folder = _instead(settings, url, insisted=bool(place.url or settings.client.url))
    # The API itself, which who asks a daemon need not wait for.
    from biographer.ops.search_places import folder_client, snapshot_client  # noqa: PLC0415

    if place.snapshot is not None:
        with steps_of() as steps:
            async with snapshot_client(place.snapshot, settings, _say, steps, images=images) as client:
                yield client, f"snapshot {place.snapshot}"
        return
    if folder is None or not stream_names(folder):
        raise RefusedError(f"there is no stream in {folder}; name another folder with --state, or a snapshot")
    async with folder_client(folder, settings, _say, images=images) as client:
        yield client, f"state folder {folder}"


def _instead(settings: Settings, url: str, *, insisted: bool) -> Path:
    """Return the state folder to read where no daemon answers; raises TransientError where that is not wanted."""
    folder = Path(settings.state.folder)
    if insisted or not stream_names(folder):
        remedy = "start one with `biographer serve`, or search a snapshot with --snapshot or a folder with --state"
        raise TransientError(f"no daemon answers at {url}; {remedy}")
    _say(f"no daemon answers at {url}: reading {folder} itself")
    return folder


def _say(told: str) -> None:
    click.echo(f"biographer: {told}", err=True)
