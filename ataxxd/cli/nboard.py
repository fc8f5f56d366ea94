"""``ataxxd nboard``: the engine for programs that speak NBoard."""

from ataxxd.errors import ExitCode


def run() -> int:
    """Be a reversi engine on standard input and output, until the input ends or says quit.

    NBoard 2 is what the program NBoard speaks with engines such as NTest and Edax.
    """
    from ataxxd.cli.engines import serve
    from ataxxd_clients.engines.nboard import NBoardServer

    serve(NBoardServer)
    return ExitCode.OK
