"""This node's finished games, searchable by player, result, time and opening.

The games are in the journal; this is an index in a file of its own, brought up to date when it is
used, and safe to delete.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ataxxd.errors import StorageError
from ataxxd.node.journal import Journal, StoredGame
from ataxxd.rules import Position
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import standing_of
from ataxxd.session.state import Phase, Role

OPENING_PLIES = 24
"""How far into a game its positions can be looked for."""

_VERSION = 1
_SCHEMA = """
DROP TABLE IF EXISTS positions;
DROP TABLE IF EXISTS games;
CREATE TABLE games (
  game TEXT NOT NULL,
  role TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  ruleset TEXT NOT NULL,
  peer TEXT,
  side INTEGER,
  plies INTEGER,
  score TEXT,
  result TEXT NOT NULL,
  termination TEXT,
  standing TEXT NOT NULL,
  ended_ms INTEGER NOT NULL,
  PRIMARY KEY (game, role)
) WITHOUT ROWID;
CREATE INDEX ended ON games (ended_ms);
CREATE TABLE positions (
  key BLOB NOT NULL,
  game TEXT NOT NULL,
  role TEXT NOT NULL,
  PRIMARY KEY (key, game, role),
  FOREIGN KEY (game, role) REFERENCES games ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX of_game ON positions (game, role);
"""
_COLUMNS = (
    "game, role, name, ruleset, peer, side, plies, score, result, termination, standing, ended_ms"
)
_CONDITIONS = {
    "name": "name = :name",
    "kind": "kind = :kind",
    "result": "result = :result",
    "since_ms": "ended_ms >= :since_ms",
    "until_ms": "ended_ms < :until_ms",
    "position": "(game, role) IN (SELECT game, role FROM positions WHERE key = :position)",
}


@dataclass(frozen=True, slots=True)
class ArchivedGame:
    """A finished game in the index.

    Attributes:
        game: its id.
        role: ours.
        name: the name it was offered under.
        ruleset: the rules.
        peer: the other player's node id.
        side: the side we played, 0 moved first.
        plies: how many moves were made.
        score: such as ``1-0``; None for no result.
        result: for us: ``won``, ``lost``, ``drawn`` or ``none``.
        termination: why it ended; None if it was given up unfinished.
        standing: one of `ataxxd.session.record.Standing`.
        ended_ms: when its last message was kept, in Unix milliseconds.
    """

    game: str
    role: Role
    name: str
    ruleset: str
    peer: str | None
    side: int | None
    plies: int
    score: str | None
    result: str
    termination: str | None
    standing: str
    ended_ms: int


@dataclass(frozen=True, slots=True)
class ArchiveQuery:
    """What to search the archive for; None matches anything.

    Attributes:
        name: the game's name.
        kind: the kind of game, such as ``reversi``.
        result: as in `ArchivedGame`.
        since_ms: the game ended then or later, in Unix milliseconds.
        until_ms: the game ended before then, in Unix milliseconds.
        position: it was on the board, with the same side to move, within the first
            `OPENING_PLIES` plies.
    """

    name: str | None = None
    kind: str | None = None
    result: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    position: Position | None = None


class Archive:
    """The index of a journal's finished games; for one thread only.

    Args:
        path: the index file; one that is damaged, or of another version, is rebuilt.
        journal: the journal it indexes.
    """

    def __init__(self, path: Path, journal: Journal) -> None:
        self._path = path
        self._journal = journal
        with self._index_errors():
            self._db = _open_index(path)

    def close(self) -> None:
        """Close the index; the journal stays open."""
        self._db.close()

    def refresh(self, progress: Callable[[int, int], object] = lambda _done, _all: None) -> None:
        """Add the games that have ended since the last time, and drop those the journal has lost.

        Args:
            progress: called with how many of the new games are read, and how many there are.

        Raises:
            StorageError: the journal or the index cannot be used.
        """
        with self._index_errors():
            rows = self._db.execute("SELECT game, role FROM games")
            known = {(game, Role(role)) for game, role in rows}
        finished = self._journal.finished()
        gone = known.difference(finished)
        new = [key for key in finished if key not in known]
        with self._index_errors(), self._db:
            self._db.executemany("DELETE FROM games WHERE game = ? AND role = ?", gone)
        for done, (game, role) in enumerate(new, 1):
            stored = self._journal.find(game, role)
            if stored is not None:
                ledger = self._journal.ledger(stored)
                ended = self._journal.newest_ms(stored) or stored.offer.created_ms
                with self._index_errors(), self._db:
                    self._add(stored, ledger, ended)
            progress(done, len(new))

    def search(self, wanted: ArchiveQuery, limit: int | None = None) -> list[ArchivedGame]:
        """The matching games, newest first.

        Args:
            wanted: what they must fit.
            limit: the most games to return.
        """
        values = {name: getattr(wanted, name) for name in _CONDITIONS}
        values = {name: value for name, value in values.items() if value is not None}
        if wanted.position is not None:
            values["position"] = position_key(wanted.position)
        where = " AND ".join(["plies IS NOT NULL", *(_CONDITIONS[name] for name in values)])
        query = f"SELECT {_COLUMNS} FROM games WHERE {where} ORDER BY ended_ms DESC, game"  # noqa: S608
        if limit is not None:
            query += f" LIMIT {limit}"
        with self._index_errors():
            rows = self._db.execute(query, values).fetchall()
        return [ArchivedGame(game, Role(role), *rest) for game, role, *rest in rows]

    def ledger(self, game: ArchivedGame) -> Ledger:
        """One game from the journal, with every message checked again.

        Raises:
            StorageError: the journal is inconsistent, or no longer has the game.
        """
        stored = self._journal.find(game.game, game.role)
        if stored is None:
            raise StorageError(
                f"The game {game.name} ({game.game[:12]}) has been forgotten in the meantime."
            )
        return self._journal.ledger(stored)

    def forget(self, games: Iterable[ArchivedGame]) -> int:
        """Remove games from the journal and the index, for good.

        Returns:
            How many were removed.

        Raises:
            StorageError: the journal cannot be written.
        """
        removed = self._journal.forget((game.game, game.role) for game in games)
        self.refresh()
        return removed

    def _add(self, stored: StoredGame, ledger: Ledger, ended_ms: int) -> None:
        offer, outcome = stored.offer, ledger.outcome
        begun = ledger.phase not in (Phase.OPEN, Phase.JOINED) and ledger.host_side is not None
        side = None
        if ledger.host_side is not None:
            hosts = ledger.host_side
            side = hosts if stored.role is Role.HOST else hosts.opponent
        guest = ledger.join.author if ledger.join is not None else None
        result = "none"
        if outcome is not None and outcome.score != "*":
            won = outcome.winner is not None and outcome.winner == side
            result = "drawn" if outcome.winner is None else "won" if won else "lost"
        self._db.execute(
            "INSERT OR REPLACE INTO games VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                offer.digest,
                stored.role,
                offer.name,
                ledger.start.game,
                offer.ruleset,
                guest if stored.role is Role.HOST else offer.host,
                side,
                len(ledger.moves) if begun else None,
                outcome.score if outcome is not None else None,
                result,
                outcome.termination if outcome is not None else None,
                standing_of(ledger).value,
                ended_ms,
            ),
        )
        if begun:
            self._db.executemany(
                "INSERT OR IGNORE INTO positions VALUES (?,?,?)",
                ((key, offer.digest, stored.role) for key in _opening(ledger)),
            )

    @contextmanager
    def _index_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StorageError(
                f"The index {self._path} cannot be used: {error}. It holds nothing of its own: "
                "free space or remove it, and ask again."
            ) from None


def position_key(position: Position) -> bytes:
    """The key that a position is found by: game, pieces and side to move, but no counters.

    Returns:
        8 bytes, the same on every machine.
    """
    text = " ".join((position.game, str(int(position.turn)), *position.rows))
    return hashlib.sha256(text.encode()).digest()[:8]


def _opening(ledger: Ledger) -> Iterator[bytes]:
    position = ledger.start
    yield position_key(position)
    for move in ledger.moves[:OPENING_PLIES]:
        position = position.play(move)
        yield position_key(position)


def _open_index(path: Path) -> sqlite3.Connection:
    """Open the index; create it if there is none of this version."""
    path.touch(mode=0o600)
    db = sqlite3.connect(path, timeout=10)
    try:
        version = db.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        db.close()
        if isinstance(error, sqlite3.OperationalError):
            raise
        path.unlink()
        return _open_index(path)
    db.execute("PRAGMA foreign_keys = ON")
    if version != _VERSION:
        db.executescript(f"{_SCHEMA}PRAGMA user_version = {_VERSION};")
    return db
