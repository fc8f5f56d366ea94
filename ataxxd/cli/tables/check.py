"""``ataxxd tables check``: whether a file of endgame tables is whole."""

from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.say import tell
from ataxxd.engines.tablebases import pieces_of
from ataxxd.errors import ExitCode
from ataxxd.node.home import Home


def run(
    file: Annotated[
        Path | None,
        typer.Argument(help="The tables.  [default: those of five pieces in the node's folder]"),
    ] = None,
    home: options.Home = None,
) -> int:
    """Check endgame tables, and show how far they go."""
    file = file or Home(home).tables(5)
    tell(f"{file}: whole, up to {pieces_of(file)} pieces")
    return ExitCode.OK
