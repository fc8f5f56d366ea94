"""The versions of the journal: how a file of an older program becomes one of today's.

Each step leads from one version to the next. All that are needed happen in one transaction, and
the file as it was is kept beside it, so that the older program can still be gone back to.
"""

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from ataxxd.errors import StorageError

VERSION = 9
"""The version of the journals that this program writes."""

SCHEMA = """
CREATE TABLE games (
  id INTEGER PRIMARY KEY,
  game TEXT NOT NULL,
  role TEXT NOT NULL,
  name TEXT NOT NULL,
  host TEXT NOT NULL,
  offer BLOB NOT NULL,
  settings TEXT NOT NULL,
  finished INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  restored INTEGER NOT NULL DEFAULT 0,
  resigning INTEGER NOT NULL DEFAULT 0,
  asking BLOB,
  UNIQUE (game, role)
);
CREATE TABLE messages (
  game_id INTEGER NOT NULL REFERENCES games (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  role TEXT NOT NULL,
  payload BLOB NOT NULL,
  kept_ms INTEGER NOT NULL,
  PRIMARY KEY (game_id, seq)
) WITHOUT ROWID;
CREATE TABLE known_hosts (
  name TEXT NOT NULL,
  host TEXT NOT NULL,
  seen_ms INTEGER NOT NULL,
  PRIMARY KEY (name, host)
) WITHOUT ROWID;
CREATE TABLE kept (
  game_id INTEGER PRIMARY KEY REFERENCES games (id) ON DELETE CASCADE,
  count INTEGER NOT NULL
);
CREATE TABLE refused (
  game_id INTEGER NOT NULL REFERENCES games (id) ON DELETE CASCADE,
  request BLOB NOT NULL,
  answer BLOB NOT NULL,
  PRIMARY KEY (game_id, request)
) WITHOUT ROWID;
CREATE TABLE statements (
  game_id INTEGER NOT NULL REFERENCES games (id) ON DELETE CASCADE,
  payload BLOB NOT NULL,
  PRIMARY KEY (game_id, payload)
) WITHOUT ROWID;
CREATE TABLE signed (
  count INTEGER NOT NULL,
  games INTEGER NOT NULL DEFAULT 0
);
INSERT INTO signed VALUES (0, 0);
CREATE INDEX of_name ON games (name);
CREATE INDEX going_on ON games (id) WHERE NOT finished;
"""

_STEPS: Mapping[int, tuple[str, ...]] = {
    # When a message was kept, for clocks and claims. The best that is known of old ones is when
    # their game began.
    1: (
        "ALTER TABLE messages ADD COLUMN kept_ms INTEGER NOT NULL DEFAULT 0",
        "UPDATE messages SET kept_ms = (SELECT created_ms FROM games WHERE id = game_id)",
    ),
    # Whether a game came from a backup, so that more may have been said in it than is known here;
    # and the few games that matter are found among very many.
    2: (
        "ALTER TABLE games ADD COLUMN restored INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX of_name ON games (name)",
        "CREATE INDEX going_on ON games (id) WHERE NOT finished",
    ),
    # Whether our player has decided to resign as soon as it is its turn.
    3: ("ALTER TABLE games ADD COLUMN resigning INTEGER NOT NULL DEFAULT 0",),
    # All hosts that are known under a name; and how often something of ours was kept, for the mark
    # outside of the journal by which it is known whether all of that is still there.
    4: (
        (
            "CREATE TABLE known_hosts (name TEXT NOT NULL, host TEXT NOT NULL,"
            " seen_ms INTEGER NOT NULL, PRIMARY KEY (name, host)) WITHOUT ROWID"
        ),
        "INSERT INTO known_hosts SELECT name, host, seen_ms FROM hosts",
        "DROP TABLE hosts",
        "CREATE TABLE signed (count INTEGER NOT NULL)",
        "INSERT INTO signed VALUES (0)",
    ),
    # How many messages each game has, and how many games there are, so that what SQLite lost
    # inside the file is missed: a page that a disk did not write is whole, and older.
    5: (
        (
            "CREATE TABLE kept (game_id INTEGER PRIMARY KEY REFERENCES games (id)"
            " ON DELETE CASCADE, count INTEGER NOT NULL)"
        ),
        "INSERT INTO kept SELECT id, (SELECT count(*) FROM messages WHERE game_id = id) FROM games",
        "ALTER TABLE signed ADD COLUMN games INTEGER NOT NULL DEFAULT 0",
        "UPDATE signed SET games = (SELECT count(*) FROM games)",
    ),
    # What our player has refused as a game stands, and what it said, so that it is not asked again.
    6: (
        (
            "CREATE TABLE refused (game_id INTEGER NOT NULL REFERENCES games (id)"
            " ON DELETE CASCADE, request BLOB NOT NULL, answer BLOB NOT NULL,"
            " PRIMARY KEY (game_id, request)) WITHOUT ROWID"
        ),
    ),
    # What our player has asked for last: it holds until the next move.
    7: ("ALTER TABLE games ADD COLUMN asking BLOB",),
    # What the witnesses of a game have said.
    8: (
        (
            "CREATE TABLE statements (game_id INTEGER NOT NULL REFERENCES games (id)"
            " ON DELETE CASCADE, payload BLOB NOT NULL, PRIMARY KEY (game_id, payload))"
            " WITHOUT ROWID"
        ),
    ),
}


def bring_up_to_date(database: sqlite3.Connection, path: Path) -> None:
    """Create or migrate the journal in `path`, inside the caller's transaction.

    Raises:
        StorageError: it is of a newer program, or of none.
    """
    version = int(database.execute("PRAGMA user_version").fetchone()[0])
    if version == 0:
        for statement in SCHEMA.split(";\n"):
            database.execute(statement)
    elif version in _STEPS:
        _keep_copy(path, version)
        for step in range(version, VERSION):
            for statement in _STEPS[step]:
                database.execute(statement)
    elif version != VERSION:
        raise StorageError(
            f"The journal {path} is of version {version}; this ataxxd knows {VERSION}. "
            "Upgrade ataxxd."
        )
    if version != VERSION:
        database.execute(f"PRAGMA user_version = {VERSION}")


def copy_of(path: Path, version: int) -> Path:
    """Where the journal in `path` is kept as an older program left it."""
    return path.with_name(f"{path.name}.v{version}")


def copy_database(source: Path, target: Path) -> None:
    """Copy a journal that others may be using, as it is at one moment, for its owner alone.

    Raises:
        OSError, sqlite3.Error: it cannot be read, or the copy not be written.
    """
    os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
    with (
        closing(sqlite3.connect(source, timeout=10)) as reading,
        closing(sqlite3.connect(target)) as writing,
    ):
        reading.backup(writing)


def _keep_copy(path: Path, version: int) -> None:
    kept = copy_of(path, version)
    try:
        copy_database(path, kept)
    except OSError as error:
        raise StorageError(
            f"The journal {path} is of an older ataxxd, and {kept} cannot be written to keep it "
            f"as it is: {error.strerror}. Free space or fix the folder's permissions."
        ) from None
