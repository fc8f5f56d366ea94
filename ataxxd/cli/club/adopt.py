"""``ataxxd club adopt``: go on with a copy of the log."""

from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.club.files import keeper, read_bytes
from ataxxd.cli.say import say
from ataxxd.errors import ExitCode
from ataxxd.wording import counted


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The newest copy of the log.")],
    home: options.Home = None,
) -> int:
    """Continue with a newer copy of the log.

    For a club whose log came out of a backup, or was damaged. A club that signs anything on top
    of an older copy has two logs, and whoever has a line of the newer one can prove it.
    """
    kept = keeper(home, may_begin=True)
    log = kept.adopt(read_bytes(file))
    say(f"{kept.path} goes on from there, after {counted(len(log.entries), 'entry', 'entries')}.")
    return ExitCode.OK
