"""``ataxxd hub``: the engine for programs that speak Hub."""

from ataxxd.cli.engines import serve
from ataxxd.errors import ExitCode
from ataxxd_clients.engines.hub import HubServer


def run() -> int:
    """Run as a checkers engine for other programs (Hub).

    Speaks Hub 2 on standard input and output until `quit` or the end of the input, as
    draughts engines such as Scan do. The game is English checkers.
    """
    serve(HubServer)
    return ExitCode.OK
