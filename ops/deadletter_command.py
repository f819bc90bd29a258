"""`biographer deadletter`: the clips that were set aside, and sending them again."""

import asyncio
from pathlib import Path

import click

from biographer.daemon.parts import kafka_settings
from biographer.ops.options import config_option, json_option, settings_of
from biographer.ops.tables import Row, show
from biographer.state.errors import RefusedError
from biographer.state.times import format_time
from biographer.streams.dead_letters import Listed, read_letters, replay
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.sink import KafkaSink


@click.group()
def deadletter() -> None:
    """List and replay the clips that were set aside."""


@deadletter.command("list")
@config_option
@json_option
def list_letters(*, config: Path | None, as_json: bool) -> None:
    """List what lies on the dead-letter topic, each with its reason and origin."""
    letters = asyncio.run(_read(kafka_settings(settings_of(config))))
    hidden = ("error", "sha256", "set_aside", "payload")
    show("dead_letters", [_row(listed) for listed in letters], as_json=as_json, hidden=hidden)


@deadletter.command("replay")
@click.argument("letters", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Send all of them again.")
@config_option
def replay_letters(*, letters: tuple[str, ...], every: bool, config: Path | None) -> None:
    """Send LETTERS (PARTITION/OFFSET, as listed) to the clip topic again.

    A clip that is in the memory already changes nothing. The letter stays listed until the topic's retention ends it.
    One that can't be sent, since nothing is left of it, is named and does not hold up the others.
    """
    if bool(letters) == every:
        raise RefusedError("name letters as PARTITION/OFFSET (see `biographer deadletter list`), or give --all")
    sent, unsent = asyncio.run(_replay(kafka_settings(settings_of(config)), set(letters)))
    click.echo(f"sent {sent} again")
    for name, reason in unsent.items():
        click.echo(f"not sent: {name}: {reason}", err=True)
    if unsent:
        raise RefusedError(f"{len(unsent)} of {sent + len(unsent)} letters could not be sent; the others are")


async def _read(settings: KafkaSettings) -> list[Listed]:
    return [listed async for listed in read_letters(settings)]


async def _replay(settings: KafkaSettings, names: set[str]) -> tuple[int, dict[str, str]]:
    """Send those named, or all where none is; return how many were, and the reason by letter that was not."""
    listed = await _read(settings)
    unknown = names - {_name(one) for one in listed}
    if unknown:
        raise RefusedError(f"there is no letter {min(unknown)!r}; see `biographer deadletter list`")
    chosen = [one for one in listed if not names or _name(one) in names]
    unsent: dict[str, str] = {}
    async with KafkaSink(settings) as sink:
        for one in chosen:
            try:
                await replay(one.letter, settings, sink)
            except RefusedError as error:
                unsent[_name(one)] = str(error)
    return len(chosen) - len(unsent), unsent


def _name(listed: Listed) -> str:
    return f"{listed.partition}/{listed.offset}"


def _row(listed: Listed) -> Row:
    letter = listed.letter
    return {
        "letter": _name(listed),
        "stream": None if letter.key is None else letter.key.decode(errors="replace"),
        "origin": f"{letter.topic}/{letter.partition}/{letter.offset}",
        "sent": _time(letter.timestamp_us),
        "set_aside": _time(letter.at_us),
        "error": letter.error,
        "reason": letter.reason,
        "sha256": letter.sha256,
        "payload": "left out" if letter.payload_left_out else "kept",
    }


def _time(moment_us: int) -> str | None:
    return None if moment_us < 0 else format_time(moment_us)
