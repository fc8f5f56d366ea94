"""``ataxxd status`` and ``ataxxd top``: the state of a serving node, once or continuously."""

import json
import sys
import time
from itertools import repeat

from ataxxd.cli.commands.operate import StatusOptions, TopOptions
from ataxxd.cli.output import print_result
from ataxxd.errors import ExitCode
from ataxxd.node.home import Home
from ataxxd.serve.status import Status, fetch_status, game_table, summary_lines


def run_status(options: StatusOptions) -> int:
    """Show whether the serving node is healthy, and what it plays."""
    if options.as_json:
        status: Status = fetch_status(Home(options.home))
        print_result(json.dumps(status))
    else:
        status = print_status(Home(options.home))
    ready = status["ready"] and status["connected"] and not status["draining"]
    return ExitCode.OK if ready else ExitCode.FAILURE


def print_status(home: Home) -> Status:
    """Ask the serving node of a home once, and print its status for people.

    Returns:
        The status.

    Raises:
        NotServingError: no process serves this home, or it does not answer in time.
    """
    status = fetch_status(home)
    print_result(*summary_lines(status, time.time_ns() // 1_000_000), *game_table(status))
    return status


def run_top(options: TopOptions) -> int:
    """Watch the serving node's games, clocks and searches."""
    place = Home(options.home)
    # If the node does not answer at all, fail before opening a screen.
    fetch_status(place)
    if options.count is None and sys.stdout.isatty():
        from ataxxd.serve.top import TopScreen

        TopScreen(lambda: fetch_status(place), options.every).run()
        return ExitCode.OK
    print_status(place)
    for _ in range(1, options.count) if options.count is not None else repeat(None):
        time.sleep(options.every)
        print_result("")
        print_status(place)
    return ExitCode.OK
