"""``ataxxd top``: a node that serves, looked at again and again."""

import sys
import time
from importlib.util import find_spec
from itertools import repeat
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.say import tell
from ataxxd.cli.status import look
from ataxxd.errors import ExitCode


def run(
    every: Annotated[
        float, typer.Option("--every", min=0.1, metavar="SECONDS", help="Between two looks.")
    ] = 2.0,
    count: Annotated[
        int | None, typer.Option("--count", min=1, metavar="N", help="End after so many looks.")
    ] = None,
    home: options.Home = None,
) -> int:
    """Show the games, clocks and searches of the node that serves from this home.

    On a terminal, with Textual installed, over all of it; else as lines of text.
    """
    from ataxxd.monitor.asking import ask
    from ataxxd.node.home import Home

    place = Home(home)
    # What cannot be asked at all is told without opening a screen for it.
    ask(place)
    if count is None and sys.stdout.isatty() and find_spec("textual") is not None:
        from ataxxd.monitor.screen import TopScreen

        TopScreen(lambda: ask(place), every).run()
        return ExitCode.OK
    look(place)
    for _ in range(1, count) if count is not None else repeat(None):
        time.sleep(every)
        tell("")
        look(place)
    return ExitCode.OK
