"""``ataxxd nboard``: the engine for programs that speak NBoard."""

from ataxxd.cli.engines import serve
from ataxxd.errors import ExitCode
from ataxxd_clients.engines.nboard import NBoardServer


def run() -> int:
    """Run as a reversi engine for other programs (NBoard).

    Speaks NBoard 2 on standard input and output until `quit` or the end of the input, as
    engines such as NTest and Edax do.
    """
    serve(NBoardServer)
    return ExitCode.OK
