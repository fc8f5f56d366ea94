"""``ataxxd uai``: the engine for programs that speak UAI."""

from ataxxd.errors import ExitCode


def run() -> int:
    """Be an Ataxx engine on standard input and output, until the input ends or says quit.

    UAI is what programs that let Ataxx engines play each other speak, such as cuteataxx.
    """
    from ataxxd.cli.engines import serve
    from ataxxd_clients.engines.uai import UaiServer

    serve(UaiServer)
    return ExitCode.OK
