"""``ataxxd uai``: the engine for programs that speak UAI."""

from ataxxd.cli.engines import serve
from ataxxd.errors import ExitCode
from ataxxd_clients.engines.uai import UaiServer


def run() -> int:
    """Run as an Ataxx engine for other programs (UAI).

    Speaks UAI on standard input and output until `quit` or the end of the input. Programs
    that pit Ataxx engines against each other, such as cuteataxx, speak it.
    """
    serve(UaiServer)
    return ExitCode.OK
