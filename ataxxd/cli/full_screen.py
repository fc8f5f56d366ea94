"""Whether the terminal UI can be shown here."""

import os
import sys

from ataxxd.errors import UsageError


def check_tui(*, tui: bool, line: bool = False, display: bool = False) -> None:
    """Refuse ``--tui`` where it cannot work.

    Raises:
        UsageError: it is asked for together with another way to look at the game, or there is no
            terminal.
    """
    if tui and (line or display):
        other = "--line" if line else "--display"
        raise UsageError(f"{other} and --tui are two ways to look at a game: choose one.")
    if tui and (obstacle := obstacle_to_tui()) is not None:
        raise UsageError(obstacle)


def obstacle_to_tui() -> str | None:
    """Why the terminal UI cannot be shown here, and what to do; None when it can."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return "--tui draws on a terminal: standard input and standard error must lead to one."
    if os.environ.get("TERM", "dumb") == "dumb":
        return "--tui draws all over the terminal, and this one cannot be steered (TERM is dumb)."
    return None
