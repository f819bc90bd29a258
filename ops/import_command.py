"""`biographer import`."""

from pathlib import Path

import click

from biographer.daemon.parts import media_limit_of, rule_of
from biographer.ops.importing import take_in
from biographer.ops.options import config_option, json_option, settings_of, state_option
from biographer.ops.progress import steps_of
from biographer.ops.snapshot_manifest import read_manifest
from biographer.ops.snapshot_parquet import refuse_missing_extra
from biographer.ops.tables import show
from biographer.state.folder import StateFolder


@click.command("import")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--stream", help="Name for the stream, instead of the one in the snapshot.")
@config_option
@state_option
@json_option
def import_(*, folder: Path, stream: str | None, config: Path | None, state: Path | None, as_json: bool) -> None:
    """Take a snapshot into the memory.

    FOLDER is one that `biographer export` wrote. Every file is checked by its hash, and the memory that comes of them
    by the state hash; nothing is ever overwritten. It refuses while a daemon holds the state folder.
    """
    settings = settings_of(config, state)
    refuse_missing_extra()
    read_manifest(folder)
    holder = StateFolder(Path(settings.state.folder), rule_of(settings), media_limit=media_limit_of(settings))
    try:
        with steps_of() as steps:
            imported = take_in(folder, holder, steps, stream)
    finally:
        holder.close()
    manifest = imported.manifest
    row = {
        "stream": imported.stream,
        "version": manifest.version,
        "watermark": manifest.watermark,
        "state_hash": manifest.state_hash,
    }
    show("streams", [row], as_json=as_json)
