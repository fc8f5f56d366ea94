"""An open game of a node: a seat, a challenge, a view, a game against our engine, or a study."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from typing import TypeAlias

from ataxxd.engines.base import Bot
from ataxxd.node.concurrency import plain_errors, run_beside
from ataxxd.node.game import Game
from ataxxd.node.game_run import GameRun
from ataxxd.node.ledger_game import format_player
from ataxxd.node.level_games import LevelGames
from ataxxd.node.listing import open_terms
from ataxxd.node.local_game import LocalGame
from ataxxd.node.messaging.challenges import Challenged, OutgoingChallenge
from ataxxd.node.messaging.messenger import Messenger
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.node import Node
from ataxxd.node.offers import describe_terms
from ataxxd.node.presence import TalkRoom
from ataxxd.node.runtime import OfferPublished, RuntimeEvent
from ataxxd.node.series import SeatPlayer
from ataxxd.node.watched_game import WatchedGame
from ataxxd.node.watching import Watcher
from ataxxd.rules import Position, Side
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.events import Seat
from ataxxd.session.ledger import Ledger
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Role
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import Offer

GameWatcher: TypeAlias = Callable[[NetworkGame], AbstractAsyncContextManager[None]]
"""Watches a game of ours while a block lasts; see `ataxxd.node.notices.GameNotices`."""


def without_notices(_game: NetworkGame) -> AbstractAsyncContextManager[None]:
    """Notify of nothing: the person is at the page."""
    return nullcontext()


class OpenGame(ABC):
    """One game that this node has open, begun or not; `run` must run beside it.

    Attributes:
        id: its id here.
        ended_by: what ended it, such as a declined challenge; empty while it is open.
    """

    def __init__(self, number: int) -> None:
        self.id = str(number)
        self.ended_by = ""
        self._leaving = asyncio.Event()

    @property
    def game_id(self) -> str | None:
        """The id of our game in it."""
        return None

    async def run(self) -> None:
        """Run the game until it is left.

        Raises:
            AtaxxdError: what ended the game.
        """
        await self._leaving.wait()

    @property
    def title(self) -> str:
        """The game's name; empty offline."""
        return ""

    @property
    @abstractmethod
    def ruleset(self) -> str:
        """The id of the rules."""

    @property
    def players(self) -> tuple[str, ...]:
        """The players as people read them, the first to move first; fewer if some are missing."""
        return ()

    @property
    def waits_for(self) -> str:
        """The player it waits for before it begins; empty for anybody."""
        return ""

    @property
    def studied_game(self) -> GameRecord | None:
        """The game to study; None if the game is played or watched."""
        return None

    @property
    def join_command(self) -> str | None:
        """The command to join, for somebody else; None if there is no free seat."""
        return None

    @property
    def watch_command(self) -> str | None:
        """The command to watch, for others; None if they cannot."""
        return None

    @property
    def terms(self) -> str:
        """The terms in words; empty for the usual ones."""
        return ""

    @property
    @abstractmethod
    def status_text(self) -> str:
        """Its state in words: ``waiting for a guest``, ``playing``, ``over``."""

    async def begun(self) -> Game | None:
        """Wait for the game to begin, and return it; None if there is none or it ended before."""
        return None

    def leave(self) -> None:
        """Leave it: it closes soon, and an unfinished game can be resumed."""
        self._leaving.set()


class OpenOffer(OpenGame):
    """A network game, played or watched here."""

    @property
    @abstractmethod
    def _offer(self) -> Offer:
        """What its host signed."""

    @property
    def title(self) -> str:
        """The game's name."""
        return self._offer.name

    @property
    def ruleset(self) -> str:
        """The id of the rules."""
        return self._offer.ruleset

    @property
    def terms(self) -> str:
        """The terms in words; empty for the usual ones."""
        return describe_terms(self._offer)


class OpenSeat(OpenOffer):
    """A seat of ours in a network game, and in its rematches."""

    def __init__(
        self,
        number: int,
        node: Node,
        take_seat: Callable[[SeatPlayer], NetworkGame],
        bot: Bot | None = None,
        *,
        on_change: Callable[[], None],
        notices: GameWatcher,
    ) -> None:
        """Take the seat.

        Args:
            number: the number of the open game.
            node: our node.
            take_seat: takes the seat for a player; the seat is released at the end.
            bot: plays our side; a person does if None.
            on_change: called when a game has begun or ended.
            notices: notifies a person who is not at the page.
        """
        super().__init__(number)
        self._at = node.at
        self._on_change = on_change
        self._notices = notices
        self._names = node.profile.names
        self._game = take_seat(SeatPlayer(bot, on_event=self._on_event, on_ended=self._on_ended))

    @property
    def players(self) -> tuple[str, ...]:
        """The players as people read them, the first to move first."""
        ledger, role = self._game.current.ledger, self._game.current.stored.role
        ours = "our engine" if self._game.has_bot else "you"
        if ledger.host_side is None:
            return (ours,)
        return tuple(
            ours if ledger.role_playing(side) is role else format_player(ledger, side, self._names)
            for side in Side
        )

    @property
    def join_command(self) -> str | None:
        """The command to join, while our offer has a free seat; else None."""
        if self._game.current.stored.role is Role.GUEST or self._game.has_begun:
            return None
        return f"ataxxd join {self._game.invitation}"

    @property
    def watch_command(self) -> str | None:
        """The command to watch."""
        return f"ataxxd watch {self._name}{self._at}"

    @property
    def game_id(self) -> str | None:
        """The id of the game."""
        return self._offer.digest

    @property
    def status_text(self) -> str:
        """Its state in words."""
        ledger = self._game.current.ledger
        if ledger.outcome is not None:
            return "over"
        if self._game.has_begun:
            return "playing"
        hosts = self._game.current.stored.role is Role.HOST
        return "waiting for a guest" if hosts else "waiting for the host"

    async def run(self) -> None:
        """Play until the seat is left."""
        with self._game, plain_errors():
            async with self._notices(self._game), asyncio.TaskGroup() as group:
                playing = group.create_task(self._game.run(), name=f"game {self.id}")
                leaving = group.create_task(self._leaving.wait(), name="leaving")
                await asyncio.wait({playing, leaving}, return_when=asyncio.FIRST_COMPLETED)
                if leaving.done():
                    self._game.leave()
                elif not self._game.has_begun or self._game.current.ledger.outcome is None:
                    leaving.cancel()
                # A game that has ended stays open for the person to look at until they leave.

    async def begun(self) -> Game | None:
        """Wait for the game to begin, and return it; None if it ended before."""
        return self._game if await self._game.begun() else None

    @property
    def _offer(self) -> Offer:
        return self._game.current.stored.offer

    @property
    def _name(self) -> str:
        return f"{self._offer.name}#{grouped(self._offer.host)}"

    def _on_event(self, event: RuntimeEvent) -> None:
        """Ignore it: the page shows the same from the state of the game."""

    def _on_ended(self, _game: GameRun) -> None:
        self._on_change()


class OpenChallenge(OpenSeat):
    """Our seat in a game that we challenge somebody to."""

    def __init__(
        self,
        number: int,
        node: Node,
        take_seat: Callable[[SeatPlayer], NetworkGame],
        messenger: Messenger,
        challenged: Challenged,
        *,
        on_change: Callable[[], None],
        notices: GameWatcher,
    ) -> None:
        """Take our seat, and challenge.

        Args:
            number: the number of the open game.
            node: our node.
            take_seat: takes our seat in a game whose other seat is kept for the challenged player.
            messenger: this node's, which must be running.
            challenged: the recipient.
            on_change: called when a game has begun or ended.
            notices: notifies a person who is not at the page.
        """
        super().__init__(number, node, take_seat, on_change=on_change, notices=notices)
        self._offered = asyncio.Event()
        self._challenged_name = self._names.display_name(
            str(challenged.node), card_name=challenged.card_name
        )
        self._challenging = OutgoingChallenge(messenger, challenged, self._offer)
        self._finish = partial(node.profile.journal.finish, self._game.stored)

    @property
    def join_command(self) -> str | None:
        """None: the seat is kept for the challenged player."""
        return None

    @property
    def terms(self) -> str:
        """The terms in words; empty for the usual ones."""
        return open_terms(self._offer)

    @property
    def waits_for(self) -> str:
        """The challenged player as people read it."""
        return self._challenged_name

    @property
    def status_text(self) -> str:
        """Its state in words."""
        asks = not self._game.has_begun
        return f"waiting for {self._challenged_name} to accept" if asks else super().status_text

    async def run(self) -> None:
        """Play until the seat is left or the challenge is declined."""
        try:
            with plain_errors():
                async with asyncio.TaskGroup() as group:
                    asking = group.create_task(self._run_challenge(), name=f"challenge {self.id}")
                    await super().run()
                    asking.cancel()
        finally:
            if not self._game.has_begun:
                self._finish()  # there is nothing to resume

    async def _run_challenge(self) -> None:
        async with asyncio.TaskGroup() as group:
            await self._offered.wait()
            asking = group.create_task(self._challenging.run(), name="asking")
            await self._game.begun()
            asking.cancel()

    def _on_event(self, event: RuntimeEvent) -> None:
        if isinstance(event, OfferPublished):
            self._offered.set()


class OpenStudy(OpenGame):
    """A finished game of ours, open for study."""

    def __init__(self, number: int, title: str, game: GameRecord) -> None:
        """Study `game`, which has a name."""
        super().__init__(number)
        self._title = title
        self._game = game

    @property
    def title(self) -> str:
        """The game's name."""
        return self._title

    @property
    def ruleset(self) -> str:
        """The id of the rules."""
        return self._game.start.ruleset

    @property
    def studied_game(self) -> GameRecord | None:
        """The game."""
        return self._game

    @property
    def status_text(self) -> str:
        """Its state in words."""
        return "studying"


class OpenView(OpenOffer):
    """A game that we watch."""

    def __init__(self, number: int, node: Node, offer: Offer) -> None:
        """Watch the game of `offer`."""
        super().__init__(number)
        place = node.place
        self._transport = place.connect(None)
        session = SpectatorSession(Ledger(offer))
        room = TalkRoom(offer, self._transport, place.profile.key)
        self._names = place.profile.names
        self._watcher = Watcher(session, self._transport, room, self._names, follow_rematches=True)
        self._watched = WatchedGame(self._watcher, room)
        self._at = node.at

    @property
    def players(self) -> tuple[str, ...]:
        """The players as people read them, the first to move first."""
        ledger = self._watcher.session.ledger
        if ledger.host_side is None:
            return (self._names.display_name(ledger.offer.host),)
        return tuple(format_player(ledger, side, self._names) for side in Side)

    @property
    def watch_command(self) -> str | None:
        """The command to watch."""
        return f"ataxxd watch {self._offer.name}#{grouped(self._offer.host)}{self._at}"

    @property
    def status_text(self) -> str:
        """Its state in words."""
        return "watching" if self._watched.outcome is None else "over"

    @property
    def _offer(self) -> Offer:
        return self._watched.offer

    async def run(self) -> None:
        """Watch until it is left, even after the end of the game."""
        async with (
            self._transport,
            run_beside(self._watched.run(), f"game {self.id}") as watching,
            run_beside(self._leaving.wait(), "leaving") as leaving,
        ):
            await asyncio.wait({watching, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if watching.done():
                watching.result()
                await leaving

    async def begun(self) -> Game | None:
        """The game."""
        return self._watched


class OpenLocalGame(OpenGame):
    """An offline game against our own engine."""

    def __init__(
        self, number: int, ruleset: str, ours: Side, bot: Bot, levels: LevelGames | None
    ) -> None:
        """Begin a game in which a person plays the side `ours`; `levels` stores its result."""
        super().__init__(number)
        seats = {ours: Seat.HUMAN, ours.opponent: Seat.AUTO}
        bots = dict.fromkeys(Side, bot)
        self._local = LocalGame(Position.start(ruleset), bots, seats=seats)
        if levels is not None:
            self._local.count_results(levels)

    @property
    def ruleset(self) -> str:
        """The id of the rules."""
        return self._local.start.ruleset

    @property
    def players(self) -> tuple[str, ...]:
        """The players as people read them, the first to move first."""
        seats = {Seat.HUMAN: "you", Seat.AUTO: "our engine"}
        return tuple(seats[self._local.seat(side)] for side in Side)

    @property
    def status_text(self) -> str:
        """Its state in words."""
        return "playing" if self._local.outcome is None else "over"

    async def begun(self) -> Game | None:
        """The game."""
        return self._local
