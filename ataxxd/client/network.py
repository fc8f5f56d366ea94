"""A seat in a game over a broker, and in its rematches."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from ataxxd.client.board import next_while
from ataxxd.client.events import Begun, TableEvent
from ataxxd.client.game import Game
from ataxxd.errors import LocalProtocolError
from ataxxd.node.closing import SCORE_GRACE
from ataxxd.node.events import Offered, RuntimeEvent
from ataxxd.node.groups import plain_errors
from ataxxd.node.journal import StoredGame
from ataxxd.node.settings import Settings
from ataxxd.node.sitting import Sitting
from ataxxd.node.table import NetworkTable
from ataxxd.node.taken_seat import Place, TakenSeat
from ataxxd.node.terms import as_text
from ataxxd.rules import Side
from ataxxd.session.ledger import Ledger
from ataxxd.session.roles import Role
from ataxxd.session.state import Phase
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import Offer

# Seconds for the other side to tell that it has the last word; see `ataxxd.node.closing`.
_RECEIPT_S = SCORE_GRACE + 5.0


class NetworkGame(Game):
    """A game with another node; made by `ataxxd.client.NodeClient`.

    Before it has begun there is no board: whatever asks for one raises `LocalProtocolError`.

    Attributes:
        was_offered: whether the broker has had our offer while we were here.
    """

    def __init__(
        self, place: Place, stored: StoredGame, ledger: Ledger, settings: Settings, *, at: str
    ) -> None:
        """Take a seat; `opened` does the rest. The caller holds the game's lock.

        Args:
            place: where games are.
            stored: the game in the journal.
            ledger: the game so far.
            settings: how.
            at: what invitations name the broker with, ``@ADDRESS``; empty for this machine's own.
        """
        self._stored = stored
        self._secret = settings.invitation
        self._at = at
        self._there = asyncio.Event()
        self.was_offered = False
        self._sitting = Sitting(
            place, stored, ledger, settings, None,
            stays=True, in_series=False, told=self._told, ended=_nothing,
        )  # fmt: skip
        self._runner: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        role = "host" if self.hosted else "guest"
        state = (
            "open" if self.is_open else "playing" if self._seat.ledger.outcome is None else "over"
        )
        return f"<{type(self).__name__} {self.name}#{grouped(self.host)}: {role}, {state}>"

    @asynccontextmanager
    async def opened(self) -> AsyncIterator["NetworkGame"]:
        """The seat, while the block lasts: a host's from the offer on, a guest's from the start."""
        with plain_errors():
            async with asyncio.TaskGroup() as group:
                self._runner = group.create_task(self._carry(), name=f"game {self.name}")
                try:
                    await (self._offered() if self.hosted else self.begun())
                    yield self
                finally:
                    self._sitting.leave()
                    await self._settled(self._runner)

    # What it is

    @property
    def name(self) -> str:
        """Its name on the broker."""
        return self._seat.stored.offer.name

    @property
    def id(self) -> str:
        """The game's id: the digest of its offer, in hexadecimal digits. A rematch has its own."""
        return self._seat.stored.offer.digest

    @property
    def hosted(self) -> bool:
        """Whether this node is the host."""
        return self._seat.stored.role is Role.HOST

    @property
    def host(self) -> str:
        """The host's node id."""
        return self._seat.stored.offer.host

    @property
    def opponent(self) -> str | None:
        """The other player's node id; None before anybody has come."""
        ledger = self._seat.ledger
        if not self.hosted:
            return self.host
        return None if ledger.join is None else ledger.join.author

    @property
    def is_open(self) -> bool:
        """Whether the host's offer still waits for somebody to take it."""
        return self._seat.ledger.phase is Phase.OPEN

    @property
    def offer(self) -> Offer:
        """What the host signed: the game's name, rules, start and terms."""
        return self._seat.stored.offer

    @property
    def terms(self) -> str:
        """What is agreed, in words; empty for the usual."""
        return as_text(self._seat.stored.offer)

    @property
    def invitation(self) -> str:
        """What a guest gives to `NodeClient.join`, or to ``ataxxd join``."""
        offer = self._stored.offer
        secret = f".{self._secret}" if self._secret else ""
        return f"{offer.name}#{grouped(offer.host)}{secret}{self._at}"

    @property
    def connected(self) -> bool:
        """Whether there is a connection to the broker now."""
        return self._table.connected

    def remaining_ms(self, side: Side) -> int | None:
        """What is left of a side's time at this moment, in ms; None without a clock."""
        return self._table.remaining_ms(side)

    @property
    def signed_record(self) -> bytes:
        """The game so far as a file that anybody can verify; see docs/reference/records.md."""
        return self._table.signed_record()

    # What can be done

    async def begun(self) -> None:
        """Wait until both players are there; see `Game.begun`."""
        await self._sitting.seated()

    async def say(self, text: str) -> None:
        """Say something to your opponent.

        Raises:
            LocalProtocolError: it is not one line of 1 to 500 visible characters.
        """
        await self._table.say(text)

    async def ask_takeback(self) -> None:
        """Ask to take back our last move; `TakenBack` tells when the other player agrees.

        Raises:
            LocalProtocolError: there is nothing to take back, or the terms forbid it.
        """
        await self._table.ask("takeback")

    async def ask_abort(self) -> None:
        """Ask to end the game without a result; `Over` tells when the other player agrees.

        Raises:
            LocalProtocolError: the game is over.
        """
        await self._table.ask("abort")

    async def agree(self) -> None:
        """Agree to what the other player asks for (`Asked`); it lapses with the next move.

        Raises:
            LocalProtocolError: it asks for nothing now.
        """
        await self._table.agree()

    async def refuse(self) -> None:
        """Refuse what the other player asks for (`Asked`); it is told by a line of talk.

        Raises:
            LocalProtocolError: it asks for nothing now, or we have agreed already.
        """
        await self._table.refuse()

    async def claim(self) -> None:
        """Claim the game of a player who does not answer (`MayClaim`).

        Raises:
            LocalProtocolError: it is too early, or not allowed; the text says when it is.
        """
        await self._table.claim()

    async def rematch(self) -> bool:
        """Ask for another game with colours swapped, or agree to one, and wait until it begins.

        Whatever happens meanwhile is not told. A wish that is cancelled stands until this game
        is left.

        Returns:
            Whether it has begun; False when none can follow any more.

        Raises:
            LocalProtocolError: the game is not over, or there can be none after it.
        """
        self._table.rematch()
        while (event := await self._next()) is not None:
            if isinstance(event, Begun):
                return True
        return False

    # How

    @property
    def _seat(self) -> TakenSeat:
        return self._sitting.game

    @property
    def _table(self) -> NetworkTable:
        table = self._sitting.table
        if table is None:
            raise LocalProtocolError(
                "game/not-begun",
                f'"{self.name}" has not begun: there is no board yet. Wait for it: await '
                "game.begun()",
            )
        return table

    async def _claim_silence(self) -> None:
        # The other player may have answered meanwhile.
        with suppress(LocalProtocolError):
            await self.claim()

    async def _next(self) -> TableEvent | None:
        assert self._runner is not None
        return await next_while(self._table, self._runner)

    def _told(self, event: RuntimeEvent) -> None:
        if isinstance(event, Offered):
            self.was_offered = True
            self._there.set()

    async def _settled(self, carrier: "asyncio.Task[None]") -> None:
        """Wait for the end of a game that is over: its result wants both signatures."""
        while not carrier.done():
            await asyncio.wait({carrier}, timeout=_RECEIPT_S)
            if self._seat.ledger.phase is Phase.CLOSED:
                # Both are here. Whether the other side knows it too is not worth any more time.
                carrier.cancel()

    async def _carry(self) -> None:
        try:
            await self._sitting.run()
        finally:
            self._there.set()

    async def _offered(self) -> None:
        """Wait until the broker has the offer, or the game has begun."""
        begun = asyncio.create_task(self._sitting.seated(), name="the game begins")
        there = asyncio.create_task(self._there.wait(), name="the offer is there")
        try:
            await asyncio.wait({begun, there}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            begun.cancel()
            there.cancel()
            await asyncio.wait({begun, there})


def _nothing(_: TakenSeat) -> None:
    """The table has told it."""
