"""``ataxxd backup`` and ``ataxxd restore``: the node in one file, and out of it."""

import shlex
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.say import say
from ataxxd.errors import ExitCode
from ataxxd.node.backup import back_up, restore
from ataxxd.node.home import Home
from ataxxd.wording import counted
from ataxxd_protocol import grouped


def run_backup(
    file: Annotated[Path, typer.Argument(help="The file to write; an older backup is replaced.")],
    home: options.Home = None,
) -> int:
    """Save this node's key, games and evidence in one file.

    Works while the node plays. Whoever has the file can play in this node's name: keep it as
    safe as the key.
    """
    manifest = back_up(Home(home), file)
    say(
        f"Saved node {grouped(manifest.node)} in {file}: {counted(len(manifest.files), 'file')}, "
        f"{file.stat().st_size} bytes. Keep it secret: it holds the key."
    )
    return ExitCode.OK


def run_restore(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="The file that `ataxxd backup` wrote.")],
    home: options.Home = None,
    force: Annotated[
        bool, typer.Option("--force", help="Move a node that is already there out of the way.")
    ] = False,
) -> int:
    """Restore a node from a backup.

    Continue unfinished games with `ataxxd resume`, which first asks what happened since the
    backup. Never run two nodes with one key.
    """
    place = Home(home)
    restored = restore(place, file, force=force)
    if restored.replaced is not None:
        say(f"What was there before is now in {restored.replaced}.")
    made = datetime.fromtimestamp(restored.manifest.made_ms / 1000).astimezone()
    say(
        f"Restored node {grouped(restored.manifest.node)} in {place.path}, as it was on "
        f"{made:%Y-%m-%d at %H:%M:%S}."
    )
    source = ctx.get_parameter_source("home")
    given = source is not None and source.name == "COMMANDLINE"
    there = f" --home {shlex.quote(str(home))}" if given else ""
    for name in restored.unfinished:
        # Without the home, an older node with the same key would be continued instead.
        again = f"ataxxd resume {name}{there}"
        say(f'"{name}" is not over. To go on from what the other side has: {again}')
    return ExitCode.OK
