"""``ataxxd uai``, ``ataxxd nboard`` and ``ataxxd hub``: the engine for other programs."""

import io
import os
import sys

from ataxxd import __version__
from ataxxd.cli.say import tell
from ataxxd.engines.native import LEVELS
from ataxxd.errors import ExitCode
from ataxxd_clients.engines.hub import HubServer
from ataxxd_clients.engines.nboard import NBoardServer
from ataxxd_clients.engines.server import EngineServer
from ataxxd_clients.engines.uai import UaiServer


def serve(server: type[EngineServer]) -> None:
    """Talk an engine protocol on standard input and output until the input ends."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    server(_say, LEVELS, __version__).serve(sys.stdin)


def _say(line: str) -> None:
    try:
        tell(line)
    except OSError:
        # Who asked and does not listen any more will soon close our input, too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run_uai() -> int:
    """Run as an Ataxx engine for other programs (UAI).

    Speaks UAI on standard input and output until `quit` or the end of the input. Programs
    that pit Ataxx engines against each other, such as cuteataxx, speak it.
    """
    serve(UaiServer)
    return ExitCode.OK


def run_nboard() -> int:
    """Run as a reversi engine for other programs (NBoard).

    Speaks NBoard 2 on standard input and output until `quit` or the end of the input, as
    engines such as NTest and Edax do.
    """
    serve(NBoardServer)
    return ExitCode.OK


def run_hub() -> int:
    """Run as a checkers engine for other programs (Hub).

    Speaks Hub 2 on standard input and output until `quit` or the end of the input, as
    draughts engines such as Scan do. The game is English checkers.
    """
    serve(HubServer)
    return ExitCode.OK
