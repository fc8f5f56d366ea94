"""The terminal UI from start to end, and the terminal as it was before, whatever ends it."""

import asyncio
import os
import signal
import sys
from typing import TextIO

from ataxxd.errors import ExitCode
from ataxxd.node.game import Game
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.study import GameFiles
from ataxxd_clients.text.console import Terminal
from ataxxd_clients.tui.app import BoardApp
from ataxxd_clients.tui.study import StudyApp
from ataxxd_clients.tui.window import CleanApp


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


async def run_window(app: CleanApp) -> int:
    """Show an app on the terminal until the person leaves it.

    Cancelling it restores the terminal first, and so does a hang-up.

    Returns:
        The exit code.

    Raises:
        Exception: whatever ended the game's own work, or the UI's.
    """
    loop = asyncio.get_running_loop()
    running = asyncio.create_task(app.run_async(), name="terminal")

    def hang_up(*_: object) -> None:
        _let_go_of_a_lost_terminal()
        loop.call_soon_threadsafe(app.exit, ExitCode.INTERRUPTED)

    # Not by the event loop, which would be too late.
    before = signal.signal(signal.SIGHUP, hang_up)
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        app.exit(ExitCode.INTERRUPTED)
        await running
        raise
    finally:
        signal.signal(signal.SIGHUP, before)
    if app.failure is not None:
        raise app.failure
    return app.return_value or ExitCode.OK


def _let_go_of_a_lost_terminal() -> None:
    """Give what would be written to a window that was closed somewhere to go.

    Else the thread that writes would end, and the program would wait for it for ever.
    """
    if os.isatty(0):
        return
    # It comes with the hang-up, and the UI would begin again.
    signal.signal(signal.SIGCONT, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        if not os.isatty(descriptor):
            os.dup2(nowhere, descriptor)
    os.close(nowhere)
