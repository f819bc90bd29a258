import re
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from biographer.ops.cli import COMMANDS, INTERRUPTED, Commands, main
from biographer.state.errors import BadClipError, FatalError, RefusedError, TransientError


def raising(error: BaseException) -> Commands:
    group = Commands("biographer")
    command = click.Command("fail", callback=lambda: (_ for _ in ()).throw(error))
    group.get_command = lambda _context, _name: command
    return group


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RefusedError("name a stream"), 2),
        (BadClipError("no video"), 2),
        (TransientError("broker is away"), 75),
        (FatalError("disk is gone"), 1),
    ],
)
def test_an_error_of_ours_is_one_line_and_its_own_exit_code(error, code):
    result = CliRunner().invoke(raising(error), ["fail"])
    assert result.exit_code == code
    assert result.stderr == f"biographer: {error}\n"
    assert result.stdout == ""


def test_an_interrupt_is_no_traceback():
    result = CliRunner().invoke(raising(KeyboardInterrupt()), ["fail"])
    assert result.exit_code == INTERRUPTED
    assert result.stderr == "biographer: interrupted\n"


def test_help_names_every_command_and_imports_none():
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from biographer.ops.cli import main\n"
        "print(CliRunner().invoke(main, ['--help']).output)\n"
        "print(*sorted({'numpy', 'av', 'aiokafka', 'onnxruntime', 'rich', 'msgspec'} & set(sys.modules)))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *page, imported = run.stdout.splitlines()
    assert imported == ""
    listed = [line.split()[0] for line in page[page.index("Commands:") + 1 :] if re.match(r" {2}\S", line)]
    assert listed == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_in_the_table_is_the_commands_own(name):
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.name == name
    assert (command.help or "").splitlines()[0] == COMMANDS[name].help


def test_an_unknown_command_is_refused():
    result = CliRunner().invoke(main, ["remember"])
    assert result.exit_code == 2
    assert "remember" in result.stderr
