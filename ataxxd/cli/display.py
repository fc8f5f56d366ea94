"""The board in the browser, for the commands that have ``--display``."""

from typing import TextIO

from ataxxd.cli.say import say
from ataxxd.node.control import Game
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.invitation import Invitation
from ataxxd_clients.study import GameFiles


async def display(
    game: Game,
    *,
    title: str = "",
    log: TextIO | None = None,
    invitation: Invitation | None = None,
) -> int:
    """Show a game in the browser until somebody leaves it there.

    Args:
        game: the game; see `ataxxd_clients.web.serving.show_game`.
        title: the game's name, where it has one.
        log: gets every command and move, a line each.
        invitation: how others come to the game, where they can.

    Returns:
        The exit code.
    """
    from ataxxd_clients.web.serving import show_game  # noqa: PLC0415 - slow to load

    def write(line: str) -> None:
        if log is not None:
            log.write(line + "\n")
            log.flush()

    await show_game(game, say=say, title=title, log=write, invitation=invitation)
    return 0


async def display_study(game: GameRecord, files: GameFiles) -> int:
    """Show a study in the browser until somebody leaves it there.

    Args:
        game: what is studied.
        files: reads the games that the page sends.

    Returns:
        The exit code.

    Raises:
        StudyError: the game is too long.
    """
    from ataxxd_clients.web.serving import show_study  # noqa: PLC0415 - slow to load

    await show_study(game, files, say=say)
    return 0
