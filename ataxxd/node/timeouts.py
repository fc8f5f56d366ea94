"""What a player waits for in a game, and for how long.

An answer is asked for again after a silence, which doubles each time. An opponent that does not
answer may be claimed from. A game that is over is settled when both players have all of it, and
know that the other has.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from ataxxd.node.clock import SYSTEM_CLOCK, Clock
from ataxxd.node.concurrency import Signal
from ataxxd.session.events import MayClaim
from ataxxd.session.player import PlayerSession, Times
from ataxxd.session.state import Phase, Role
from ataxxd.transport.base import Disconnected
from ataxxd.transport.mqtt import KEEPALIVE
from ataxxd_protocol.messages import StatePart, Sync

# Seconds to wait for the other side's score, or its receipt, when the game is over.
SCORE_GRACE = 10.0
# Seconds to go on trying to tell the other side how the game ended, before it is left to `resume`.
LAST_WORD_GRACE = 300.0
# The same where the other side is away, and finds it at the broker: it may be between two
# connections, if it was there just now.
BLIP_GRACE, AWAY_GRACE = 20.0, 2.0
# And for what the witnesses of a game say of a claim: they do so at once, or never.
STATEMENTS_GRACE = 5.0


class Closing:
    """What one player knows of the other's knowledge of the end."""

    def __init__(self, seat: PlayerSession) -> None:
        """Of the game of `seat`, which may be over already."""
        self._seat = seat
        self._over = Signal()
        self._told = Signal()
        self._closed = Signal()
        self._receipt = Signal()
        self._left_s: float | None = None
        self._patience: asyncio.Timeout | None = None

    @property
    def settled(self) -> bool:
        """Whether both players are known to have all of the game: nothing is left to resume."""
        ledger = self._seat.ledger
        if ledger.fault is not None:
            return self._told.is_set()
        if ledger.phase is not Phase.CLOSED:
            return False
        # Whoever wrote the last score wants to know that it has arrived.
        return (self._receipt if self._spoke_last else self._told).is_set()

    @property
    def _spoke_last(self) -> bool:
        return self._seat.ledger.entries[-1].by == self._seat.role.value

    def kept(self, roles: set[Role]) -> None:
        """Messages of `roles` were added to the game."""
        if self._seat.role in roles:
            self._receipt.clear()
        if self._seat.opponent_knows_the_end:
            self._told.set()

    def ended(self) -> None:
        """The game is over."""
        self._over.set()

    def closed(self) -> None:
        """Both scores are in."""
        self._closed.set()

    def left(self, *, was_here: bool) -> None:
        """What the opponent, who is away, does not know yet waits for it at the broker.

        Args:
            was_here: it was heard before.
        """
        self._left_s = BLIP_GRACE if was_here else AWAY_GRACE
        self._shorten()

    def _shorten(self) -> None:
        patience, left_s = self._patience, self._left_s
        if patience is None or left_s is None or patience.expired():
            return
        due, soon = patience.when(), asyncio.get_running_loop().time() + left_s
        if due is not None and soon < due:
            patience.reschedule(soon)

    def on_sync(self, sync: Sync) -> None:
        """Who lacks nothing of a mailbox that is complete has our last word."""
        ledger = self._seat.ledger
        theirs = sync.game == ledger.game and sync.author == self._seat.opponent
        complete = ledger.phase is Phase.CLOSED and sync.need >= len(ledger.log(self._seat.role))
        if theirs and complete and self._seat.vouches(sync):
            self._receipt.set()

    def on_state(self, part: StatePart) -> None:
        """The host's state that holds our newest message is its receipt."""
        newest = self._seat.ledger.log(self._seat.role)[-1:]
        if not newest or not part.entries or not self._seat.vouches(part):
            return
        # Not only the last entry: when the host was at fault, its score comes after ours.
        if any(entry.check == newest[0].digest[:16] for entry in part.entries):
            self._receipt.set()
            if self._seat.ledger.outcome is not None:
                self._told.set()

    async def wait(self) -> None:
        """Wait for the end, and as long as is reasonable until it is settled."""
        if self._seat.ledger.outcome is None:
            await self._over.wait()
        if self._seat.opponent_knows_the_end:
            self._told.set()
        with suppress(TimeoutError):
            # Who made the last move must not leave before it has arrived: the other side
            # would wait for it for ever. Who claims a game knows that nobody is there.
            claimed = self._seat.ledger.claim is not None
            async with asyncio.timeout(SCORE_GRACE if claimed else LAST_WORD_GRACE) as patience:
                self._patience = patience
                self._shorten()
                await self._told.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(SCORE_GRACE) as patience:
                self._patience = patience
                self._shorten()
                if self._seat.ledger.phase is not Phase.CLOSED:
                    await self._closed.wait()
                if self._spoke_last:
                    await self._receipt.wait()


# Seconds of silence after which an answer is asked for again; doubles up to the second.
FIRST_S, LAST_S = 2.0, 30.0
# Seconds between two times that a seat is asked for, at first, and for how long: a host that is
# asked by very many reads some of what they say.
SEAT_PAUSE, SEAT_FIRST = 0.25, 10.0
# Of somebody who looks on: the first silence after which the broker is asked for the state again,
# and one that is worth a word.
WATCHER_FIRST_S, WATCHER_TOLD_S = 5.0, 30.0


class Retransmission:
    """Watches one game for silence.

    A message costs nothing here: the timer of a silence runs out, and finds that there was none.
    """

    def __init__(self) -> None:
        """Nothing was heard yet."""
        self._heard_s = -LAST_S
        self._pause_s = FIRST_S
        self._over = Signal()

    def heard(self) -> None:
        """The game has grown."""
        self._heard_s = asyncio.get_running_loop().time()
        if self._pause_s > FIRST_S:
            # The timer that runs is one of a long silence.
            self._over.set()

    async def run(self, ask: Callable[[], Awaitable[None]], *, seated: bool = True) -> None:
        """Call `ask` after each silence; until we are `seated`, oftener at first."""
        clock = asyncio.get_running_loop().time
        began, self._pause_s = clock(), FIRST_S if seated else SEAT_PAUSE
        eager_until = began + (0 if seated else SEAT_FIRST)
        while True:
            if self._heard_s > began:
                began, self._pause_s, eager_until = self._heard_s, FIRST_S, 0
            self._over.clear()
            try:
                async with asyncio.timeout_at(began + self._pause_s):
                    await self._over.wait()
            except TimeoutError:
                if self._heard_s <= began:
                    began = clock()
                    if began >= eager_until:
                        self._pause_s = min(max(self._pause_s, FIRST_S) * 2, LAST_S)
                    await ask()


class Silence:
    """A silence in a watched game, for a loop that waits for events by itself.

    Attributes:
        since: when the game has last grown.
        due: when the state is to be asked for.
    """

    def __init__(self, now: float) -> None:
        """It begins at `now`, in seconds."""
        self.heard(now)

    def heard(self, now: float) -> None:
        """The game has grown."""
        self.since = now
        self._pause_s = WATCHER_FIRST_S
        self._told = False
        self.due = now + self._pause_s

    def asked(self, now: float) -> bool:
        """The state has been asked for; whether people are to be told, once, that nothing comes."""
        self._pause_s = min(self._pause_s * 2, LAST_S)
        self.due = now + self._pause_s
        tells = not self._told and now - self.since >= WATCHER_TOLD_S
        self._told |= tells
        return tells


# A connection that is dead is given up after two keepalives, looked at four times in each.
_UNNOTICED_S = 2.25 * KEEPALIVE


@dataclass(frozen=True, slots=True)
class _Moment:
    """When something was, by both clocks, and how many seconds we had been away by then."""

    monotonic: float
    wall: float
    away: float


class Stopwatch:
    """Times one player in one game.

    What it forgives differs: thinking goes on while there is no connection and over a restart;
    waiting begins anew with each connection, because until then no answer could come. What is
    said about a claim (`times`) is the most that it can be: all time for which we may have been
    away counts for the claimant, until the broker has our answer.
    """

    def __init__(self, clock: Clock = SYSTEM_CLOCK, kept: Iterable[tuple[bool, int]] = ()) -> None:
        """Start timing.

        Args:
            clock: waiting and thinking are timed by what does not jump. What is said about a claim
                goes by the time of day where that says more: it also goes on while the machine
                sleeps.
            kept: the messages of the game before a restart, in order: whether each is ours, and
                how many milliseconds ago it was kept.
        """
        self._clock = clock
        self._waiting = self._newest = clock.monotonic()
        self._away = 0.0
        self._connected_at: _Moment | None = None
        self._messages: dict[bool, list[_Moment]] = {True: [], False: []}
        # How long we had been away when the broker was known to have each message of ours.
        self._delivered: list[float] = []
        now = self._moment_when(0.0)
        self._lost: _Moment | None = now
        for ours, age_ms in kept:
            age = age_ms / 1000
            # Nobody knows for how long we were there, so that all of it counts as away.
            self._messages[ours].append(_Moment(now.monotonic - age, now.wall - age, -age))
            self._newest = now.monotonic - age

    def turned(self, *, ours: bool) -> None:
        """A message of ours or of the other player was added to the game: a turn begins."""
        self._newest = self._waiting = self._clock.monotonic()
        self._messages[ours].append(self._now())

    def connected(self) -> None:
        """A connection was made."""
        if self._lost is None:
            self.disconnected()
        self._away = self._now().away
        self._lost = None
        self._connected_at = self._moment_when(self._away)
        self._waiting = self._clock.monotonic()

    def disconnected(self, silent_s: float = math.inf, *, delivered: bool = False) -> None:
        """The connection is known to be lost: it may have been dead for a while.

        Args:
            silent_s: seconds since the broker last said anything.
            delivered: whether the broker had acknowledged all that we have written.
        """
        if self._lost is not None or self._connected_at is None:
            return
        if delivered:
            newly = len(self._messages[True]) - len(self._delivered)
            self._delivered += [self._away] * newly
        now = self._moment_when(self._away)
        unnoticed = min(_UNNOTICED_S, silent_s, _seconds(self._connected_at, now))
        self._lost = _Moment(now.monotonic - unnoticed, now.wall - unnoticed, self._away)

    @property
    def elapsed_ms(self) -> int:
        """Since the newest message of the game."""
        return int((self._clock.monotonic() - self._newest) * 1000)

    @property
    def waited_ms(self) -> int:
        """Since then, or since an answer could reach us."""
        return int((self._clock.monotonic() - self._waiting) * 1000)

    def times(self, seen: int, asked: int) -> Times:
        """What we can say about a claim that comes now, or came before a restart.

        Args:
            seen: the number of the message of ours that the claim names as seen.
            asked: the number of the claimant's message before the claim.
        """
        ours, theirs = self._messages[True], self._messages[False]
        came = theirs[asked + 1] if asked + 1 < len(theirs) else self._now()
        wrote = ours[seen]
        # A takeback of ours is answered by nothing: it is what we were to go on from.
        begun = max(wrote, theirs[asked], key=_order) if asked < len(theirs) else wrote
        answered = ours[seen + 1] if seen + 1 < len(ours) else came
        known = seen + 1 < len(self._delivered)
        away = min(came.away, self._delivered[seen + 1]) if known else came.away
        had = _seconds(begun, answered) + begun.away - wrote.away + away - answered.away
        since = _seconds(wrote, came)
        return Times(int(min(max(had, 0), since) * 1000), int(since * 1000))

    def _moment_when(self, away: float) -> _Moment:
        return _Moment(self._clock.monotonic(), self._clock.wall(), away)

    def _now(self) -> _Moment:
        now = self._moment_when(self._away)
        if self._lost is None:
            return now
        return _Moment(now.monotonic, now.wall, self._away + _seconds(self._lost, now))


def _order(moment: _Moment) -> float:
    return moment.monotonic


def _seconds(begin: _Moment, end: _Moment) -> float:
    """The time between two moments, by the clock that says more."""
    return max(end.monotonic - begin.monotonic, end.wall - begin.wall, 0.0)


class Claims:
    """The claims that one player may make in the course of a game.

    A fallen flag is always claimed; a silence only when nobody is there to decide it. Who has
    decided to resign claims nothing but by its own will.

    Attributes:
        stopwatch: how long is waited; told of every turn and connection by `turned`,
            `connected` and `disconnected`.
    """

    def __init__(self, seat: PlayerSession, stopwatch: Stopwatch, *, by_itself: bool) -> None:
        """Wait for the opponent of `seat`; `by_itself` claims its silence without asking."""
        self.stopwatch = stopwatch
        self._seat = seat
        self._by_itself = by_itself
        self._connected = True
        self._changed = Signal()
        self._told = False
        # When it is time to look again, by the event loop's clock.
        self._look_s: float | None = None

    def turned(self, *, ours: bool) -> None:
        """A message was added to the game."""
        self.stopwatch.turned(ours=ours)
        self._told = False
        due = self._due()
        # Most messages change nothing: a look that comes earlier than need be finds nothing.
        if due and (self._look_s is None or self._after(min(due)[0]) < self._look_s):
            self._changed.set()

    def connected(self) -> None:
        """A connection was made: from now on an answer can reach us."""
        self._connected = True
        self.stopwatch.connected()
        self._told = False
        self._changed.set()

    def disconnected(self, how: Disconnected) -> None:
        """The connection was lost: nobody is claimed anything from meanwhile."""
        self._connected = self._told = False
        self.stopwatch.disconnected(how.silent_s, delivered=how.delivered)
        self._changed.set()

    def reconsider(self) -> None:
        """Whether we resign has changed."""
        self._told = False
        self._changed.set()

    async def run(
        self, claim: Callable[[str, int], Awaitable[None]], tell: Callable[[MayClaim], None]
    ) -> None:
        """Claim, or tell that one may, whenever it is time.

        Args:
            claim: called with the reason and the milliseconds waited.
            tell: called once a turn, when a person may claim the game.
        """
        while True:
            due = [] if not self._connected else self._due()
            if self._told:
                due = [] if self._seat.resigning else [each for each in due if each[1] == "flag"]
            self._look_s = self._after(min(due)[0]) if due else None
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self._look_s):
                    await self._changed.wait()
                continue
            ripe = {reason for left, reason in self._due() if left <= 0}
            waited = self.stopwatch.waited_ms
            if "flag" in ripe and not self._seat.resigning:
                await claim("flag", waited)
            elif ripe and self._by_itself and not self._seat.resigning:
                await claim("silence", waited)
            elif ripe and not self._told:
                tell(MayClaim(waited / 1000))
                self._told = True

    @property
    def reason(self) -> str:
        """What the game can be claimed for now; ``silence`` when it is too early for either."""
        ripe = {reason for left, reason in self._due() if left <= 0}
        return "flag" if "flag" in ripe else "silence"

    @staticmethod
    def _after(ms: int) -> float:
        return asyncio.get_running_loop().time() + max(ms, 0) / 1000

    def _due(self) -> list[tuple[int, str]]:
        """The claims that will be possible, each with the milliseconds until then."""
        ledger = self._seat.ledger
        if ledger.on_turn in (None, self._seat.role):
            return []
        waited = self.stopwatch.waited_ms
        limits = {reason: ledger.claimable_after_ms(reason) for reason in ("flag", "silence")}
        return [(ms - waited, reason) for reason, ms in limits.items() if ms is not None]
