"""``ataxxd study``: a game to step through, with the engine's opinion, and moves to try."""

import os
import sys
from contextlib import suppress

from ataxxd.cli.commands.records import StudyOptions
from ataxxd.cli.files import LocalGameFiles
from ataxxd.cli.full_screen import check_tui, obstacle_to_tui
from ataxxd.cli.screen import display_study
from ataxxd.cli.setup import chosen_game
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import UsageError
from ataxxd_clients.study import StudyError


def run(options: StudyOptions) -> int:
    """Step through a game with the engine's opinion of each move."""
    if str(options.source) != "-":
        check_tui(tui=options.tui, display=options.display)
    elif options.tui and options.display:
        raise UsageError("--display and --tui are two ways to look at a game: choose one.")
    studied = chosen_game(options.source, options.of, options.init)
    if not options.display:
        if str(options.source) == "-":
            _take_back_the_keyboard()
        if (obstacle := obstacle_to_tui()) is not None:
            raise UsageError(f"{obstacle} Or study in the browser: add --display.")
    files = LocalGameFiles(options.of.ruleset)
    try:
        if options.display:
            return run_until_stopped(display_study(studied, files))
        from ataxxd_clients.tui.study import run_study

        return run_until_stopped(run_study(studied, files, ascii_only=options.ascii_only))
    except StudyError as error:
        raise UsageError(str(error)) from None


def _take_back_the_keyboard() -> None:
    """Let standard input, from which the game was read, lead to the terminal."""
    if not sys.stdin.isatty():
        with suppress(OSError):
            terminal = os.open("/dev/tty", os.O_RDWR)
            os.dup2(terminal, sys.stdin.fileno())
            os.close(terminal)
