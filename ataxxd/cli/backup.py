"""``ataxxd backup``: the node in one file."""

from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.errors import ExitCode


def run(
    file: Annotated[Path, typer.Argument(help="The backup; an older one is replaced.")],
    home: options.Home = None,
) -> int:
    """Write this node's key, games and evidence into one file, also while it plays.

    Whoever has the file can play in this node's name: keep it as you keep the key.
    """
    from ataxxd.cli.say import say
    from ataxxd.node.backup import back_up
    from ataxxd.node.home import Home
    from ataxxd_protocol import grouped

    manifest = back_up(Home(home), file)
    say(
        f"Wrote node {grouped(manifest.node)} into {file}: {len(manifest.files)} files, "
        f"{file.stat().st_size} bytes. Keep it secret: it holds the key."
    )
    return ExitCode.OK
