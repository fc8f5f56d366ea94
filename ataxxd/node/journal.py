"""The write-ahead journal: every message is stored here before it is sent or acted on.

It is an SQLite database with a write-ahead log, synced to disk before we send anything. For every
game of this node it holds the offer and every accepted message, byte for byte, in order. A
high-water mark beside it shows whether everything sent is still there. In a `BatchedJournal`,
messages of many games that arrive together share one sync.
"""

import asyncio
import json
import logging
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from ataxxd.errors import ProtocolError, StorageError, storage_errors
from ataxxd.node.command_lines import command_line
from ataxxd.node.errors import Incompatible
from ataxxd.node.high_water import HighWaterMark, mark_path, sync
from ataxxd.node.home_location import home_option
from ataxxd.node.journal_schema import migrate
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Role
from ataxxd.session.witnesses import add_statement
from ataxxd.times import SYSTEM_CLOCK, Clock
from ataxxd_protocol import PROTOCOL_VERSION, MalformedMessage, decode, encode, signature_holds
from ataxxd_protocol.messages import (
    AnyLogMessage,
    AnyMessage,
    Chat,
    Consent,
    LogMessage,
    Offer,
    Statement,
)
from ataxxd_protocol.version import is_known_version


def rebuild_ledger(offer: Offer, rows: Iterable[tuple[str, object]]) -> Ledger:
    """Rebuild the game of `offer` from its stored messages (role, payload), checking each again.

    Raises:
        ProtocolError, ValueError: they are inconsistent.
    """
    ledger = Ledger(offer)
    unsigned: dict[Role, LogMessage] = {}
    for role, payload in rows:
        message = decode_stored(payload)
        if not isinstance(message, LogMessage):
            raise MalformedMessage(f"a {message.type} in the log")
        author = Role(role)
        ledger.accept(author, message)
        key = ledger.key_of(author)
        if message.sig is None:
            unsigned[author] = message
        elif key is not None and signature_holds(message, key):
            # It names the message before it, so its signature vouches for all earlier ones.
            unsigned.pop(author, None)
        else:
            raise MalformedMessage(f"message {message.n} of the {role} was altered")
    for author, newest in unsigned.items():
        raise MalformedMessage(f"message {newest.n} of the {author} is not signed")
    return ledger


def decode_stored(payload: object) -> AnyMessage:
    """Decode a message as it was kept, possibly without its signature.

    Raises:
        MalformedMessage: it is not a message.
    """
    if not isinstance(payload, bytes):
        raise MalformedMessage("no bytes where a message should be")
    return decode(payload, unsigned_too=True)


_log = logging.getLogger(__name__)

_COLUMNS = "id, role, offer, settings, finished, restored, resigning"


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game of this node in the journal.

    Attributes:
        id: the journal's own number.
        role: our role.
        offer: the signed offer.
        settings: the options of the command that began it (broker, player, transcript, …).
        finished: there is nothing left to do in it.
        restored: we may have sent more in it than is known here: it came from a backup, or the
            journal has lost something.
        resigning: our player resigns as soon as it is its turn.
    """

    id: int
    role: Role
    offer: Offer
    settings: dict[str, Any]
    finished: bool
    restored: bool = False
    resigning: bool = False


class GameJournal(Protocol):
    """The part of `Journal` that a running game needs."""

    def keep(
        self, game: StoredGame, messages: Iterable[tuple[Role, AnyLogMessage]]
    ) -> asyncio.Future[None] | None:
        """Append messages to a game, all or none; on disk if one of them is ours.

        Returns:
            None if it is done; else a future for when it is. The order of calls is kept.

        Raises:
            StorageError: they are not kept, and nothing may be sent; the future raises it, too.
        """
        ...

    def ages_ms(self, game: StoredGame) -> list[tuple[Role, int]]:
        """The author and age in milliseconds of each message of a game, in order."""
        ...

    def store_refusals(self, game: StoredGame, answers: Sequence[tuple[Consent, Chat]]) -> None:
        """Remember what our player refuses in the present position, in place of earlier refusals.

        Raises:
            StorageError: it is not remembered.
        """
        ...

    def store_request(self, game: StoredGame, request: Consent) -> None:
        """Remember what our player asks for, or agrees to, in place of earlier requests.

        Raises:
            StorageError: it is not remembered.
        """
        ...

    def store_statement(self, game: StoredGame, statement: Statement) -> None:
        """Keep a statement by a witness of a game.

        Raises:
            StorageError: it cannot be stored.
        """
        ...

    def store_resignation(self, game: StoredGame, *, held: bool) -> None:
        """Remember that our player resigns as soon as it is its turn, or no longer.

        Raises:
            StorageError: it is not remembered.
        """
        ...


class Journal:
    """The journal of one home; for one thread only."""

    def __init__(
        self, path: Path, clock: Clock = SYSTEM_CLOCK, *, any_thread: bool = False
    ) -> None:
        """Open the journal in `path`; create it, or migrate an older one.

        Args:
            path: the file.
            clock: dates the messages.
            any_thread: other threads may use it too, one at a time.

        Raises:
            StorageError: it is damaged, from a newer ataxxd, or cannot be opened.
        """
        self.path = path
        self._clock = clock
        self._mark = HighWaterMark(mark_path(path))
        _make_private(path)
        with self._database_errors():
            self._db = sqlite3.connect(
                path, isolation_level=None, timeout=10, check_same_thread=not any_thread
            )
            try:
                self._open()
            except BaseException:
                Journal.close(self)
                raise

    @property
    def home_option(self) -> str:
        """How commands to type name the home of this journal; see `Home.option`."""
        return home_option(self.path.parent)

    def _open(self) -> None:
        (mode,) = self._db.execute("PRAGMA journal_mode = WAL").fetchone()
        # Where a write-ahead log is not possible, SQLite works without one.
        self._log = Path(f"{self.path.resolve()}-wal") if mode == "wal" else None
        self._db.execute("PRAGMA synchronous = FULL")
        # A short log, which is soon overwritten: a sync of a growing file takes twice as long.
        self._db.execute("PRAGMA wal_autocheckpoint = 128")
        self._db.execute("PRAGMA foreign_keys = ON")
        with self._transaction():
            migrate(self._db, self.path)
            lost = self._compare_with_counts() | self._compare_with_mark()
        if lost:
            self._mark.raise_to(self._signed)
            _log.warning(
                "The journal %s lacks what this node sent last: it was damaged, or is an older "
                "copy. Unfinished games ask the opponent before they continue.",
                self.path,
            )

    def close(self) -> None:
        """Close the journal."""
        self._mark.close()
        self._db.close()

    def begin(self, offer: Offer, role: Role, settings: dict[str, Any]) -> StoredGame:
        """Add a game, in place of an earlier attempt at it that ended before it began."""
        with self._database_errors(), self._transaction():
            # A guest who was refused, or killed before its join was kept, may ask again.
            removed = self._db.execute(
                "DELETE FROM games WHERE game = ? AND role = ?"
                " AND (SELECT count(*) FROM messages WHERE game_id = games.id) < 2",
                (offer.digest, role),
            ).rowcount
            cursor = self._db.execute(
                "INSERT INTO games (game, role, name, host, offer, settings, created_ms)"
                " VALUES (?,?,?,?,?,?,?)",
                (
                    offer.digest,
                    role,
                    offer.name,
                    offer.host,
                    encode(offer),
                    json.dumps(settings),
                    self._clock.now_ms(),
                ),
            )
            assert cursor.lastrowid is not None
            self._db.execute("INSERT INTO kept VALUES (?, 0)", (cursor.lastrowid,))
            self._db.execute("UPDATE signed SET games = games + 1 - ?", (removed,))
        return StoredGame(cursor.lastrowid, role, offer, settings, finished=False)

    def set_up(self, game: StoredGame, settings: dict[str, Any]) -> StoredGame:
        """Replace the settings of a game by those of a later command."""
        with self._database_errors(), self._transaction():
            self._db.execute(
                "UPDATE games SET settings = ? WHERE id = ?", (json.dumps(settings), game.id)
            )
        return replace(game, settings=settings)

    def keep(
        self, game: StoredGame, messages: Iterable[tuple[Role, AnyLogMessage]]
    ) -> asyncio.Future[None] | None:
        """Append messages to a game at once, as `commit` does; returns None."""
        self.commit([(game, list(messages))])
        return None

    def commit(
        self, batch: Sequence[tuple[StoredGame, Sequence[tuple[Role, AnyLogMessage]]]]
    ) -> None:
        """Append messages to games, all or none.

        If one of them is ours, everything up to it is on disk when this returns.
        Messages of the opponent alone survive the end of the process at once, but a power cut only
        with our next message: until then we have sent nothing that depends on them, and the
        opponent repeats them.

        Raises:
            StorageError: they are not kept, and nothing may be published.
        """
        ours = any(role is game.role for game, messages in batch for role, _ in messages)
        begun, signed = False, 0
        now_ms = self._clock.now_ms()
        # If a message is ours, the log is synced below.
        level = "FULL" if ours and self._log is None else "NORMAL"
        with self._database_errors(), self._synced(level), self._transaction():
            for game, messages in batch:
                seq = self._db.execute(
                    "SELECT coalesce(max(seq) + 1, 0) FROM messages WHERE game_id = ?", (game.id,)
                ).fetchone()[0]
                begun = begun or seq < 2
                self._db.executemany(
                    "INSERT INTO messages VALUES (?,?,?,?,?)",
                    [
                        (game.id, seq + i, role, encode(message), now_ms)
                        for i, (role, message) in enumerate(messages)
                    ],
                )
                self._db.execute(
                    "UPDATE kept SET count = count + ? WHERE game_id = ?", (len(messages), game.id)
                )
            if ours:
                self._db.execute("UPDATE signed SET count = count + 1")
                signed = self._signed
        if ours:
            with self._database_errors():
                if begun:
                    # Move it out of the log, so that damage there cannot hide that the game began.
                    self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
                self._mark.raise_to(signed, self._sync_log)

    def _sync_log(self) -> None:
        if self._log is None:
            return
        try:
            file = os.open(self._log, os.O_RDWR | os.O_CLOEXEC)
            try:
                sync(file)
            finally:
                os.close(file)
        except OSError as error:
            raise sqlite3.OperationalError(f"disk I/O error ({error.strerror})") from None

    def ledger(self, game: StoredGame) -> Ledger:
        """Rebuild a game, checking every message and signature again.

        Raises:
            Incompatible: the game was begun with another version of the protocol.
            StorageError: the journal's content is inconsistent.
        """
        if not is_known_version(game.offer.v):
            raise Incompatible(
                f"The game {game.offer.name} was begun with protocol {game.offer.v}, and this "
                f"ataxxd speaks {PROTOCOL_VERSION}. Finish it with the ataxxd that began it "
                f"({game.offer.agent})."
            )
        with self._database_errors():
            rows = self._db.execute(
                "SELECT role, payload FROM messages WHERE game_id = ? ORDER BY seq", (game.id,)
            ).fetchall()
            said = self._db.execute(
                "SELECT payload FROM statements WHERE game_id = ?", (game.id,)
            ).fetchall()
            kept = self._db.execute("SELECT count FROM kept WHERE game_id = ?", (game.id,))
            if kept.fetchone() != (len(rows),):
                raise self._damaged(f"game {game.offer.name}: messages of it are gone")
        try:
            ledger = rebuild_ledger(game.offer, rows)
            for (payload,) in said:
                statement = decode_stored(payload)
                if not isinstance(statement, Statement):
                    raise MalformedMessage(f"a {statement.type} among the statements")
                add_statement(ledger, statement)
            return ledger
        except (ProtocolError, ValueError) as error:
            raise self._damaged(f"game {game.offer.name}: {error}") from None

    def age_ms(self, game: StoredGame) -> int:
        """Milliseconds since the newest message of a game was kept; 0 if there is none."""
        newest = self.newest_ms(game)
        return 0 if newest is None else max(0, self._clock.now_ms() - newest)

    def ages_ms(self, game: StoredGame) -> list[tuple[Role, int]]:
        """The author and age in milliseconds of each message of a game, in order."""
        now_ms = self._clock.now_ms()
        with self._database_errors():
            rows = self._db.execute(
                "SELECT role, kept_ms FROM messages WHERE game_id = ? ORDER BY seq", (game.id,)
            ).fetchall()
        return [(Role(role), max(0, now_ms - kept_ms)) for role, kept_ms in rows]

    def store_refusals(self, game: StoredGame, answers: Sequence[tuple[Consent, Chat]]) -> None:
        """Remember what our player refuses; see `GameJournal.store_refusals`."""
        with self._database_errors(), self._transaction():
            self._db.execute("DELETE FROM refused WHERE game_id = ?", (game.id,))
            self._db.executemany(
                "INSERT INTO refused VALUES (?,?,?)",
                [(game.id, encode(request), encode(answer)) for request, answer in answers],
            )

    def stored_refusals(self, game: StoredGame) -> list[tuple[Consent, Chat]]:
        """What our player has refused, and the chat line that said so.

        Raises:
            StorageError: the journal is damaged.
        """
        with self._database_errors():
            rows = self._db.execute(
                "SELECT request, answer FROM refused WHERE game_id = ?", (game.id,)
            ).fetchall()
        found: list[tuple[Consent, Chat]] = []
        for row in rows:
            try:
                request, answer = map(decode_stored, row)
            except ValueError as error:
                raise self._damaged(f"game {game.offer.name}: {error}") from None
            if not isinstance(request, Consent) or not isinstance(answer, Chat):
                raise self._damaged(f"game {game.offer.name}: no refusal where one should be")
            found.append((request, answer))
        return found

    def store_request(self, game: StoredGame, request: Consent) -> None:
        """Remember what our player asks for; see `GameJournal.store_request`."""
        payload = encode(request)
        with self._database_errors():
            self._db.execute(
                "UPDATE games SET asking = ? WHERE id = ? AND asking IS NOT ?",
                (payload, game.id, payload),
            )

    def stored_request(self, game: StoredGame) -> Consent | None:
        """What our player last asked for; see `GameJournal.store_request`.

        Raises:
            StorageError: the journal is damaged.
        """
        with self._database_errors():
            (payload,) = self._db.execute(
                "SELECT asking FROM games WHERE id = ?", (game.id,)
            ).fetchone()
        if payload is None:
            return None
        try:
            request = decode_stored(payload)
        except ValueError as error:
            raise self._damaged(f"game {game.offer.name}: {error}") from None
        if not isinstance(request, Consent):
            raise self._damaged(f"game {game.offer.name}: no request where one should be")
        return request

    def store_resignation(self, game: StoredGame, *, held: bool) -> None:
        """Remember whether our player resigns on its turn; see `GameJournal.store_resignation`."""
        with self._database_errors():
            self._db.execute("UPDATE games SET resigning = ? WHERE id = ?", (held, game.id))

    def store_statement(self, game: StoredGame, statement: Statement) -> None:
        """Keep a statement by a witness; see `GameJournal.store_statement`."""
        with self._database_errors():
            self._db.execute(
                "INSERT OR IGNORE INTO statements VALUES (?,?)", (game.id, encode(statement))
            )

    def finish(self, game: StoredGame) -> None:
        """Mark a game as finished."""
        with self._database_errors():
            self._db.execute("UPDATE games SET finished = 1 WHERE id = ?", (game.id,))

    def mark_restored(self) -> None:
        """Mark every unfinished game: this node may have sent more in it than is known here.

        Resignations and requests that were waiting are forgotten.
        """
        with self._database_errors():
            self._db.execute("UPDATE games SET restored = 1, resigning = 0 WHERE NOT finished")

    def trust(self, game: StoredGame) -> StoredGame:
        """Unmark a restored game: everything we sent in it is known."""
        with self._database_errors():
            self._db.execute("UPDATE games SET restored = 0 WHERE id = ?", (game.id,))
        return replace(game, restored=False)

    def adopt(self, game: StoredGame, messages: Iterable[tuple[Role, AnyLogMessage]]) -> StoredGame:
        """Replace all messages of a restored game, or none.

        Args:
            game: the game.
            messages: all of the game, in order. One without a signature must be covered by a
                later one of its author.

        Returns:
            The game, no longer marked: everything we sent in it is known.

        Raises:
            StorageError: they are inconsistent or cannot be stored; nothing has changed.
        """
        rows = [(role, encode(message)) for role, message in messages]
        try:
            rebuild_ledger(game.offer, rows)
        except (ProtocolError, ValueError) as error:
            raise StorageError(f"The game {game.offer.name} cannot be adopted: {error}.") from None
        now_ms = self._clock.now_ms()
        with self._database_errors(), self._transaction():
            self._db.execute("DELETE FROM messages WHERE game_id = ?", (game.id,))
            self._db.executemany(
                "INSERT INTO messages VALUES (?,?,?,?,?)",
                # When we wrote ours is not known. Assume long ago, so that no claim seems too long.
                [
                    (game.id, seq, role, payload, 0 if role is game.role else now_ms)
                    for seq, (role, payload) in enumerate(rows)
                ],
            )
            self._db.execute("UPDATE kept SET count = ? WHERE game_id = ?", (len(rows), game.id))
            return self.trust(game)

    def unfinished(self, name: str | None = None, role: Role | None = None) -> list[StoredGame]:
        """The games that can be resumed, newest first."""
        if name is None:
            games = self._games("NOT finished")
        else:
            games = self._games("NOT finished AND name = ?", name)
        return [game for game in games if role in (None, game.role)]

    def find(self, game: str, role: Role | None = None) -> StoredGame | None:
        """Our newest game with this id, in this role if one is given; None if there is none."""
        found = self._games("game = ?", game)
        return next((stored for stored in found if role in (None, stored.role)), None)

    def games_named(self, name: str) -> list[StoredGame]:
        """The games of a name, finished or not, newest first."""
        return list(self._games("name = ?", name))

    def finished(self) -> list[tuple[str, Role]]:
        """Id and role of every finished game, oldest first."""
        with self._database_errors():
            rows = self._db.execute("SELECT game, role FROM games WHERE finished ORDER BY id")
            return [(game, Role(role)) for game, role in rows]

    def newest_ms(self, game: StoredGame) -> int | None:
        """When the newest message of a game was kept, in Unix milliseconds; None without one."""
        with self._database_errors():
            (newest,) = self._db.execute(
                "SELECT max(kept_ms) FROM messages WHERE game_id = ?", (game.id,)
            ).fetchone()
        return None if newest is None else int(newest)

    def hosted_until(self, name: str) -> int | None:
        """When the newest message arrived in the last game that we offered under a name.

        Returns:
            Unix milliseconds; None if nobody joined that game, or there is none.
        """
        with self._database_errors():
            (newest,) = self._db.execute(
                "SELECT max(kept_ms) FROM messages WHERE game_id ="
                " (SELECT max(id) FROM games WHERE name = ? AND role = ?)",
                (name, Role.HOST),
            ).fetchone()
        return None if newest is None else int(newest)

    def forget(self, games: Iterable[tuple[str, Role]]) -> int:
        """Remove finished games, and free their space on disk.

        Args:
            games: id and role of each; those that are unfinished or unknown are skipped.

        Returns:
            How many were removed.
        """
        removed = self._remove("game = ? AND role = ? AND finished", games)
        with self._database_errors():
            self._db.execute("VACUUM")
        return removed

    def forget_ended(self, before_ms: int) -> int:
        """Remove finished games whose newest message is older than a given time.

        Their space in the file is reused; `forget` returns it to the disk.

        Args:
            before_ms: Unix milliseconds.

        Returns:
            How many were removed.
        """
        return self._remove(
            "finished AND created_ms < ?1 AND coalesce("
            "(SELECT max(kept_ms) FROM messages WHERE game_id = games.id), created_ms) < ?1",
            [(before_ms,)],
        )

    def _remove(self, which: str, values: Iterable[tuple[object, ...]]) -> int:
        """Remove games; returns how many were removed."""
        with self._database_errors(), self._transaction():
            removed = self._db.executemany(
                f"DELETE FROM games WHERE {which}",  # noqa: S608
                values,
            ).rowcount
            self._db.execute("UPDATE signed SET games = games - ?", (removed,))
        return removed

    def known_hosts(self, name: str) -> list[str]:
        """The hosts whose games of this name we have joined, the latest first."""
        with self._database_errors():
            rows = self._db.execute(
                "SELECT host FROM known_hosts WHERE name = ? ORDER BY seen_ms DESC", (name,)
            )
            return [host for (host,) in rows]

    def has_joined(self, host: str) -> bool:
        """Whether we have ever joined a game of this host, under any name."""
        with self._database_errors():
            found = self._db.execute("SELECT 1 FROM known_hosts WHERE host = ?", (host,))
            return found.fetchone() is not None

    def add_known_host(self, name: str, host: str) -> None:
        """Remember that we have joined a game of this name and host."""
        with self._database_errors():
            self._db.execute(
                "INSERT INTO known_hosts VALUES (?1, ?2, ?3)"
                " ON CONFLICT (name, host) DO UPDATE SET seen_ms = ?3",
                (name, host, self._clock.now_ms()),
            )

    @property
    def _signed(self) -> int:
        """How often messages of ours were stored."""
        return int(self._db.execute("SELECT count FROM signed").fetchone()[0])

    def _compare_with_mark(self) -> bool:
        """Whether messages of ours were stored and are gone; if so, mark all unfinished games.

        Call it inside a transaction, so that no other process stores anything meanwhile.
        """
        signed, marked = self._signed, self._mark.read()
        if marked is None and signed == 0:
            self._mark.raise_to(0)
            return False
        # Without a valid mark we cannot know, so assume a loss.
        lost = marked is None or marked > signed
        if lost:
            self.mark_restored()
            self._db.execute("UPDATE signed SET count = ?", (max(signed, marked or 0),))
        return lost

    def _compare_with_counts(self) -> bool:
        """Whether games, or messages of unfinished games, are gone; if so, mark the latter.

        Of such a game, the messages before the first gap stay. Call it inside a transaction.
        """
        games, counted = self._db.execute(
            "SELECT count(*), (SELECT games FROM signed) FROM games"
        ).fetchone()
        wrong = [
            game
            for game, count, found in self._db.execute(
                "SELECT id, (SELECT count FROM kept WHERE game_id = id),"
                " (SELECT count(*) FROM messages WHERE game_id = id)"
                " FROM games WHERE NOT finished"
            ).fetchall()
            if count != found
        ]
        for game in wrong:
            rows = self._db.execute(
                "SELECT seq FROM messages WHERE game_id = ? ORDER BY seq", (game,)
            ).fetchall()
            whole = next((at for at, (seq,) in enumerate(rows) if seq != at), len(rows))
            self._db.execute("DELETE FROM messages WHERE game_id = ? AND seq >= ?", (game, whole))
            self._db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (game, whole))
        if games != counted:
            self._db.execute("UPDATE signed SET games = ?", (games,))
        if lost := bool(wrong) or games != counted:
            self.mark_restored()
        return lost

    def _games(self, which: str = "true", *values: str) -> Iterator[StoredGame]:
        with self._database_errors():
            rows = self._db.execute(
                f"SELECT {_COLUMNS} FROM games WHERE {which} ORDER BY id DESC",  # noqa: S608
                values,
            ).fetchall()
        for identifier, role, payload, settings, *marks in rows:
            try:
                offer = decode_stored(payload)
                if not isinstance(offer, Offer):
                    raise MalformedMessage(f"a {offer.type} instead of the offer")
                yield StoredGame(
                    identifier, Role(role), offer, json.loads(settings), *map(bool, marks)
                )
            except ValueError as error:
                raise self._damaged(f"game number {identifier}: {error}") from None

    @contextmanager
    def _synced(self, level: str) -> Iterator[None]:
        self._db.execute(f"PRAGMA synchronous = {level}")
        try:
            yield
        finally:
            self._db.execute("PRAGMA synchronous = FULL")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            # A full disk may have rolled it back already.
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextmanager
    def _database_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise StorageError(
                f"The journal {self.path} cannot be used: {error}. Nothing more was sent; free "
                "space or fix the folder's permissions, then continue with: "
                f"{command_line('resume', self.home_option)}"
            ) from None
        except OSError as error:
            raise StorageError(
                f"The mark of the journal {self.path} cannot be used: {error.strerror}. Nothing "
                "more was sent; free space or fix the folder's permissions, then continue with: "
                f"{command_line('resume', self.home_option)}"
            ) from None
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise self._damaged(str(error)) from None

    def _damaged(self, what: str) -> StorageError:
        return StorageError(
            f"The journal {self.path} is damaged ({what}). Restore it from a backup, or move it "
            "away to start afresh; your opponent and the spectators still have the game's record."
        )


def _make_private(path: Path) -> None:
    """Let nobody else read the journal: it holds passwords of brokers, and secrets.

    SQLite gives its other files the mode of this one, so this one must have it first.
    """
    with storage_errors(
        f"The journal {path}",
        "used",
        "Fix the folder's permissions, or choose another folder with --home DIR.",
    ):
        # Never open an existing file: closing it would drop the POSIX locks that this process has
        # on it, and the next process to open the journal could then remove the log in use.
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
            if file.exists():
                file.chmod(0o600)


# Seconds to wait for more messages: a hop to a thread and a sync cost as much for one message as
# for fifty.
_GATHER_S = 0.004

_Batch = list[tuple[StoredGame, list[tuple[Role, AnyLogMessage]]]]


class BatchedJournal(Journal):
    """A journal that syncs in a thread, for a node with many games.

    What arrives during one sync is written with the next: the busier the node, the less each
    message costs, and the event loop never waits for the disk.
    """

    def __init__(self, path: Path) -> None:
        """Open the journal in `path`; raises as `Journal`."""
        super().__init__(path)
        # A connection of its own, for one thread at a time.
        self._writer = Journal(path, any_thread=True)
        self._waiting: _Batch = []
        self._next: asyncio.Future[None] | None = None
        self._writing: asyncio.Task[None] | None = None

    def keep(
        self, game: StoredGame, messages: Iterable[tuple[Role, AnyLogMessage]]
    ) -> asyncio.Future[None]:
        """Append messages with the next sync; see `ataxxd.node.journal.GameJournal.keep`."""
        self._waiting.append((game, list(messages)))
        if self._next is None:
            self._next = asyncio.get_running_loop().create_future()
        if self._writing is None:
            self._writing = asyncio.create_task(self._write(), name="journal")
        return self._next

    def close(self) -> None:
        """Close the journal; no messages may be waiting to be written."""
        self._writer.close()
        super().close()

    async def _write(self) -> None:
        try:
            while (kept := self._next) is not None:
                await asyncio.sleep(_GATHER_S)
                batch, self._waiting, self._next = self._waiting, [], None
                try:
                    await asyncio.to_thread(self._writer.commit, batch)
                except Exception as error:  # noqa: BLE001 - told to everybody who waits for it
                    kept.set_exception(error)
                else:
                    kept.set_result(None)
        finally:
            self._writing = None
