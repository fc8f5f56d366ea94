"""Help pages under headings: the commands by what they are for, long lists of options likewise."""

from collections.abc import Iterable, Sequence
from typing import Any

GAME = "What is played"
PLAYERS = "Who plays"
THINKING = "How the engine thinks"
TERMS = "Terms"
SHOWN = "How it is shown"
NOTIFIED = "Notifications"
FILES = "Files"
NETWORK = "Network"
_ORDER = (PLAYERS, THINKING, GAME, TERMS, SHOWN, NOTIFIED, FILES, NETWORK)
_ELSE = "Options"
# As many fit on half a screen, and are found without headings.
_FEW = 10


def write_options(parameters: Iterable[Any], context: Any, formatter: Any) -> None:
    """Write a command's arguments and options, each option under its heading.

    Args:
        parameters: typer's, which name their headings in ``rich_help_panel``.
        context: of the command.
        formatter: writes the help page.
    """
    arguments: list[tuple[str, str]] = []
    options: list[tuple[str, tuple[str, str]]] = []
    for parameter in parameters:
        record = parameter.get_help_record(context)
        if record is None:
            continue
        if parameter.param_type_name == "argument":
            arguments.append(record)
        else:
            options.append((parameter.rich_help_panel or _ELSE, record))
    if len(options) <= _FEW:
        options = [(_ELSE, record) for _, record in options]
    if arguments:
        with formatter.section("Arguments"):
            formatter.write_dl(arguments)
    for heading in (*_ORDER, _ELSE):
        if records := [record for each, record in options if each == heading]:
            with formatter.section(heading):
                formatter.write_dl(records)


def write_commands(
    groups: dict[str, Sequence[str]], summaries: dict[str, str], formatter: Any
) -> None:
    """Write the commands of a program, each under its heading, in columns of one width."""
    widest = max(map(len, summaries))
    for heading, names in groups.items():
        with formatter.section(heading):
            formatter.write_dl([(name.ljust(widest), summaries[name]) for name in names])
