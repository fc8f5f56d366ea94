"""What the commands that make this program an engine for others have in common."""

import io
import os
import sys

from ataxxd import __version__
from ataxxd.cli.say import tell
from ataxxd.engines.native import LEVELS
from ataxxd_clients.engines.serving import EngineServer


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
