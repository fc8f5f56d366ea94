"""A game or a study on the terminal UI, from start to end."""

import sys
from typing import TextIO

from ataxxd.node.game import Game
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.study import GameFiles
from ataxxd_clients.text.console import Terminal
from ataxxd_clients.tui.app import BoardApp
from ataxxd_clients.tui.clean_app import run_window
from ataxxd_clients.tui.study import StudyApp


async def run_tui(
    game: Game, *, log: TextIO | None = None, news: str = "", ascii_only: bool = False
) -> int:
    """Play a game, or look on, until the person leaves; see `run_window`.

    Args:
        game: the game; nothing else may use it meanwhile.
        log: gets every command and move that is entered.
        news: what has just happened, such as that somebody has joined.
        ascii_only: use no signs beyond ASCII, whatever the terminal could show.

    Returns:
        The exit code.
    """
    plain = plain_signs(asked=ascii_only)
    return await run_window(BoardApp(game, log=log, ascii_only=plain, news=news))


async def run_study(game: GameRecord, files: GameFiles, *, ascii_only: bool = False) -> int:
    """Study a game until the person leaves; see `run_window`.

    Args:
        game: the game.
        files: where other games are read, and this one is written.
        ascii_only: as for `run_tui`.

    Returns:
        The exit code.

    Raises:
        StudyError: the game is too long.
    """
    return await run_window(StudyApp(game, files, ascii_only=plain_signs(asked=ascii_only)))


def plain_signs(*, asked: bool) -> bool:
    """Whether to use ASCII alone: the person has asked for it, or the terminal has no more."""
    return not Terminal.of(sys.stderr, ascii_only=asked).unicode
