"""``ataxxd backup``: the node in one file."""

from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.say import say
from ataxxd.errors import ExitCode
from ataxxd.node.backup import back_up
from ataxxd.node.home import Home
from ataxxd.wording import counted
from ataxxd_protocol import grouped


def run(
    file: Annotated[Path, typer.Argument(help="The file to write; an older backup is replaced.")],
    home: options.Home = None,
) -> int:
    """Save this node's key, games and evidence in one file.

    Works while the node plays. Whoever has the file can play in this node's name: keep it as
    safe as the key.
    """
    manifest = back_up(Home(home), file)
    say(
        f"Wrote node {grouped(manifest.node)} into {file}: {counted(len(manifest.files), 'file')}, "
        f"{file.stat().st_size} bytes. Keep it secret: it holds the key."
    )
    return ExitCode.OK
