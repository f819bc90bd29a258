"""`biographer verify`."""

from pathlib import Path

import click

from biographer.daemon.parts import rule_of
from biographer.ops.options import config_option, json_option, settings_of, state_option
from biographer.ops.progress import bar
from biographer.ops.tables import show
from biographer.state.database import refuse_damaged
from biographer.state.errors import FatalError, RefusedError
from biographer.state.folder import StateFolder, stream_folder, stream_names
from biographer.state.verify import verdict


@click.command()
@click.option("--stream", help="Only this stream.")
@config_option
@state_option
@json_option
def verify(*, stream: str | None, config: Path | None, state: Path | None, as_json: bool) -> None:
    """Check that store, graph and indexes agree; print the state hash, and that of what models wrote.

    Two memories with the same hash hold the same records. Nothing may write meanwhile: it takes the folder's lock, and
    ends with an error where a daemon holds it or anything disagrees.
    """
    settings = settings_of(config, state)
    path = Path(settings.state.folder)
    known = stream_names(path)
    names = [name for name in known if stream in (None, name)]
    if not names:
        sought = "any stream" if stream is None else f"stream {stream!r}"
        raise RefusedError(f"{path} does not hold {sought}; known: {', '.join(known) or 'none'}")
    folder = StateFolder(path, rule_of(settings))
    try:
        for name in filter(folder.knows, names):
            refuse_damaged(stream_folder(path, name) / "memory.db")
        with bar() as progress:
            streams = map(folder.stream, progress.track(names, description="verified"))
            verdicts = [verdict(one.store, one.memory) for one in streams]
    finally:
        folder.close()
    rows = [
        {
            "stream": one.stream,
            "version": one.version,
            "hash": one.hash,
            "words_hash": one.words_hash,
            "sound": not one.faults,
            **one.counts,
        }
        for one in verdicts
    ]
    faults = [f"{one.stream}: {fault}" for one in verdicts for fault in one.faults]
    show(
        "streams", rows, as_json=as_json, head={"faults": faults}, hidden=tuple(verdicts[0].counts) if verdicts else ()
    )
    if faults:
        raise FatalError(f"{len(faults)} disagreements; restore a snapshot, or feed the log into an empty folder")
