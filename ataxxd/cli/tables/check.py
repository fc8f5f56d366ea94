"""``ataxxd tables check``: whether a file of endgame tables is whole."""

from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.say import tell
from ataxxd.errors import ExitCode


def run(
    file: Annotated[
        Path | None,
        typer.Argument(help="Which; that of five pieces in the folder of the node if left out."),
    ] = None,
    home: options.Home = None,
) -> int:
    """Read endgame tables of checkers, and say how many pieces they go up to."""
    from ataxxd.node.home import Home
    from ataxxd.tables import pieces_of

    file = file or Home(home).tables(5)
    tell(f"{file}: whole, up to {pieces_of(file)} pieces")
    return ExitCode.OK
