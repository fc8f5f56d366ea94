"""The reference pages and the program name the same things."""

import re
import shlex
from collections.abc import Iterator

import pytest
import typer
from typer.core import TyperCommand, TyperGroup

from ataxxd.cli.app import app
from ataxxd.errors import ExitCode
from tests.docs.pages import ROOT, Page, page_paths, read_page

pytestmark = pytest.mark.gate

REFERENCE = ROOT / "docs" / "reference"
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")


def options_of_commands() -> dict[str, set[str]]:
    """Each command of the program with its long options, and those of the commands it has."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    context = typer.Context(group)
    commands: dict[str, set[str]] = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert isinstance(command, TyperCommand | TyperGroup)
        commands[name] = set(long_options(command, context))
    return commands


def long_options(command: TyperCommand | TyperGroup, context: typer.Context) -> Iterator[str]:
    """The long options of a command, and of the commands that it has."""
    if isinstance(command, TyperGroup):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert isinstance(below, TyperCommand)
            yield from long_options(below, context)
        return
    for parameter in command.params:
        if getattr(parameter, "hidden", False):
            continue  # an older spelling
        for name in (*parameter.opts, *parameter.secondary_opts):
            if name.startswith("--"):
                yield name


COMMANDS = options_of_commands()


def test_the_page_lists_every_exit_code_with_its_number_and_no_other() -> None:
    page = (REFERENCE / "exit-codes.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", page, re.MULTILINE)
    assert [(int(number), name) for number, name in rows] == [
        (code.value, code.name) for code in ExitCode
    ]


def test_the_page_has_a_section_for_every_command_and_no_other() -> None:
    page = (REFERENCE / "commands.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)$", page, re.MULTILINE) == list(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_section_names_every_option_of_its_command_and_no_other(command: str) -> None:
    page = (REFERENCE / "commands.md").read_text(encoding="utf-8")
    section = page.split(f"\n## {command}\n", 1)[1].split("\n## ", 1)[0]
    assert set(OPTION.findall(section)) == COMMANDS[command]


def invocations(page: Page) -> Iterator[tuple[int, str, list[str]]]:
    """(line, command, words) of every `ataxxd COMMAND ...` in the page's shell blocks."""
    for block in page.blocks:
        if block.language not in {"sh", "console"}:
            continue
        # A line that goes on below counts as one.
        for offset, line in enumerate(block.text.replace("\\\n", "").splitlines(), start=1):
            # What ends a command does not between quotes.
            for call in re.findall(r"""\bataxxd ([a-z](?:"[^"]*"|'[^']*'|[^|&;)])*)""", line):
                command, *words = shlex.split(call, comments=True)
                yield block.line + offset, command, words


@pytest.mark.parametrize("page", [read_page(path) for path in page_paths()], ids=str)
def test_examples_name_only_commands_and_options_that_exist(page: Page) -> None:
    wrong = []
    for line, command, words in invocations(page):
        unknown = {word.split("=")[0] for word in words if word.startswith("--")}
        if command not in COMMANDS:
            wrong.append(f"{page}:{line}: there is no command {command}")
        elif unknown := unknown - COMMANDS[command] - {"--help"}:
            wrong.append(f"{page}:{line}: {command} has no {unknown}")
    assert not wrong, "\n".join(wrong)
