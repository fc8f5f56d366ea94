"""``ataxxd status`` and ``ataxxd top``: how a node that serves is, once or again and again."""

import json
import sys
import time
from itertools import repeat
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.say import tell
from ataxxd.errors import ExitCode
from ataxxd.node.home import Home
from ataxxd.serve.monitor.asking import ask
from ataxxd.serve.monitor.overview import Status, summary, table


def run_status(home: options.Home = None, as_json: options.Json = False) -> int:
    """Show whether the serving node is healthy, and what it plays.

    Exits with 0 if it is ready for games, and with 1 otherwise.
    """
    if as_json:
        status: Status = ask(Home(home))
        tell(json.dumps(status))
    else:
        status = look(Home(home))
    ready = status["ready"] and status["connected"] and not status["draining"]
    return ExitCode.OK if ready else ExitCode.FAILURE


def look(home: Home) -> Status:
    """Ask a node once, and print what it answers for people."""
    status = ask(home)
    for line in (*summary(status, time.time_ns() // 1_000_000), *table(status)):
        tell(line)
    return status


def run_top(
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
