"""Notifications about games to players and node operators who are not watching.

`ataxxd.notify` delivers them.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from ataxxd.node.command_lines import command_line
from ataxxd.node.messaging.letters import Refusal
from ataxxd.node.names import NameBook
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.receiving import Rate, TokenBucket
from ataxxd.notify import DeliveryError, Destination, Notice, Occasion
from ataxxd.rules import Side
from ataxxd.rules.values import ending_text
from ataxxd.session.events import WISHES, Seat
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, standing_of
from ataxxd.session.state import Role
from ataxxd.times import format_deadline, format_duration
from ataxxd_protocol.messages import Challenge

# Five at once, and one every ten seconds in the long run.
_RATE = Rate(5, 0.1)
# The most notices that wait to be sent; if there are more, the oldest is dropped.
_MAX_WAITING = 50
# Seconds between two looks at a game, or at the budget.
_POLL_S = 1.0
# A clock is low when at most a tenth of its time, and at most five minutes, are left.
_LOW_SHARE, _LOW_MS = 10, 300_000


class Notifier:
    """Sends notices to all destinations, a few a minute, without blocking the caller.

    Beyond that rate, the newest notice of each kind and game waits. A destination that fails is
    reported once, until it works again.
    """

    def __init__(
        self,
        destinations: Sequence[Destination],
        on_failure: Callable[[str], None],
        *,
        occasions: Collection[Occasion] = tuple(Occasion),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create a notifier that is not running; `Notifications.run_notifier` runs one."""
        self._destinations = destinations
        self._on_failure = on_failure
        self._occasions = frozenset(occasions)
        self._budget = TokenBucket(_RATE, clock)
        self._waiting: dict[tuple[str, Occasion], Notice] = {}
        self._news = asyncio.Event()
        self._failing: set[Destination] = set()
        self._closed = False

    def queue(self, notice: Notice) -> None:
        """Queue a notice, if its occasion is wanted."""
        if self._destinations and notice.occasion in self._occasions:
            self._waiting[notice.game, notice.occasion] = notice
            if len(self._waiting) > _MAX_WAITING:
                del self._waiting[next(iter(self._waiting))]
            self._news.set()

    @property
    def waiting(self) -> int:
        """How many notices are waiting to be sent."""
        return len(self._waiting)

    def withdraw(self, game: str, occasion: Occasion) -> None:
        """Drop notices that are out of date, if they have not been sent yet."""
        self._waiting.pop((game, occasion), None)

    async def run(self) -> None:
        """Send notices until closed."""
        while True:
            await self._news.wait()
            self._news.clear()
            while self._waiting:
                if self._closed or self._budget.take():
                    await self._send(self._waiting.pop(next(iter(self._waiting))))
                else:
                    await asyncio.sleep(_POLL_S)
            if self._closed:
                return

    def close(self) -> None:
        """Make `run` end once it has sent the remaining challenges and results.

        Other notices are dropped, as they are no longer of use.
        """
        lasting = (Occasion.CHALLENGE, Occasion.OVER, Occasion.DISPUTED)
        left = [each for each in self._waiting.items() if each[1].occasion in lasting]
        self._waiting = dict(left[-_RATE.burst :])
        self._closed = True
        self._news.set()

    async def _send(self, notice: Notice) -> None:
        await asyncio.gather(*(self._send_to(each, notice) for each in self._destinations))

    async def _send_to(self, where: Destination, notice: Notice) -> None:
        try:
            await where.send(notice)
        except DeliveryError as error:
            if where not in self._failing:
                self._failing.add(where)
                self._on_failure(f"You could not be notified: {error}. The game is not affected.")
        else:
            self._failing.discard(where)


@dataclass(frozen=True, slots=True)
class Notifications:
    """How and when a person wants to be notified.

    Attributes:
        to: the destinations; none if empty.
        after_s: seconds that a person has to act at the board before a notice is sent.
        occasions: the occasions to notify of; all by default.
    """

    to: Sequence[Destination] = ()
    after_s: float = 30.0
    occasions: Collection[Occasion] = tuple(Occasion)

    @asynccontextmanager
    async def watch_game(
        self,
        game: NetworkGame,
        format_name: Callable[[str], str],
        on_failure: Callable[[str], None],
    ) -> AsyncIterator[None]:
        """Notify a person about one of our games while the block lasts, and of its result.

        Args:
            game: the game; if a bot plays our seat, only its beginning and its end are notified.
            format_name: turns a game's name into the one shown.
            on_failure: called with a sentence about a destination that fails.
        """
        if not self.to:
            yield
            return
        async with self.run_notifier(on_failure) as notifier:
            notices = GameNotices(game, format_name, notifier, after_s=self.after_s)
            async with notices.watch():
                yield

    @asynccontextmanager
    async def run_notifier(self, on_failure: Callable[[str], None]) -> AsyncIterator[Notifier]:
        """A running notifier; when the block ends, results that wait are still sent.

        Args:
            on_failure: called with a sentence about a destination that fails.
        """
        notifier = Notifier(self.to, on_failure, occasions=self.occasions)
        working = asyncio.create_task(notifier.run(), name="notices")
        try:
            yield notifier
        finally:
            notifier.close()
            await working


UNNOTIFIED = Notifications()
"""No notifications, for a person who is at the screen."""


class GameNotices:
    """Watches one of our games, and notifies its player of events.

    It polls the game, because the events are for the client that shows it.
    """

    def __init__(
        self,
        game: NetworkGame,
        format_name: Callable[[str], str],
        notifier: Notifier,
        *,
        after_s: float,
    ) -> None:
        """Watch a game, whether it has begun or not.

        Args:
            game: the game; if a bot plays our seat, only its beginning and its end are notified.
            format_name: turns a game's name into the one shown.
            notifier: sends the notices.
            after_s: seconds that a person has to act at the board before a notice is sent.
        """
        self._game = game
        self._format_name = format_name
        self._notifier = notifier
        self._after_s = after_s
        # The state that was seen last, since when, and the titles of the notices sent about it.
        self._seen: tuple[str, int, bool, str | None] | None = None
        self._since_s = 0.0
        self._sent: set[str] = set()
        self._was_over = True

    @asynccontextmanager
    async def watch(self) -> AsyncIterator[None]:
        """Watch while the block lasts; if the game has ended by then, notify of the result."""
        watching = asyncio.create_task(self._watch(), name="notices of a game")
        try:
            yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
            if self._game.has_begun:
                self._check_end()

    async def _watch(self) -> None:
        waits = self._game.hosted and not self._game.has_begun
        if not await self._game.begun():
            return
        self._was_over = self._game.outcome is not None
        if waits:
            text = f"{self._opponent} has joined your game."
            self._notifier.queue(
                Notice(Occasion.JOINED, f"A guest: {self._name}", text, self._name)
            )
        while True:
            self._check(time.monotonic())
            await asyncio.sleep(_POLL_S)

    def _check(self, now_s: float) -> None:
        game = self._game
        if game.outcome is not None:
            self._check_end()
            return
        self._was_over = False
        if game.has_bot:
            return
        ours = game.acting_side is self._side
        seen = game.id, len(game.moves), ours, game.asked
        if seen != self._seen:
            self._seen, self._since_s, self._sent = seen, now_s, set()
            self._withdraw(Occasion.TURN, Occasion.LOW, Occasion.ASKED)
        if now_s - self._since_s >= self._after_s:
            if game.asked is not None:
                text = f"{self._opponent} would like {WISHES[game.asked]}."
                self._notify(Occasion.ASKED, f"A question: {self._name}", text)
            elif ours:
                draw = game.draw_offered_by is not None
                does = "offers a draw" if draw else "is waiting for your move"
                self._notify(Occasion.TURN, f"Your turn: {self._name}", f"{self._opponent} {does}.")
        if ours:
            self._check_clock()
            self._check_silence()

    def _check_clock(self) -> None:
        game, clock = self._game, self._game.offer.clock
        left_ms = game.remaining_ms(self._side)
        if clock is None or left_ms is None or game.starts_in_ms(self._side):
            return
        whole_ms = clock.base_ms if clock.move_ms is None else clock.move_ms
        if whole_ms is not None and left_ms <= min(whole_ms // _LOW_SHARE, _LOW_MS):
            text = (
                f"You have {format_duration(left_ms // 1000 * 1000)} left against {self._opponent}."
            )
            self._notify(Occasion.LOW, f"Little time: {self._name}", text)

    def _check_silence(self) -> None:
        left_ms = self._game.silence_left_ms
        if left_ms is not None:
            text = f"Move {format_deadline(left_ms)}, or {self._opponent} may claim the game."
            self._notify(Occasion.LOW, f"Move soon: {self._name}", text)

    def _check_end(self) -> None:
        outcome = self._game.outcome
        if outcome is None or self._was_over:
            return
        self._was_over = True
        self._withdraw(*Occasion)
        # A person who reads this on a phone may not remember which side they had.
        ours = {self._side: "You won against", self._side.opponent: "You lost against"}
        began = "Against" if outcome.winner is None else ours[outcome.winner]
        text = f"{began} {self._opponent}: {ending_text(outcome, self._game.position)}"
        self._notifier.queue(Notice(Occasion.OVER, f"Game over: {self._name}", text, self._name))

    @property
    def _name(self) -> str:
        return self._format_name(self._game.name)

    @property
    def _side(self) -> Side:
        return next(side for side in Side if self._game.seat(side) is not Seat.REMOTE)

    @property
    def _opponent(self) -> str:
        return self._game.player(self._side.opponent) or "Your opponent"

    def _withdraw(self, *occasions: Occasion) -> None:
        for each in occasions:
            self._notifier.withdraw(self._name, each)

    def _notify(self, occasion: Occasion, title: str, text: str) -> None:
        if title not in self._sent:
            self._sent.add(title)
            self._notifier.queue(Notice(occasion, title, text, self._name))


class OperatorNotices:
    """Notifies the operator of challenges, and of results that need attention."""

    def __init__(self, notifier: Notifier, names: NameBook, home_option: str) -> None:
        """Begin with nothing sent.

        Args:
            notifier: sends the notices.
            names: the nicknames of players.
            home_option: how notices name our home; see `Home.option`.
        """
        self._notifier = notifier
        self._names = names
        self._home_option = home_option
        # `on_game_over` is called again each time a game is resumed to tell the opponent its end.
        self._disputed: dict[str, str] = {}

    def on_challenge(self, challenge: Challenge, refusal: Refusal | None) -> None:
        """Notify of a challenge that was taken or declined."""
        offer = challenge.offer
        who = self._names.display_name(challenge.author, full_id=True)
        answer = "A bot has taken it." if refusal is None else f"Declined: {refusal.reason}"
        text = f'{who} challenges this node to "{offer.name}" ({offer.ruleset}). {answer}'
        self._notifier.queue(Notice(Occasion.CHALLENGE, "A challenge", text, offer.name))

    def on_game_over(self, ledger: Ledger) -> None:
        """Notify, once, of a finished game whose result needs attention."""
        why = describe_doubt(ledger)
        if why is None or self._disputed.get(ledger.game) == why:
            return
        self._disputed[ledger.game] = why
        players = " and ".join(
            self._names.display_name(node)
            for role in Role
            if (node := ledger.node_of(role)) is not None
        )
        name = ledger.offer.name
        look = command_line(f"archive {name}", self._home_option)
        text = f"{players}: {why} Look at its record: {look}"
        self._notifier.queue(Notice(Occasion.DISPUTED, f"A disputed result: {name}", text, name))


def describe_doubt(ledger: Ledger) -> str | None:
    """A sentence on why the result of a finished game needs attention; None if it does not."""
    if ledger.fault is not None:
        return "one of them broke the rules, which the record proves."
    if ledger.false_scores:
        return "one of them signed another score than the result."
    match standing_of(ledger):
        case Standing.DISPUTED:
            return "they have signed different results."
        case Standing.CONTESTED:
            return "the game was claimed, and the claim is contested."
        case _:
            return None
