"""Taking part in an event: which game is ours, and what is offered in it.

Games that their players have left are resumed until both have each of them complete.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from ataxxd.errors import GameError, TransportError
from ataxxd.node.command_lines import command_line
from ataxxd.node.game_run import GameContext, GameRun
from ataxxd.node.journal import Journal, StoredGame
from ataxxd.node.settings import Settings
from ataxxd.node.settlement import LAST_WORD_GRACE
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, standing_of
from ataxxd.session.state import Phase, Role
from ataxxd.tournament.feed import EventFeed, EventReplacedError, InvalidEventError, follow_event
from ataxxd.tournament.tournament import Board, Tournament, is_matching_offer, is_voided, result_of
from ataxxd.transport.base import Transport
from ataxxd_protocol.messages import EventPlan

T = TypeVar("T")

CONFIRMATION_S = 10.0
"""Seconds for which the next round waits for a game that is over to be settled."""


@dataclass(frozen=True, slots=True)
class OurGame:
    """A game of an event that this node plays.

    Attributes:
        board: the pairing.
        role: our role; the player who moves first is the host.
        ends_ms: when its round ends, in Unix milliseconds.
    """

    board: Board
    role: Role
    ends_ms: int

    @property
    def name(self) -> str:
        """The name of the game."""
        return self.board.name

    @property
    def opponent(self) -> str:
        """The opponent's node id."""
        pairing = self.board.pairing
        return pairing.second if self.role is Role.HOST else pairing.first

    def counts_as_lost(self, game: str) -> bool | None:
        """Whether the event counts a game as lost (True) or won (False) for us.

        Args:
            game: the game's id.

        Returns:
            None if it counts it as neither, counts another game, or has no result yet.
        """
        result = self.board.result
        if result is None or result.game != game or result.score not in ("1-0", "0-1"):
            return None
        return (result.score == "1-0") is (self.role is Role.GUEST)


class EventFollower:
    """Follows an event for one of its players; `run` must run beside it.

    Attributes:
        feed: the documents of the event.
    """

    def __init__(self, feed: EventFeed, transport: Transport) -> None:
        """Follow the event of `feed` over `transport`, which nobody else may read."""
        self.feed = feed
        self._transport = transport
        self._news = asyncio.Event()

    async def run(self, on_news: Callable[[str], None]) -> None:
        """Follow for ever; `on_news` gets a sentence when the connection is lost or back."""
        await follow_event(self._transport, self.feed, self._news.set, on_news=on_news)

    async def wait_for_change(self) -> None:
        """Wait until there is something new."""
        await self._news.wait()
        self._news.clear()

    @property
    def tournament(self) -> Tournament:
        """The event so far.

        Raises:
            InvalidEventError: its host signed something that does not follow.
            EventReplacedError: its host has a newer event of the same name.
        """
        if self.feed.replaced is not None:
            raise EventReplacedError(self.feed.replaced, was_over=self.feed.tournament.over)
        if self.feed.fault is not None:
            raise InvalidEventError(
                f"The host of {self.feed.tournament.plan.name} broke the rules of the event: "
                f"{self.feed.fault}. Nothing more of it is played; its signature proves it."
            )
        return self.feed.tournament


def our_games(tournament: Tournament, node: str) -> Iterator[OurGame]:
    """A node's games in all rounds so far, in order."""
    plan = tournament.plan
    for board in tournament.boards:
        pairing = board.pairing
        if node in (pairing.first, pairing.second):
            role = Role.HOST if node == pairing.first else Role.GUEST
            ends_ms = tournament.rounds[board.number - 1].created_ms + plan.round_ms
            yield OurGame(board, role, ends_ms)


def our_game(tournament: Tournament, node: str) -> OurGame | None:
    """A node's game in the newest round; None if it has a bye or has left."""
    for game in our_games(tournament, node):
        if game.board.number == len(tournament.rounds):
            return game
    return None


def known_game(journal: Journal, plan: EventPlan, game: OurGame) -> StoredGame | None:
    """Our newest attempt at a game in the journal, begun or offered by us; None without one."""
    for stored in journal.games_named(game.name):
        if stored.role is not game.role or not is_matching_offer(plan, game.board, stored.offer):
            continue
        ledger = journal.ledger(stored)
        if ledger.phase is Phase.OPEN and (stored.finished or stored.role is Role.GUEST):
            continue  # nobody came, or we never had the seat
        if not is_voided(ledger):
            return stored
    return None


def contradiction(
    tournament: Tournament, game: OurGame, ledger: Ledger, home_option: str = ""
) -> str | None:
    """How the host's result of our game differs from the one both players signed, in words.

    This is no proof of fraud: by the host's clock, the game may have ended after its round.
    `home_option` is how the text names our home; see `Home.option`.
    """
    for board in tournament.boards:
        ours = (board.number, board.board) == (game.board.number, game.board.board)
        if ours and board.result is not None and standing_of(ledger) is Standing.AGREED:
            signed = result_of(ledger).score
            if signed not in ("*", board.result.score):
                show = command_line(f"archive {game.name} --export DIR", home_option)
                return (
                    f"{game.name} ended {signed}, which both players have signed, and the host of "
                    f"the event says {board.result.score}. If it was over in time, show the record "
                    f"to the others: {show}"
                )
    return None


async def run_during_round(
    follower: EventFollower,
    number: int,
    work: "asyncio.Task[T]",
    *,
    is_over: Callable[[], bool],
    confirmation_s: float = CONFIRMATION_S,
) -> None:
    """Wait for some work, and stop it when the event has moved on from round `number`.

    Args:
        follower: follows the event.
        number: the number of the round.
        work: plays our game of the round.
        is_over: whether the game is over. The event moves on as soon as its host has seen the end
            of the last game, when the players may not have confirmed it yet.
        confirmation_s: seconds to confirm it before the work is stopped.
    """
    news: asyncio.Task[None] | None = None
    try:
        while not work.done():
            news = news or asyncio.create_task(follower.wait_for_change(), name="news")
            await asyncio.wait({work, news}, return_when=asyncio.FIRST_COMPLETED)
            if news.done():
                news = None
                feed = follower.feed
                if len(feed.tournament.rounds) > number or feed.fault or feed.replaced:
                    if is_over():
                        await asyncio.wait({work}, timeout=confirmation_s)
                    work.cancel()
                    await asyncio.wait({work})
    finally:
        work.cancel()
        await asyncio.wait({work})
        if news is not None:
            news.cancel()


# Seconds until a game that could not be settled is taken up again.
_RETRY_S = 1.0


class UnsettledGames:
    """Our games that are over, or whose round is over, and that are not settled yet.

    During the event the opponent is present or will be back: a node that was killed after the
    last move still needs it, and one that has moved on to the next round must still send it.
    """

    def __init__(
        self, context: GameContext, group: asyncio.TaskGroup, on_settled: Callable[[GameRun], None]
    ) -> None:
        """Settle games in the background.

        Args:
            context: what the node's games share.
            group: runs the tasks.
            on_settled: called with each game that both players are known to have.
        """
        self._context = context
        self._group = group
        self._on_settled = on_settled
        self._tasks: dict[int, tuple[StoredGame, asyncio.Task[None]]] = {}

    def settle_later(self, stored: StoredGame, *, lost: bool | None = None) -> None:
        """Settle a game that nobody plays any more, unless that is already under way.

        Args:
            stored: the game in the journal.
            lost: whether the event counts it as lost (True) or won (False) for us, if it was not
                over in time: then we resign or claim it, so that the record says the same.
        """
        if stored.id not in self._tasks:
            if lost:
                self._context.profile.journal.store_resignation(stored, held=True)
                stored = replace(stored, resigning=True)
            task = self._group.create_task(
                self._settle(stored, lost), name=f"settle {stored.offer.name}"
            )
            self._tasks[stored.id] = stored, task

    @property
    def remaining(self) -> list[StoredGame]:
        """The games not settled yet."""
        return [stored for stored, task in self._tasks.values() if not task.done()]

    async def wait(self, seconds: float) -> list[StoredGame]:
        """Wait until all are settled, but at most so long; returns those that are not."""
        tasks = [task for _, task in self._tasks.values() if not task.done()]
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)
        return self.remaining

    async def finish(self, seconds: float = LAST_WORD_GRACE) -> list[StoredGame]:
        """Wait as `wait` does, then stop settling; returns the games left."""
        left = await self.wait(seconds)
        tasks = [task for _, task in self._tasks.values() if not task.done()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        return left

    async def _settle(self, stored: StoredGame, lost: bool | None) -> None:
        profile = self._context.profile
        while True:
            try:
                with profile.home.lock(stored.offer.digest, stored.offer.name):
                    seat = GameRun(
                        self._context,
                        stored,
                        profile.journal.ledger(stored),
                        Settings.restored(stored.settings),
                        claims=lost is False,
                    )
                    await seat.run()
                if seat.runtime.is_settled:
                    self._on_settled(seat)
                    return
            except (GameError, TransportError):
                pass  # the broker, or the other player, may come back
            await asyncio.sleep(_RETRY_S)
