"""The nicknames that this node knows, its own included; like the known hosts of ssh.

Each is stored with its signature and the time it was first seen, so that the same name under
another key is noticed. Names are only shown; nothing depends on them. If the file cannot be used,
names are kept in memory until the program ends.

`Introductions` publish our nickname in a game, and learn those of the players. Nothing waits for
them, and their cost is bounded, whoever writes.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from ataxxd.errors import StorageError, TransportError, UsageError
from ataxxd.nicknames import explain_invalid_nickname, lookalike_key, parse_nickname, player_name
from ataxxd.node.concurrency import Duty, Signal, run_beside
from ataxxd.node.home import Home
from ataxxd.node.messaging.letters import is_signed, make_letter
from ataxxd.node.receiving import Incoming, Rate, Receiver, TokenBucket
from ataxxd.session.events import Named, Overheard
from ataxxd.session.ledger import Ledger
from ataxxd.times import SYSTEM_CLOCK, Clock
from ataxxd.transport.base import Connected, Transport
from ataxxd_protocol import TOPICS, SigningKey, decode, encode
from ataxxd_protocol.messages import Nickname

# Beyond this, the node that was seen longest ago is forgotten.
MAX_NAMES = 4096
_SCHEMA = """
CREATE TABLE IF NOT EXISTS names (
  node TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  look TEXT NOT NULL,
  message BLOB NOT NULL,
  at_ms INTEGER NOT NULL,
  first_ms INTEGER NOT NULL,
  seen_ms INTEGER NOT NULL,
  ours INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS of_look ON names (look);
CREATE INDEX IF NOT EXISTS of_age ON names (seen_ms);
"""


RatingLookup: TypeAlias = Callable[[str, str], int | None]
"""Returns the rating of a node in a ruleset; None if it has none that is known here."""


def no_rating(_node: str, _ruleset: str) -> None:
    """Nobody has a rating."""


class NameBook:
    """The known nicknames of one home; other processes may use the file at the same time.

    Attributes:
        find_rating: looks up a rating; knows none until a caller that has read ratings replaces it.
    """

    def __init__(
        self, path: Path | None = None, clock: Clock = SYSTEM_CLOCK, max_names: int = MAX_NAMES
    ) -> None:
        """Open the book in `path`, or one in memory.

        Args:
            path: the file, created if there is none; None for memory.
            clock: dates the names.
            max_names: how many names to keep.
        """
        self.find_rating: RatingLookup = no_rating
        self._clock = clock
        self._max_names = max_names
        self._path = path
        try:
            self._db = _open_book(":memory:" if path is None else str(path))
        except sqlite3.Error:
            self._db = _open_book(":memory:")

    def close(self) -> None:
        """Close the book."""
        self._db.close()

    def display_name(
        self, node: str, *, card_name: str | None = None, full_id: bool = False
    ) -> str:
        """A node as people read it, in the form of `ataxxd.nicknames.player_name`.

        Args:
            node: the node's id.
            card_name: the name on its card, used if its nickname is not known.
            full_id: show the whole id.
        """
        name = self.name_of(node)
        if name is not None or card_name is None:
            return player_name(node, name, new_key=self.is_new_key(node), whole=full_id)
        row = self._read_row("SELECT 1 FROM names WHERE look = ?", lookalike_key(card_name))
        return player_name(node, card_name, new_key=row is not None, whole=full_id)

    def name_with_rating(self, node: str, ruleset: str) -> str:
        """A node as `display_name`, followed by its rating in a ruleset if that is known."""
        rating = self.find_rating(node, ruleset)
        return self.display_name(node) if rating is None else f"{self.display_name(node)} {rating}"

    def name_of(self, node: str) -> str | None:
        """The nickname of a node; None if it is not known."""
        row = self._read_row("SELECT name FROM names WHERE node = ?", node)
        return None if row is None else str(row[0])

    def is_named_by(self, text: str, node: str) -> bool:
        """Whether a person's word means a node: its nickname, its id or the beginning of its id."""
        text = text.strip().lower()
        return node.startswith(text.replace("-", "")) or self.name_of(node) == text

    def find_by_name(self, name: str) -> list[str]:
        """The other nodes known by this nickname."""
        with suppress(sqlite3.Error):
            rows = self._db.execute("SELECT node FROM names WHERE name = ? AND NOT ours", (name,))
            return [str(node) for (node,) in rows]
        return []

    def was_known(self, node: str, before_ms: int) -> bool:
        """Whether a node's name was known by a given time, in Unix milliseconds."""
        row = self._read_row("SELECT first_ms FROM names WHERE node = ?", node)
        return row is not None and row[0] < before_ms

    def is_new_key(self, node: str) -> bool:
        """Whether another node has been known longer under a name that looks the same."""
        row = self._read_row(
            "SELECT 1 FROM names AS here, names AS other WHERE here.node = ? AND NOT here.ours"
            " AND other.look = here.look AND other.node != here.node"
            " AND (other.ours OR other.first_ms < here.first_ms)",
            node,
        )
        return row is not None

    def signed_nickname(self, node: str) -> bytes | None:
        """The signed message in which a node gave its nickname."""
        row = self._read_row("SELECT message FROM names WHERE node = ?", node)
        return None if row is None else bytes(row[0])

    def receive(self, incoming: Incoming) -> bool:
        """Take in a message on a nickname's topic; returns whether it is news."""
        message = incoming.message
        if not isinstance(message, Nickname):
            return False
        known = self._read_row("SELECT at_ms FROM names WHERE node = ?", message.author)
        if known and message.at_ms <= known[0]:
            return False
        if not is_signed(message):
            return False
        with suppress(sqlite3.Error):
            self._store(message)
            return True
        return False

    def mark_seen(self, node: str) -> None:
        """Note that a node was met again, so that others are forgotten before it."""
        with suppress(sqlite3.Error):
            self._db.execute(
                "UPDATE names SET seen_ms = ? WHERE node = ?", (self._clock.now_ms(), node)
            )

    def set_nickname(self, key: SigningKey, text: str) -> Nickname:
        """Give this node a nickname, if it does not have it already.

        Args:
            key: this node's.
            text: the nickname as a person wrote it.

        Raises:
            UsageError: it is not a valid nickname; the text says which are.
            StorageError: it cannot be stored.
        """
        name = parse_nickname(text)
        if name is None:
            raise UsageError(explain_invalid_nickname(text))
        payload = self.signed_nickname(key.node)
        known = None if payload is None else decode(payload)
        if isinstance(known, Nickname) and known.name == name:
            return known
        at_ms = self._clock.now_ms()
        if isinstance(known, Nickname):
            at_ms = max(at_ms, known.at_ms + 1)
        nickname = make_letter(key, Nickname, name=name, at_ms=at_ms)
        with self._database_errors():
            self._store(nickname, ours=True)
        return nickname

    @property
    def asked(self) -> bool:
        """Whether the person was asked for a nickname, or has given one."""
        ours = self._db.execute("SELECT 1 FROM names WHERE ours").fetchone()
        return ours is not None or bool(self._db.execute("PRAGMA user_version").fetchone()[0])

    @asked.setter
    def asked(self, asked: bool) -> None:
        self._db.execute(f"PRAGMA user_version = {int(asked)}")

    def _store(self, nickname: Nickname, *, ours: bool = False) -> None:
        now = self._clock.now_ms()
        self._db.execute(
            "INSERT INTO names (node, name, look, message, at_ms, first_ms, seen_ms, ours)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (node) DO UPDATE SET"
            " first_ms = iif(look = excluded.look, first_ms, excluded.first_ms),"
            " name = excluded.name, look = excluded.look, message = excluded.message,"
            " at_ms = excluded.at_ms, seen_ms = excluded.seen_ms, ours = ours OR excluded.ours",
            (
                nickname.author,
                nickname.name,
                lookalike_key(nickname.name),
                encode(nickname),
                nickname.at_ms,
                now,
                now,
                ours,
            ),
        )
        self._db.execute(
            "DELETE FROM names WHERE node IN (SELECT node FROM names WHERE NOT ours"
            " ORDER BY seen_ms LIMIT max(0, (SELECT count(*) FROM names) - ?))",
            (self._max_names,),
        )

    def _read_row(self, query: str, value: str) -> tuple[Any, ...] | None:
        with suppress(sqlite3.Error):
            row: tuple[Any, ...] | None = self._db.execute(query, (value,)).fetchone()
            return row
        return None

    @contextmanager
    def _database_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StorageError(
                f"The nickname cannot be saved in {self._path}: {error}. Free space or fix the "
                "folder's permissions."
            ) from None


@contextmanager
def known_names(home: Path | None = None, *, store_new: bool = False) -> Iterator[NameBook]:
    """The nicknames known in a home, for a command that needs nothing else of the node.

    Args:
        home: the home's folder; the default one if None.
        store_new: store new nicknames. If not, no home is created either.

    Raises:
        StorageError: names are to be stored, and the home cannot be created.
    """
    try:
        path = Home(home).names
    except StorageError:
        if store_new:
            raise
        path = None
    names = NameBook(path if store_new or (path is not None and path.exists()) else None)
    try:
        yield names
    finally:
        names.close()


def _open_book(path: str) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, timeout=1)
    try:
        # A power cut may lose names; the nodes will send them again.
        database.execute("PRAGMA synchronous = OFF")
        database.executescript(_SCHEMA)
    except sqlite3.Error:
        database.close()
        raise
    return database


# A node publishes its name once per connection, and whenever its person changes it.
_NAME_RATE = Rate(8, 0.2)
# Enough for the players and some spectators who talk; we do not ask for the names of others.
_MAX_NODES = 32

LEARN_S = 0.5
"""How long `learn_names` waits for names; not every node has one."""


class Introductions(Duty):
    """The nicknames in one game: publishes ours and asks for the others.

    Attributes:
        names: the nicknames known so far.
    """

    def __init__(
        self,
        names: NameBook,
        transport: Transport,
        us: str | None,
        clock: Clock = SYSTEM_CLOCK,
        *,
        max_nodes: int = _MAX_NODES,
    ) -> None:
        """Begin with nobody met.

        Args:
            names: the nicknames known; new ones are added.
            transport: the game's connection.
            us: this node, if its own nickname is to be published; else None.
            clock: limits how many messages are read.
            max_nodes: how many nodes to meet.
        """
        super().__init__()
        self.names = names
        self._transport = transport
        self._us = us
        self._clock = clock
        self._max_nodes = max_nodes
        self._budgets: dict[str, TokenBucket] = {}
        self._to_ask: list[str] = []
        self._must_publish = us is not None
        self.schedule(0.0)
        self._learnt = Signal()

    def meet(self, node: str | None) -> None:
        """Ask for the nickname of a node."""
        if (
            node in (None, self._us)
            or node in self._budgets
            or len(self._budgets) >= self._max_nodes
        ):
            return
        assert node is not None
        self._budgets[node] = TokenBucket(_NAME_RATE, self._clock.monotonic)
        self.names.mark_seen(node)
        self._to_ask.append(node)
        self.schedule(0.0)

    def on_connected(self) -> None:
        """Publish our nickname again: the broker may have lost it."""
        self._must_publish = self._us is not None
        self.schedule(0.0)

    def receive(self, incoming: Incoming) -> bool:
        """Take in a message on a nickname's topic; returns whether it is news of a node we met."""
        bucket = self._budgets.get(str(incoming.address.writer))
        if bucket is None or not bucket.take() or not self.names.receive(incoming):
            return False
        self._learnt.set()
        return True

    def name_event(self, incoming: Incoming, ledger: Ledger) -> Named | None:
        """Take in a message on a nickname's topic; returns an event if it is news of a player."""
        node = str(incoming.address.writer)
        role = ledger.role_of(node) if self.receive(incoming) else None
        if role is None:
            return None
        nickname = str(self.names.name_of(node))
        return Named(ledger.side_of(role), self.names.display_name(node), role, node, nickname)

    def add_speaker_name(self, heard: Overheard) -> Overheard:
        """Put a spectator's name to its chat line, and ask for the name from now on."""
        self.meet(heard.node)
        return replace(heard, speaker=self.names.display_name(heard.node))

    async def wait_for_name(self, node: str) -> None:
        """Wait briefly for the nickname of a node we met; not every node has one."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LEARN_S):
                while self.names.name_of(node) is None:
                    self._learnt.clear()
                    await self._learnt.wait()

    async def perform(self) -> None:
        """Publish our nickname and ask for those of others."""
        # If the broker does not let us, nobody learns our name there.
        with suppress(TransportError):
            await self.publish_nickname()
        while self._to_ask:
            with suppress(TransportError):
                await self._transport.subscribe(TOPICS.nickname(self._to_ask.pop()))

    async def publish_nickname(self) -> None:
        """Publish our nickname, if it is to be published and there is one.

        Raises:
            TransportError: the broker refuses it.
        """
        if not self._must_publish or self._us is None:
            return
        self._must_publish = False
        payload = self.names.signed_nickname(self._us)
        if payload is not None:
            await self._transport.publish(TOPICS.nickname(self._us), payload, retain=True)


async def learn_names(
    names: NameBook,
    transport: Transport,
    nodes: Sequence[str],
    *,
    us: str | None = None,
    seconds: float | None = LEARN_S,
) -> None:
    """Learn the nicknames of some nodes from a broker, and publish our own.

    Args:
        names: the nicknames known; new ones are added.
        transport: an open connection, read by nobody else.
        nodes: their ids.
        us: this node, if its own nickname is to be published; else None.
        seconds: how long to wait at most, unless all are known sooner; None to continue until
            cancelled, publishing our nickname again to a broker that may have lost it.
    """
    here = Introductions(names, transport, us, max_nodes=max(len(nodes), 1))
    with suppress(TransportError):
        await here.publish_nickname()
    missing = set(nodes) - {us}
    if not missing and seconds is not None:
        return
    for node in nodes:
        here.meet(node)
    async with run_beside(here.run(), "nicknames"):
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                async for event in Receiver(transport):
                    if isinstance(event, Connected) and event.epoch > 1:
                        here.on_connected()
                    if not isinstance(event, Incoming):
                        continue
                    here.receive(event)
                    missing.discard(str(event.address.writer))
                    if not missing and seconds is not None:
                        return
