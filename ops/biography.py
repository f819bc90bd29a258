"""`biographer biography`."""

from pathlib import Path

import click

from biographer.ops.options import config_option, json_option, settings_of, state_option, stream_option
from biographer.ops.reading import entity_number, entity_row, media_of, observation_row, reader_of
from biographer.ops.tables import show

HIDDEN = ("entity", "score", "track", "known", "flaw", "crops")


@click.command()
@click.argument("entity")
@stream_option
@config_option
@state_option
@json_option
def biography(*, entity: str, stream: str | None, config: Path | None, state: Path | None, as_json: bool) -> None:
    """Show one thing's encounters in order of time.

    ENTITY is a name such as e12. Every line is one observation; its crops are listed with --json.
    """
    number = entity_number(entity)
    with reader_of(Path(settings_of(config, state).state.folder), stream) as reader:
        head = {"stream": reader.stream, **entity_row(reader.entity(number), reader.zone)}
        rows = [observation_row(one, media_of(reader), reader.zone) for one in reader.biography(number)]
    head["seen"] = head.pop("observations")
    show("observations", rows, as_json=as_json, head=head, hidden=HIDDEN)
