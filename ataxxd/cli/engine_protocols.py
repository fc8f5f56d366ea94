"""``ataxxd uai``, ``ataxxd nboard`` and ``ataxxd hub``: the engine for other programs."""

import io
import os
import sys

from ataxxd import __version__
from ataxxd.cli.commands.engines import HubOptions, NboardOptions, UaiOptions
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


def run_uai(_: UaiOptions) -> int:
    """Run as an Ataxx engine for other programs (UAI)."""
    serve(UaiServer)
    return ExitCode.OK


def run_nboard(_: NboardOptions) -> int:
    """Run as a reversi engine for other programs (NBoard)."""
    serve(NBoardServer)
    return ExitCode.OK


def run_hub(_: HubOptions) -> int:
    """Run as a checkers engine for other programs (Hub)."""
    serve(HubServer)
    return ExitCode.OK
