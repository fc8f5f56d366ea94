"""The tables of the journal, and how a journal of an older version is upgraded.

This is done step by step, in one transaction. A copy of the old file is kept, so that the older
program can still be used.
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

STEPS: Mapping[int, tuple[str, ...]] = {
    # When a message was kept, for clocks and claims. For old messages, the best that is known is
    # when their game began.
    1: (
        "ALTER TABLE messages ADD COLUMN kept_ms INTEGER NOT NULL DEFAULT 0",
        "UPDATE messages SET kept_ms = (SELECT created_ms FROM games WHERE id = game_id)",
    ),
    # Whether a game came from a backup, so that we may have sent more in it than is known here; and
    # indexes to find the few games that matter among very many.
    2: (
        "ALTER TABLE games ADD COLUMN restored INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX of_name ON games (name)",
        "CREATE INDEX going_on ON games (id) WHERE NOT finished",
    ),
    # Whether our player has decided to resign as soon as it is its turn.
    3: ("ALTER TABLE games ADD COLUMN resigning INTEGER NOT NULL DEFAULT 0",),
    # All known hosts of a name; and how often messages of ours were stored, to compare with the
    # high-water mark outside of the journal.
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
    # How many messages each game has, and how many games there are, to detect losses inside the
    # file: a page that the disk did not write is valid, but old.
    5: (
        (
            "CREATE TABLE kept (game_id INTEGER PRIMARY KEY REFERENCES games (id)"
            " ON DELETE CASCADE, count INTEGER NOT NULL)"
        ),
        "INSERT INTO kept SELECT id, (SELECT count(*) FROM messages WHERE game_id = id) FROM games",
        "ALTER TABLE signed ADD COLUMN games INTEGER NOT NULL DEFAULT 0",
        "UPDATE signed SET games = (SELECT count(*) FROM games)",
    ),
    # The requests that our player has refused in the present position, and the chat lines that said
    # so, so that it is not asked again.
    6: (
        (
            "CREATE TABLE refused (game_id INTEGER NOT NULL REFERENCES games (id)"
            " ON DELETE CASCADE, request BLOB NOT NULL, answer BLOB NOT NULL,"
            " PRIMARY KEY (game_id, request)) WITHOUT ROWID"
        ),
    ),
    # What our player asked for last; it holds until the next move.
    7: ("ALTER TABLE games ADD COLUMN asking BLOB",),
    # The statements of a game's witnesses.
    8: (
        (
            "CREATE TABLE statements (game_id INTEGER NOT NULL REFERENCES games (id)"
            " ON DELETE CASCADE, payload BLOB NOT NULL, PRIMARY KEY (game_id, payload))"
            " WITHOUT ROWID"
        ),
    ),
}
"""The statements that upgrade a journal of each older version to the next."""


def migrate(database: sqlite3.Connection, path: Path) -> None:
    """Create or migrate the journal in `path`, inside the caller's transaction.

    Raises:
        StorageError: it was written by a newer version, or is not a journal.
    """
    version = int(database.execute("PRAGMA user_version").fetchone()[0])
    if version == 0:
        for statement in SCHEMA.split(";\n"):
            database.execute(statement)
    elif version in STEPS:
        _keep_copy(path, version)
        for step in range(version, VERSION):
            for statement in STEPS[step]:
                database.execute(statement)
    elif version != VERSION:
        raise StorageError(
            f"The journal {path} is of version {version}; this ataxxd knows {VERSION}. "
            "Upgrade ataxxd."
        )
    if version != VERSION:
        database.execute(f"PRAGMA user_version = {VERSION}")


def backup_path(path: Path, version: int) -> Path:
    """The path of the copy that a migration keeps of the older journal in `path`."""
    return path.with_name(f"{path.name}.v{version}")


def copy_database(source: Path, target: Path) -> None:
    """Copy a consistent snapshot of a journal that may be in use, readable by its owner alone.

    Raises:
        OSError, sqlite3.Error: it cannot be read, or the copy cannot be written.
    """
    os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))
    with (
        closing(sqlite3.connect(source, timeout=10)) as reading,
        closing(sqlite3.connect(target)) as writing,
    ):
        reading.backup(writing)


def _keep_copy(path: Path, version: int) -> None:
    kept = backup_path(path, version)
    try:
        copy_database(path, kept)
    except OSError as error:
        raise StorageError(
            f"The journal {path} is from an older ataxxd, and its copy {kept} cannot be written: "
            f"{error.strerror}. Free space or fix the folder's permissions."
        ) from None
