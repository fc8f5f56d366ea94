"""Journals as tests need them: of older versions of the program, and of games that have waited.

Those of older versions come with the keys of their nodes. Each was made by the code of its time: a
finished game, and one in which both players have made three moves.
"""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from ataxxd.node.high_water import mark_path

DATA = Path(__file__).parent / "data" / "journals"
OLD_VERSIONS = (1, 2, 3, 4, 5, 6, 7, 8)


def lay_out(home: Path, version: int, role: str) -> Path:
    """Make `home` the home of the player in `role`, as `version` left it; returns its journal."""
    home.mkdir(mode=0o700)
    key = home / "identity.key"
    shutil.copy(DATA / f"version-{version}-{role}.key", key)
    key.chmod(0o600)
    journal = home / "journal.db"
    # From version 5 on.
    mark = DATA / f"version-{version}-{role}.mark"
    if mark.exists():
        shutil.copy(mark, mark_path(journal))
    with closing(sqlite3.connect(journal)) as database:
        database.executescript((DATA / f"version-{version}-{role}.sql").read_text())
    return journal


def let_time_pass(home: Path, hours: int) -> None:
    """Have the games of a node that does not run wait for so many hours more.

    That uses up a player's time without a clock so short that a busy machine's players lose by it.
    """
    with closing(sqlite3.connect(home / "journal.db")) as journal, journal:
        journal.execute("UPDATE messages SET kept_ms = kept_ms - ?", (hours * 3_600_000,))
