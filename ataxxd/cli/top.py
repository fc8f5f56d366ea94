"""``ataxxd top``: a node that serves, looked at again and again."""

import sys
import time
from itertools import repeat
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.say import tell
from ataxxd.cli.status import look
from ataxxd.errors import ExitCode
from ataxxd.node.home import Home
from ataxxd.serve.monitor.asking import ask


def run(
    every: Annotated[
        float, typer.Option("--every", min=0.1, metavar="SECONDS", help="Time between two updates.")
    ] = 2.0,
    count: Annotated[
        int | None, typer.Option("--count", min=1, metavar="N", help="Exit after N updates.")
    ] = None,
    home: options.Home = None,
) -> int:
    """Watch the serving node's games, clocks and searches.

    Fills the terminal; without one or with --count, prints lines of text.
    """
    place = Home(home)
    # What cannot be asked at all is told without opening a screen for it.
    ask(place)
    if count is None and sys.stdout.isatty():
        from ataxxd.serve.monitor.screen import TopScreen  # noqa: PLC0415 - slow to load

        TopScreen(lambda: ask(place), every).run()
        return ExitCode.OK
    look(place)
    for _ in range(1, count) if count is not None else repeat(None):
        time.sleep(every)
        tell("")
        look(place)
    return ExitCode.OK
