"""Where a node's home is, and whether unfinished games are in it; imports nothing of the node."""

import os
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

from platformdirs import user_state_path

HOME_VARIABLE = "ATAXXD_HOME"


def home_folder() -> Path:
    """The default folder of a node; it need not exist."""
    named = os.environ.get(HOME_VARIABLE)
    return Path(named) if named else default_home_folder()


def default_home_folder() -> Path:
    """The folder of a node whose user names none; it need not exist."""
    return user_state_path("ataxxd")


def home_option(folder: Path) -> str:
    """What names a home in a command to type: `` --home DIR``; empty if none is needed."""
    if folder == home_folder() == default_home_folder():
        return ""
    return f" --home {shlex.quote(str(folder.absolute()))}"


def has_unfinished_games(folder: Path) -> bool:
    """Whether the journal of a home has unfinished games, whichever version wrote it.

    Creates and changes nothing. False if the journal cannot be read.
    """
    journal = (folder / "journal.db").absolute()
    if not journal.exists():
        return False
    try:
        with closing(sqlite3.connect(f"{journal.as_uri()}?mode=ro", uri=True)) as database:
            # All versions of the journal have this column.
            found = database.execute("SELECT 1 FROM games WHERE NOT finished LIMIT 1")
            return found.fetchone() is not None
    except sqlite3.Error:
        return False
