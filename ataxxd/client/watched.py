"""A game that a program looks on at."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from ataxxd.client.board import Board, next_while
from ataxxd.client.events import TableEvent
from ataxxd.node.groups import plain_errors
from ataxxd.node.node import TOPICS
from ataxxd.node.watched_table import WatchedTable
from ataxxd.node.watching import Watcher
from ataxxd.rules import Side
from ataxxd.session.ledger import Ledger
from ataxxd.session.spectator import SpectatorSession
from ataxxd.transport.base import Transport
from ataxxd_protocol.messages import Offer


class WatchedGame(Board):
    """A game of others; made by `ataxxd.client.NodeClient.watch`."""

    def __init__(self, offer: Offer, transport: Transport) -> None:
        """Look on at the game of `offer`; see `opened`."""
        self._session = SpectatorSession(Ledger(offer))
        self._transport = transport
        self._watched = WatchedTable(Watcher(self._session, transport, TOPICS))
        self._runner: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator["WatchedGame"]:
        """The game, looked on at while the block lasts."""
        with plain_errors():
            async with self._transport, asyncio.TaskGroup() as group:
                self._runner = group.create_task(self._watched.run(), name="watching")
                try:
                    yield self
                finally:
                    self._runner.cancel()

    @property
    def name(self) -> str:
        """Its name on the broker."""
        return self._session.ledger.offer.name

    @property
    def id(self) -> str:
        """The game's id: the digest of its offer, in hexadecimal digits."""
        return self._session.ledger.offer.digest

    @property
    def players(self) -> dict[Side, str]:
        """The node id of each side; empty before the game has begun."""
        ledger = self._session.ledger
        if ledger.host_side is None or ledger.join is None:
            return {}
        host = ledger.host_side
        return {host: ledger.offer.host, host.opponent: ledger.join.author}

    @property
    def signed_record(self) -> bytes:
        """The game so far as a file that anybody can verify; see docs/reference/records.md."""
        return self._watched.signed_record()

    async def events(self) -> AsyncGenerator[TableEvent, None]:
        """What happens, from the first move of the game, however late we came.

        Ends when both players have signed the result, or nothing more is to be expected. One
        task at a time may listen.

        Raises:
            TransportError: the broker cannot be reached.
        """
        while (event := await self._next()) is not None:
            yield event

    @property
    def _table(self) -> WatchedTable:
        return self._watched

    async def _next(self) -> TableEvent | None:
        assert self._runner is not None
        return await next_while(self._watched, self._runner)
