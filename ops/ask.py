"""`biographer ask`."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from biographer.daemon.api_ask_records import AskResult
from biographer.daemon.api_records import StreamRecord
from biographer.daemon.settings import Settings
from biographer.ops.ask_shown import show_answer
from biographer.ops.daemon_place import daemon_client, daemon_url
from biographer.ops.local_time import asked_time, refuse_untimely
from biographer.ops.options import as_of_option, config_option, json_option, settings_of, stream_option, url_option
from biographer.ops.search_shown import Shown
from biographer.ops.stream_asked import stream_asked
from biographer.state.errors import RefusedError
from biographer.state.zones import zone_of


@click.command()
@click.argument("question")
@stream_option
@as_of_option
@click.option("--options", "options", multiple=True, metavar="TEXT", help="One choice; give it once for each.")
@url_option
@config_option
@json_option
def ask(
    *,
    question: str,
    stream: str | None,
    as_of: str | None,
    options: tuple[str, ...],
    url: str | None,
    config: Path | None,
    as_json: bool,
) -> None:
    """Have a question answered from the memory, with citations.

    The running daemon is asked, and answers by the language model that its settings name. Without one it says what is
    missing, and shows the evidence of one search. As JSON it is the API's own answer.
    """
    refuse_untimely(as_of)
    if len(options) == 1:
        raise RefusedError("one option is no choice; give --options once for each, or not at all")
    settings = settings_of(config)
    source = url or daemon_url(settings)
    record, result = asyncio.run(answered(settings, source, stream, question, options, as_of))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(result), indent=2).decode())
    else:
        show_answer(result, options, Shown.of(record, source))


async def answered(
    settings: Settings,
    url: str,
    stream: str | None,
    question: str,
    options: Sequence[str] = (),
    as_of: str | None = None,
) -> tuple[StreamRecord, AskResult]:
    """Ask the daemon at an address; return the stream that was asked, the only one where none is named, and the answer.

    `as_of` may be without an offset: it is of the stream's zone then. Raises as the client does, and RefusedError where
    it is not clear which stream is meant.
    """
    async with daemon_client(settings, url) as client:
        record = await stream_asked(client, stream, url)
        moment = asked_time(as_of, zone_of(record.timezone))
        return record, await client.ask(record.stream, question, options, moment)
