"""``ataxxd backup`` and ``ataxxd restore``: the node in one file, and out of it."""

import shlex
from datetime import datetime

from ataxxd.cli.commands.operate import BackupOptions, RestoreOptions
from ataxxd.cli.say import say
from ataxxd.errors import ExitCode
from ataxxd.node.backup import back_up, restore
from ataxxd.node.home import Home
from ataxxd.wording import counted
from ataxxd_protocol import grouped


def run_backup(options: BackupOptions) -> int:
    """Save this node's key, games and evidence in one file."""
    manifest = back_up(Home(options.home), options.file)
    say(
        f"Saved node {grouped(manifest.node)} in {options.file}: "
        f"{counted(len(manifest.files), 'file')}, {options.file.stat().st_size} bytes. "
        "Keep it secret: it holds the key."
    )
    return ExitCode.OK


def run_restore(options: RestoreOptions) -> int:
    """Restore a node from a backup."""
    place = Home(options.home)
    restored = restore(place, options.file, force=options.force)
    if restored.replaced is not None:
        say(f"What was there before is now in {restored.replaced}.")
    made = datetime.fromtimestamp(restored.manifest.made_ms / 1000).astimezone()
    say(
        f"Restored node {grouped(restored.manifest.node)} in {place.path}, as it was on "
        f"{made:%Y-%m-%d at %H:%M:%S}."
    )
    source = options.ctx.get_parameter_source("home")
    given = source is not None and source.name == "COMMANDLINE"
    there = f" --home {shlex.quote(str(options.home))}" if given else ""
    for name in restored.unfinished:
        # Without the home, an older node with the same key would be continued instead.
        again = f"ataxxd resume {name}{there}"
        say(f'"{name}" is not over. To go on from what the other side has: {again}')
    return ExitCode.OK
