"""A node's disk: a journal that survives what a real one would, and loses what it would.

What is kept together with a message of the node's own is synced; messages of the opponent
alone lie in the system's cache until then: they outlive the process, not a power cut. The
promises are those of ``ataxxd.node.journal.Journal``, which is tested on real disks elsewhere.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from ataxxd.node.journal import StoredGame, rebuild_ledger
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Role
from ataxxd_protocol import encode
from ataxxd_protocol.messages import AnyLogMessage, Chat, Consent, Offer, Statement


class Mortal(Protocol):
    """A process that may die before anything it does."""

    def step(self) -> bool:
        """Whether it lives to do the next thing."""
        ...


class Disk:
    """What one node has stored of one game; None of it when it has not begun.

    Attributes:
        stored: the game.
        rows: its messages, the oldest first.
        synced: how many of them a power cut leaves.
        finished: nothing is left to do.
        resigning: its player resigns as soon as it is its turn.
        kept_s: when each of them was stored, by the time of day of who stored it, which may have
            been set meanwhile.
        kept_at: and when by the simulated time.
        sync_s: how long storing takes, as where many games share their syncs; None when whoever
            stores waits for it.
        storing: how many messages are on their way to it.
        restored: an old backup was put in its place.
        refused: what its player has refused, and what it said to each.
        asking: what its player has asked for, or agreed to, last.
        statements: what the witnesses of the game have said.
    """

    def __init__(self) -> None:
        self.sync_s: float | None = None
        self.storing = 0
        self.stored: StoredGame | None = None
        self.rows: list[tuple[str, bytes]] = []
        self.synced = 0
        self.finished = self.resigning = self.restored = False
        self.kept_s: list[float] = []
        self.kept_at: list[float] = []
        self.refused: tuple[tuple[Consent, Chat], ...] = ()
        self.asking: Consent | None = None
        self.statements: list[Statement] = []

    def refused_here(self, tip: str) -> list[str]:
        """What its player has refused since the message that `tip` names."""
        return [request.what for request, _ in self.refused if request.tip == tip]

    def lose_power(self) -> None:
        """What was not synced is gone."""
        self._cut(self.synced)

    def put_back(self, count: int) -> None:
        """What it has is a backup, of when there were `count` messages."""
        self._cut(count)
        self.synced, self.restored, self.refused = count, True, ()

    def _cut(self, count: int) -> None:
        del self.rows[count:], self.kept_s[count:], self.kept_at[count:]

    def begin(self, offer: Offer, role: Role) -> StoredGame:
        """Add the game; see ``Journal.begin``."""
        assert self.stored is None or len(self.rows) < 2
        self._cut(0)
        self.synced, self.finished = 0, False
        settings: dict[str, Any] = {}
        self.stored = StoredGame(1, role, offer, settings, finished=False)
        return self.stored

    def ledger(self) -> Ledger:
        """The game rebuilt as after a restart."""
        assert self.stored is not None
        ledger = rebuild_ledger(self.stored.offer, self.rows)
        ledger.statements = tuple(self.statements)
        return ledger

    def opened_by(self, process: Mortal, now: Callable[[], float]) -> "SimJournal":
        """The journal as one process has it, whose time of day is `now`, in seconds."""
        return SimJournal(self, process, now)


class SimJournal:
    """The ``GameJournal`` of one process: what it writes after its death is not written."""

    def __init__(self, disk: Disk, process: Mortal, now: Callable[[], float]) -> None:
        self._disk = disk
        self._now = now
        self._process = process

    def keep(
        self, game: StoredGame, messages: Iterable[tuple[Role, AnyLogMessage]]
    ) -> "asyncio.Future[None] | None":
        """See ``GameJournal.keep``."""
        batch = list(messages)
        disk = self._disk
        if disk.sync_s is None:
            self._write(game, batch)
            return None
        loop = asyncio.get_running_loop()
        kept: asyncio.Future[None] = loop.create_future()

        def write() -> None:
            disk.storing -= 1
            self._write(game, batch)
            kept.set_result(None)

        disk.storing += 1
        loop.call_later(disk.sync_s, write)
        return kept

    def _write(self, game: StoredGame, batch: "list[tuple[Role, AnyLogMessage]]") -> None:
        if not self._process.step():
            return
        disk = self._disk
        disk.rows += [(role.value, encode(message)) for role, message in batch]
        disk.kept_s += [self._now()] * len(batch)
        disk.kept_at += [asyncio.get_running_loop().time()] * len(batch)
        if any(role is game.role for role, _ in batch):
            disk.synced = len(disk.rows)

    def adopt(self, game: StoredGame, messages: Iterable[tuple[Role, AnyLogMessage]]) -> None:
        """See ``Journal.adopt``."""
        if not self._process.step():
            return
        disk = self._disk
        disk.rows = [(role.value, encode(message)) for role, message in messages]
        now = self._now()
        disk.kept_s = [0.0 if role == game.role.value else now for role, _ in disk.rows]
        disk.kept_at = [0.0] * len(disk.rows)
        disk.synced, disk.restored = len(disk.rows), False

    def ages_ms(self, game: StoredGame) -> list[tuple[Role, int]]:
        """See ``GameJournal.ages_ms``."""
        disk, now = self._disk, self._now()
        rows = zip(disk.rows, disk.kept_s, strict=True)
        return [(Role(role), max(0, int((now - kept_s) * 1000))) for (role, _), kept_s in rows]

    def store_refusals(self, game: StoredGame, answers: Sequence[tuple[Consent, Chat]]) -> None:
        """See ``GameJournal.refuses``."""
        if self._process.step():
            self._disk.refused = tuple(answers)

    def store_request(self, game: StoredGame, request: Consent) -> None:
        """See ``GameJournal.asks``."""
        if self._process.step():
            self._disk.asking = request

    def store_statement(self, game: StoredGame, statement: Statement) -> None:
        """See ``GameJournal.attests``."""
        if self._process.step():
            self._disk.statements.append(statement)

    def store_resignation(self, game: StoredGame, *, held: bool) -> None:
        """See ``GameJournal.resigns``."""
        if self._process.step():
            self._disk.resigning = held

    def finish(self, game: StoredGame) -> None:
        """See ``GameJournal.finish``."""
        if self._process.step():
            self._disk.finished = True
