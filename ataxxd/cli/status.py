"""``ataxxd status``: how a node that serves is."""

import json
import time

from ataxxd.cli import options
from ataxxd.cli.say import tell
from ataxxd.errors import ExitCode
from ataxxd.node.home import Home
from ataxxd.serve.monitor.asking import ask
from ataxxd.serve.monitor.overview import Status, summary, table


def run(home: options.Home = None, as_json: options.Json = False) -> int:
    """Show whether the serving node is well, and what it plays.

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
