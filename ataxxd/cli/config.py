"""``ataxxd config``: look at the configuration of `ataxxd serve` before it is used."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.say import say, tell
from ataxxd.errors import ExitCode
from ataxxd.serve.config.loading import as_toml, load, split_option
from ataxxd.wording import counted


class Action(StrEnum):
    """What is done with it."""

    CHECK = "check"
    SHOW = "show"


def run(
    action: Annotated[
        Action, typer.Argument(metavar="check|show", help="Check it, or show all values in effect.")
    ],
    file: Annotated[
        Path | None,
        typer.Argument(help="The configuration.  [default: the one `ataxxd serve` reads]"),
    ] = None,
    settings: options.Settings = None,
) -> int:
    """Check the configuration of `ataxxd serve`, or show it.

    `check` reports every error with its file, line and key, and how to fix it. `show` prints
    all values in effect as TOML, each with its origin, without passwords.
    """
    loaded = load(file, options=[split_option(text) for text in settings or []])
    if action is Action.SHOW:
        for line in as_toml(loaded):
            tell(line)
    else:
        tables = counted(len(loaded.config.tables), "table")
        bots = counted(len(loaded.config.bots), "bot")
        say(f"{loaded.path} is in order, with {tables} and {bots}.")
    return ExitCode.OK
