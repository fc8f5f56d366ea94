"""``ataxxd hub``: the engine for programs that speak Hub."""

from ataxxd.errors import ExitCode


def run() -> int:
    """Be a checkers engine on standard input and output, until the input ends or says quit.

    Hub 2 is what engines of draughts such as Scan speak; here it is English checkers.
    """
    from ataxxd.cli.engines import serve
    from ataxxd_clients.engines.hub import HubServer

    serve(HubServer)
    return ExitCode.OK
