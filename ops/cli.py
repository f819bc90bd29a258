"""The command line, assembled: which command is in which file, and what an error becomes on the way out.

A command's file is imported when that command is asked for, so that `biographer --help` answers at once.
"""

import importlib
from dataclasses import dataclass

import click

import biographer
from biographer.state.errors import BiographerError, FatalError, TransientError


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command is, and its one line of help (the first line of its docstring, which a test compares)."""

    module: str
    attribute: str
    help: str


COMMANDS = {
    "serve": Entry("biographer.ops.serve", "serve", "Run the daemon until it is told to stop."),
    "demo": Entry("biographer.ops.demo", "demo", "Play a recording through a broker and show the biographies found."),
    "feed": Entry("biographer.ops.feed", "feed", "Cut a video into clips and send them to the topic."),
    "ingest": Entry("biographer.ops.ingest", "ingest", "Put files into the memory without a broker."),
    "broker": Entry(
        "biographer.ops.broker_command",
        "broker",
        "Run the embedded broker, for trying things, and print the settings that reach it.",
    ),
    "models": Entry("biographer.ops.models_command", "models", "List, fetch and check the models that are known."),
    "deadletter": Entry(
        "biographer.ops.deadletter_command", "deadletter", "List and replay the clips that were set aside."
    ),
    "verify": Entry(
        "biographer.ops.verify",
        "verify",
        "Check that store, graph and indexes agree; print the state hash, and that of what models wrote.",
    ),
    "streams": Entry("biographer.ops.streams", "streams", "List the streams that are remembered."),
    "entities": Entry("biographer.ops.entities", "entities", "List the physical things of a stream."),
    "biography": Entry("biographer.ops.biography", "biography", "Show one thing's encounters in order of time."),
    "episodes": Entry(
        "biographer.ops.episodes",
        "episodes",
        "List the episodes of a stream; those coarser than local once they are closed.",
    ),
    "observations": Entry("biographer.ops.observations", "observations", "List the sightings of a stream."),
    "search": Entry("biographer.ops.search", "search", "Find what the memory holds on a question."),
    "ask": Entry("biographer.ops.ask", "ask", "Have a question answered from the memory, with citations."),
    "name": Entry("biographer.ops.rulings", "name", "Give a person or thing its name."),
    "merge": Entry("biographer.ops.rulings", "merge", "Say that OTHER is ENTITY."),
    "split": Entry("biographer.ops.rulings", "split", "Say that some OBSERVATIONS of ENTITY are of another."),
    "apart": Entry("biographer.ops.rulings", "apart", "Say that OTHER is not ENTITY."),
    "undo": Entry("biographer.ops.rulings", "undo", "Withdraw what was said before."),
    "rulings": Entry("biographer.ops.rulings", "rulings", "List what users said about who is who."),
    "relations": Entry("biographer.ops.relations", "relations", "Find who did what with whom or what, and when."),
    "chains": Entry("biographer.ops.chains", "chains", "List what was written about topics and events over time."),
    "mcp": Entry("biographer.ops.mcp_command", "mcp", "Give the memory to a language model's own client, by MCP."),
    "export": Entry("biographer.ops.export", "export", "Write a snapshot of a stream into a folder of its own."),
    "import": Entry("biographer.ops.import_command", "import_", "Take a snapshot into the memory."),
    "token": Entry("biographer.ops.token", "token", "Create, list and revoke the tokens of the HTTP API."),
    "bench": Entry("biographer.ops.bench", "bench", "Measure; each command prints one JSON object."),
}

INTERRUPTED = 130


def exit_code(error: BiographerError) -> int:
    """Return what a shell should see: 1 stop and look, 2 ask otherwise, 75 (EX_TEMPFAIL) try again."""
    if isinstance(error, FatalError):
        return 1
    return 75 if isinstance(error, TransientError) else 2


class Commands(click.Group):
    """A group whose commands are imported on first use, and whose errors are one line each."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import and return a command, or None for a name that is not known."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = getattr(importlib.import_module(entry.module), entry.attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        rows = [(name, COMMANDS[name].help) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; an error of ours becomes one line on standard error and an exit code."""
        try:
            return super().invoke(ctx)
        except BiographerError as error:
            click.echo(f"biographer: {error}", err=True)
            ctx.exit(exit_code(error))
        except KeyboardInterrupt:
            click.echo("biographer: interrupted", err=True)
            ctx.exit(INTERRUPTED)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(biographer.__version__, prog_name="biographer")
def main() -> None:
    """Remember what a wearable camera sees, while it is still recording."""


if __name__ == "__main__":
    main()
