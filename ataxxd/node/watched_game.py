"""A watched game as clients see it: a `Game` in which nobody here has a seat."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from ataxxd.errors import LocalProtocolError
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.game import Act
from ataxxd.node.ledger_game import LedgerGame
from ataxxd.node.names import NameBook
from ataxxd.node.presence import TalkRoom
from ataxxd.node.watching import Watcher
from ataxxd.rules import Side
from ataxxd.session.events import (
    Begun,
    Closed,
    GameEvent,
    Ignored,
    Named,
    Notice,
    Rejected,
    Seat,
    Started,
    TableEvent,
)
from ataxxd.session.ledger import Ledger
from ataxxd.session.spectator import SpectatorSession
from ataxxd.times import SYSTEM_CLOCK, Clock
from ataxxd_protocol.messages import Offer


class WatchedGame(LedgerGame):
    """A game of others that we look on at; `run` must run beside it, or it is `carried`."""

    def __init__(
        self,
        watcher: Watcher,
        room: TalkRoom | None = None,
        clock: Clock = SYSTEM_CLOCK,
        *,
        note: str = "",
    ) -> None:
        """Look on at the game of `watcher`, and talk in `room` where there is one.

        `note` is told before everything else.
        """
        self._watcher = watcher
        self._session = watcher.session
        self._clock = clock
        self._tip, self._since = self._ledger.tip, clock.monotonic()
        self._room = room
        # With the session of the next game: what comes before is of the last one.
        self._events: asyncio.Queue[TableEvent | tuple[Begun, SpectatorSession]] = asyncio.Queue()
        if note:
            self._events.put_nowait(Notice(note))

    @asynccontextmanager
    async def carried(self) -> AsyncIterator["WatchedGame"]:
        """The game, looked on at while the block lasts."""
        with plain_errors():
            async with asyncio.TaskGroup() as group:
                self._carrier = group.create_task(self.run(), name="watching")
                try:
                    yield self
                finally:
                    self._carrier.cancel()

    async def run(self) -> None:
        """Take in what happens, until nothing more is to be expected."""
        async for event in self._watcher.events():
            self._follow()
            match event:
                case Started() | Closed() | Rejected() | Ignored() | Named(side=None):
                    pass
                case Begun():
                    self._events.put_nowait((event, self._watcher.session))
                case _:
                    self._events.put_nowait(event)

    @property
    def _ledger(self) -> Ledger:
        return self._session.ledger

    @property
    def offer(self) -> Offer:
        """Of the game that is shown."""
        return self._ledger.offer

    @property
    def players(self) -> dict[Side, str]:
        """The node id of each side; empty before the game has begun."""
        ledger = self._ledger
        if ledger.host_side is None or ledger.join is None:
            return {}
        host = ledger.host_side
        return {host: ledger.offer.host, host.opponent: ledger.join.author}

    @property
    def _names(self) -> NameBook | None:
        introductions = self._watcher.introductions
        return None if introductions is None else introductions.names

    @property
    def _thought_ms(self) -> int:
        self._follow()
        return int((self._clock.monotonic() - self._since) * 1000)

    def _follow(self) -> None:
        """Begin to time the turn anew when the game has gone on."""
        if self._tip != self._ledger.tip:
            self._tip, self._since = self._ledger.tip, self._clock.monotonic()

    @property
    def broker(self) -> str:
        """The broker's address, without secrets."""
        return self._watcher.broker

    @property
    def idle(self) -> bool:
        """True when everything is reported and the game is over."""
        return self._events.empty() and self.outcome is not None

    def seat(self, side: Side) -> Seat:  # noqa: ARG002 -- both alike
        """Others fill both seats."""
        return Seat.REMOTE

    async def advance(self) -> TableEvent:
        """The next thing that happened; see `Game.advance`."""
        event = await self._events.get()
        if isinstance(event, tuple):
            event, self._session = event
        return event

    async def events(self) -> AsyncGenerator[GameEvent, None]:
        """What happens, from the first move of the game; see `Game.events`."""
        while (event := await self._next()) is not None:
            yield event

    def refusal(self, act: Act) -> LocalProtocolError | None:
        """Why something cannot be done; see `Game.refusal`."""
        if act != "talk":
            return LocalProtocolError(
                "move/no-seat", "You are watching this game; the players have the seats."
            )
        if self._room is None:
            return LocalProtocolError(
                "talk/unheard", "Nobody can hear you: to talk to other spectators, add --talk."
            )
        return None

    @property
    def connected(self) -> bool:
        """Whether there is a connection to the broker now."""
        return self._watcher.connected

    async def talk(self, text: str) -> None:
        """Say something to the others; see `Game.talk`."""
        if self._room is None:
            raise self._why_not("talk")
        try:
            await self._room.say(text)
        except ValueError:
            raise LocalProtocolError(
                "talk/unsayable", "Not said: it must be one line of 1 to 500 visible characters."
            ) from None
