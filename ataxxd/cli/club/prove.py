"""``ataxxd club prove``: show one game's announcement to whoever has not the log."""

from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.club.files import keeper, read_log_file
from ataxxd.cli.say import tell
from ataxxd.errors import ExitCode, UsageError
from ataxxd_protocol import encode


def run(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game's id, or its beginning.")],
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="The log.  [default: that of this node]"),
    ] = None,
    home: options.Home = None,
) -> int:
    """Write the proof that a club has announced a game.

    It is a line of JSON, which `ataxxd club check` checks without the log.
    """
    log = keeper(home).log() if file is None else read_log_file(file)
    found = [known for (each, _), known in log.games.items() if each.startswith(game)]
    if len(found) != 1:
        raise UsageError(
            f"{len(found)} announced games begin with {game}. All of them: ataxxd club show"
        )
    tell(encode(log.proof(found[0].index)).decode())
    return ExitCode.OK
