"""``ataxxd study``: a game to step through, with the engine's opinion, and moves to try."""

import os
import sys
from contextlib import suppress
from pathlib import Path

from ataxxd.cli import options
from ataxxd.cli.commands.records import StudyOptions
from ataxxd.cli.files import FROM, LocalGameFiles, chosen_format, read_game
from ataxxd.cli.full_screen import check_tui, obstacle_to_tui
from ataxxd.cli.screen import display_study
from ataxxd.cli.setup import beginning, chosen_ruleset
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import UsageError
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.study import StudyError


def run(options: StudyOptions) -> int:
    """Step through a game with the engine's opinion of each move."""
    if str(options.source) != "-":
        check_tui(tui=options.tui, display=options.display)
    elif options.tui and options.display:
        raise UsageError("--display and --tui are two ways to look at a game: choose one.")
    studied = _studied(
        options.source,
        options.source_format,
        options.number,
        options.game,
        options.ruleset,
        options.blocks,
        options.position,
        options.init,
    )
    if not options.display:
        if str(options.source) == "-":
            _take_back_the_keyboard()
        if (obstacle := obstacle_to_tui()) is not None:
            raise UsageError(f"{obstacle} Or study in the browser: add --display.")
    files = LocalGameFiles(options.ruleset)
    try:
        if options.display:
            return run_until_stopped(display_study(studied, files))
        from ataxxd_clients.tui.run import run_study  # noqa: PLC0415 - slow to load

        return run_until_stopped(run_study(studied, files, ascii_only=options.ascii_only))
    except StudyError as error:
        raise UsageError(str(error)) from None


def _studied(
    source: Path | None,
    source_format: str | None,
    number: int | None,
    game: str | None,
    ruleset: str | None,
    blocks: str | None,
    position: str | None,
    init: Path | None,
) -> GameRecord:
    """The game that the command line asks for."""
    if source is None:
        if source_format is not None:
            raise UsageError("--from tells what a FILE is, and no FILE is named.")
        if number is not None:
            raise UsageError("--number chooses a game of a FILE, and no FILE is named.")
        # A ruleset names its game.
        named = game or (ruleset or options.USUAL_GAME).partition("/")[0]
        return beginning(named, ruleset, position, blocks, init)
    if not (game is None and blocks is None and position is None and init is None):
        raise UsageError(
            f"{source} says which game it is and where it begins: leave out --game, --blocks, "
            "--position and --init."
        )
    if ruleset is not None:
        chosen_ruleset("", ruleset)  # refuses what does not exist
    return read_game(source, chosen_format(source, source_format, FROM), ruleset, number)


def _take_back_the_keyboard() -> None:
    """Let standard input, from which the game was read, lead to the terminal."""
    if not sys.stdin.isatty():
        with suppress(OSError):
            terminal = os.open("/dev/tty", os.O_RDWR)
            os.dup2(terminal, sys.stdin.fileno())
            os.close(terminal)
