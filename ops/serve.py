"""`biographer serve`."""

from pathlib import Path

import click

from biographer.daemon import service
from biographer.ops.options import config_option, settings_of, state_option


@click.command()
@config_option
@state_option
@click.pass_context
def serve(ctx: click.Context, *, config: Path | None, state: Path | None) -> None:
    """Run the daemon until it is told to stop.

    SIGTERM or Ctrl-C ends it in good order: what is being written is finished, and nothing is lost. /readyz says what
    it lacks, /metrics how it fares; SETTINGS.md has every setting.
    """
    ctx.exit(service.serve(settings_of(config, state)))
