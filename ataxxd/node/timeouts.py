"""Timeouts of a player in a game.

After a silence, an answer is requested again, at intervals that double. If the opponent stays
silent, the game can be claimed. A finished game is settled when both players have all its messages,
and know that the other has them.
"""

import asyncio
import math
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from ataxxd.errors import GameError
from ataxxd.node.concurrency import Duty, Signal
from ataxxd.node.errors import HostSilent, NobodyCame, NoSuchGame
from ataxxd.node.presence import PlayerPresence
from ataxxd.session.events import MayBeClaimed, MayClaim
from ataxxd.session.player import PlayerSession, Times
from ataxxd.session.state import Phase, Role
from ataxxd.times import SYSTEM_CLOCK, Clock
from ataxxd.transport.base import Disconnected
from ataxxd.transport.mqtt import KEEPALIVE
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import StatePart, Sync

# Seconds to wait for the other side's score, or its receipt, when the game is over.
SCORE_GRACE = 10.0
# Seconds to go on trying to tell the other side how the game ended, before it is left to `resume`.
LAST_WORD_GRACE = 300.0
# The same if the other side is away and will find the end at the broker; longer if we have heard it
# before, as it may just be reconnecting.
BLIP_GRACE, AWAY_GRACE = 20.0, 2.0
# Seconds to wait for the witnesses' statements on a claim. They come at once or never, but a
# machine may be busy, and without a majority the game may count as lost for both.
STATEMENTS_GRACE = 15.0


# Seconds after a newer offer within which an answer that the host has left for us arrives.
REPLACED_S = 2.0
# Seconds of an unbroken connection within which a host that is present answers a join.
ANSWER_S = 60.0


class StartTimeout(Duty):
    """The time before the start of a game; gives up if nobody comes or answers."""

    def __init__(
        self,
        session: PlayerSession,
        clock: Clock,
        connections: Callable[[], int | None],
        announce_leaving: Callable[[], Awaitable[None]],
        *,
        home_option: str = "",
    ) -> None:
        """Watch over the game of `session` until it starts.

        Args:
            session: our session; the game may have started already.
            clock: decides when the offer has expired.
            connections: the number of connections made so far; None while disconnected.
            announce_leaving: called before giving up.
            home_option: how errors name our home; see `Home.option`.
        """
        super().__init__()
        self._session = session
        self._clock = clock
        self._connections = connections
        self._announce_leaving = announce_leaving
        self._home_option = home_option
        self._last_connection: int | None = None
        self.is_replaced = False
        """Whether the host has made another offer of the name."""

    def begin(self) -> None:
        """Begin to wait for the start, unless the game has started."""
        offer, phase = self._session.ledger.offer, self._session.ledger.phase
        now = asyncio.get_running_loop().time()
        if self._session.role is Role.HOST and phase is Phase.OPEN:
            self.schedule(now + max(offer.expires_ms / 1000 - self._clock.wall(), 0.0))
        elif self._session.role is Role.GUEST and phase is Phase.JOINED:
            # We cannot wait for the offer to expire: our clock may be a day behind.
            self._last_connection = self._connections()
            self.schedule(now + ANSWER_S)

    def on_started(self) -> None:
        """Note that the game has started."""
        self.schedule(math.inf)

    def on_replaced(self) -> None:
        """Note that the host has made another offer of the name: it answers soon or never."""
        if not self.is_replaced:
            self.is_replaced = True
            self.schedule(asyncio.get_running_loop().time() + REPLACED_S)

    async def perform(self) -> None:
        """Give up, unless the connection was too short for the host to answer.

        Raises:
            NobodyCame: the host's offer expired.
            NoSuchGame: the host has replaced the offer.
            HostSilent: the host did not answer the guest.
        """
        if self._session.ledger.phase not in (Phase.OPEN, Phase.JOINED):
            return  # it has just started
        now = self._connections()
        answered = now is not None and now == self._last_connection
        if self._session.role is Role.HOST or self.is_replaced or answered:
            await self._announce_leaving()
            raise self._failure()
        self._last_connection = now
        self.schedule(asyncio.get_running_loop().time() + ANSWER_S)

    def _failure(self) -> GameError:
        offer, home = self._session.ledger.offer, self._home_option
        if self._session.role is Role.HOST:
            again = f"Offer it again, for longer: ataxxd host {offer.name} --expires TIME{home}"
            if offer.access is not None and offer.access != "invited":
                whom = grouped(offer.access)
                again = f"Challenge them again: ataxxd challenge {whom} --leave TIME{home}"
            return NobodyCame(f'Nobody joined "{offer.name}" before the offer expired. {again}')
        if self.is_replaced:
            name = offer.name
            return NoSuchGame(
                f'The challenge to "{name}" is no longer open: its host has made another offer of '
                f"that name. Look at it: ataxxd games. Take it: ataxxd join {name}{home}"
            )
        if offer.access == self._session.node:
            return HostSilent(
                f'The host of "{offer.name}" is away, and will find your answer. '
                f"See later whether the game has begun: ataxxd resume {offer.name}{home}"
            )
        return HostSilent(
            f'The host of "{offer.name}" does not answer. It is away, or its offer is an old one '
            "that somebody has put up again; is this machine's clock right? Try again later."
        )


class Settlement(Duty):
    """The end of a game: what one player knows about the other's messages."""

    def __init__(self, session: PlayerSession, on_over: Callable[[], Awaitable[None]]) -> None:
        """Watch the game of `session`, which may be over already, and call `on_over` when it is."""
        super().__init__()
        self._session = session
        self._on_over = on_over
        self._end_known = Signal()
        self._closed = Signal()
        self._receipt = Signal()
        self._opponent_unsure = False
        self._away_grace_s: float | None = None
        self._timeout: asyncio.Timeout | None = None

    @property
    def is_settled(self) -> bool:
        """Whether both players are known to have the whole game: nothing is left to resume."""
        ledger = self._session.ledger
        if ledger.fault is not None:
            return self._end_known.is_set()
        if ledger.phase is not Phase.CLOSED:
            return False
        # The player who wrote the last score needs a receipt for it.
        return (self._receipt if self._spoke_last else self._end_known).is_set()

    @property
    def _spoke_last(self) -> bool:
        return self._session.ledger.entries[-1].by == self._session.role.value

    def on_kept(self, roles: set[Role]) -> None:
        """Note that messages of `roles` were added to the game."""
        if self._session.role in roles:
            self._receipt.clear()
        if self._session.is_end_known_to_opponent:
            self._end_known.set()

    def check_outcome(self) -> None:
        """Check whether the game is over."""
        if self._session.ledger.outcome is not None:
            self.schedule(0.0)

    async def perform(self) -> None:
        """Close the game."""
        await self._on_over()

    def on_closed(self) -> None:
        """Note that both scores are in."""
        self._closed.set()

    def on_messages_left(self, *, was_heard: bool) -> None:
        """Note that the opponent is away, and that what it lacks was left at the broker.

        Args:
            was_heard: whether the opponent was heard before.
        """
        self._away_grace_s = BLIP_GRACE if was_heard else AWAY_GRACE
        self._shorten_timeout()

    def _shorten_timeout(self) -> None:
        patience, left_s = self._timeout, self._away_grace_s
        if patience is None or left_s is None or patience.expired():
            return
        due, soon = patience.when(), asyncio.get_running_loop().time() + left_s
        if due is not None and soon < due:
            patience.reschedule(soon)

    def on_unread(self) -> None:
        """Note that the opponent has left messages: it does not know that we have them."""
        self._opponent_unsure = True

    def is_known_to(self, opponent: PlayerPresence) -> bool:
        """Whether an opponent who has left did so knowing that all is settled."""
        return opponent.has_left and not self._opponent_unsure

    def on_sync(self, sync: Sync) -> None:
        """Take in a sync: an opponent that lacks none of our messages has our last one."""
        ledger = self._session.ledger
        theirs = sync.game == ledger.game and sync.author == self._session.opponent
        complete = ledger.phase is Phase.CLOSED and sync.need >= len(ledger.log(self._session.role))
        if theirs and complete and self._session.is_signed_by_opponent(sync):
            self._receipt.set()

    def on_state(self, part: StatePart) -> None:
        """Take in the host's state: it is a receipt if it contains our newest message."""
        newest = self._session.ledger.log(self._session.role)[-1:]
        if not newest or not part.entries or not self._session.is_signed_by_opponent(part):
            return
        # Not only the last entry: when the host was at fault, its score comes after ours.
        if any(entry.check == newest[0].digest[:16] for entry in part.entries):
            self._receipt.set()
            if self._session.ledger.outcome is not None:
                self._end_known.set()

    async def wait(self) -> None:
        """After the end of the game, wait for a reasonable time until it is settled."""
        if self._session.is_end_known_to_opponent:
            self._end_known.set()
        # A player who made the last move must not leave before it has arrived: the other side would
        # wait for it for ever. A player who claims a game knows that nobody is there.
        claimed = self._session.ledger.claim is not None
        async with self._time_limit(SCORE_GRACE if claimed else LAST_WORD_GRACE):
            await self._end_known.wait()
        async with self._time_limit(SCORE_GRACE):
            if self._session.ledger.phase is not Phase.CLOSED:
                await self._closed.wait()
            if self._spoke_last:
                await self._receipt.wait()

    @asynccontextmanager
    async def _time_limit(self, seconds: float) -> AsyncIterator[None]:
        """Stop waiting after so many seconds, or some time after `on_messages_left` was called."""
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds) as self._timeout:
                    self._shorten_timeout()
                    yield
        finally:
            # `on_messages_left` may be called after this.
            self._timeout = None


# Seconds of silence before we ask for an answer again; they double from the first to the second.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 2.0, 30.0
# Seconds between two requests for a seat at first, and for how long: a host that very many ask
# reads only some of their requests.
SEAT_PAUSE_S, SEAT_EAGER_S = 0.25, 10.0
# For spectators: seconds of silence before they first ask the broker for the state again, and
# before they report the silence.
WATCHER_PAUSE_S, WATCHER_REPORT_S = 5.0, 30.0


# Seconds for which a guest waits longer than a host, so that the two do not change places, and
# seconds between two changes, which double: half a minute and a minute, as a silence of ours goes
# in steps of half a minute.
_GUEST_WAITS_S, _CHANGE_PAUSE_S = 25.0, 55.0


class MemberChange:
    """Decides when to go on to another member of a cluster, in one silence.

    Two members that were cut off may carry nothing to each other though both accept clients. An
    opponent that is reached echoes a nonce by itself, however long its player thinks. The pauses
    between changes grow: with each we wait anew until we may claim the game, and an opponent that
    echoes nothing must not prevent that for good.
    """

    def __init__(self, role: Role) -> None:
        """Begin a silence, as the player of this role."""
        self._waits_s = 0.0 if role is Role.HOST else _GUEST_WAITS_S
        self._nonce = ""
        self._due = 0.0
        self._pause_s = _CHANGE_PAUSE_S

    def ask(self, now: float) -> str:
        """The nonce to be echoed."""
        if not self._nonce:
            self._nonce = secrets.token_hex(16)
            self._due = max(self._due, now + self._waits_s)
        return self._nonce

    def awaits(self, echo: str | None) -> bool:
        """Whether this is the echo that was asked for."""
        return echo is not None and echo == self._nonce

    def forget(self) -> None:
        """Note that the echo has come, or will not, as a connection was lost."""
        self._nonce = ""

    def is_due(self, now: float) -> bool:
        """Whether an echo was asked for and has not come for long enough."""
        return self._nonce != "" and now >= self._due

    def on_changed(self, now: float) -> None:
        """Note that we go on to another member."""
        self.forget()
        self._due = now + self._pause_s
        self._pause_s *= 2


# Seconds between two requests from which on the broker may also have lost a subscription.
_LONG_PAUSE_S = 16.0


class Retransmission(Duty):
    """Watches one game for silence.

    Attributes:
        change: decides when to go on to another member of a cluster.
    """

    def __init__(self, ask: Callable[[], Awaitable[None]], role: Role = Role.HOST) -> None:
        """Call `ask` after each silence of the player of this role, once `begin` was called."""
        super().__init__()
        self._ask = ask
        self._role = role
        self.change = MemberChange(role)
        self._pause_s = FIRST_PAUSE_S
        self._eager_until = 0.0

    def begin(self, *, seated: bool = True) -> None:
        """Begin; unless we are `seated`, the first silences are shorter."""
        now = asyncio.get_running_loop().time()
        self._pause_s = FIRST_PAUSE_S if seated else SEAT_PAUSE_S
        self._eager_until = 0.0 if seated else now + SEAT_EAGER_S
        self.schedule(now + self._pause_s)

    @property
    def is_long(self) -> bool:
        """Whether the silence has lasted for some fourteen seconds."""
        return self._pause_s >= _LONG_PAUSE_S

    def on_new_message(self) -> None:
        """Note that the game has grown."""
        self.change = MemberChange(self._role)
        self.begin()

    async def perform(self) -> None:
        """Ask, and wait longer before asking again."""
        now = asyncio.get_running_loop().time()
        if now >= self._eager_until:
            self._pause_s = min(max(self._pause_s, FIRST_PAUSE_S) * 2, LONGEST_PAUSE_S)
        self.schedule(now + self._pause_s)
        await self._ask()


class Silence:
    """A silence in a watched game, for a loop that waits for events.

    Attributes:
        since: when the game last grew, in seconds.
        due: when to ask for the state, in seconds.
    """

    def __init__(self, now: float) -> None:
        """Begin at `now`, in seconds."""
        self.on_new_message(now)

    def on_new_message(self, now: float) -> None:
        """Note that the game has grown."""
        self.since = now
        self._pause_s = WATCHER_PAUSE_S
        self._reported = False
        self.due = now + self._pause_s

    @property
    def is_asked(self) -> bool:
        """Whether the state was asked for in this silence."""
        return self._pause_s > WATCHER_PAUSE_S

    def on_asked(self, now: float) -> bool:
        """Note that the state was asked for; returns, once, whether to report the silence."""
        self._pause_s = min(self._pause_s * 2, LONGEST_PAUSE_S)
        self.due = now + self._pause_s
        tells = not self._reported and now - self.since >= WATCHER_REPORT_S
        self._reported |= tells
        return tells


# A dead connection is given up after two keepalives, and this is checked four times in each.
_UNNOTICED_S = 2.25 * KEEPALIVE


@dataclass(frozen=True, slots=True)
class _Moment:
    """When something was, by both clocks, and how many seconds we had been away by then."""

    monotonic: float
    wall: float
    away: float


class Stopwatch:
    """Times one player in one game.

    Thinking continues without a connection and over a restart; waiting starts over with each
    connection, because no answer could come before. What we state about a claim (`times`) is an
    upper bound: until the broker has our answer, all time in which we may have been away counts
    for the claimant.
    """

    def __init__(
        self, clock: Clock = SYSTEM_CLOCK, earlier: Iterable[tuple[bool, int]] = ()
    ) -> None:
        """Start timing.

        Args:
            clock: waiting and thinking use the monotonic clock. What we state about a claim uses
                the time of day if that says more, as it also runs while the machine sleeps.
            earlier: the messages of the game before a restart, in order: whether each is ours, and
                its age in milliseconds.
        """
        self._clock = clock
        self._waiting = self._newest = clock.monotonic()
        self._away = 0.0
        self._connected_at: _Moment | None = None
        self._ours: list[_Moment] = []
        self._theirs: list[_Moment] = []
        # For each message of ours: how long we had been away when the broker was known to have it.
        self._delivered: list[float] = []
        now = self._moment(0.0)
        self._lost: _Moment | None = now
        for ours, age_ms in earlier:
            age = age_ms / 1000
            # We do not know for how long we were connected, so all of it counts as away.
            self._moments(ours=ours).append(_Moment(now.monotonic - age, now.wall - age, -age))
            self._newest = now.monotonic - age

    def on_message(self, *, ours: bool) -> None:
        """Note that a message was added to the game, ours or not: a turn begins."""
        self._newest = self._waiting = self._clock.monotonic()
        self._moments(ours=ours).append(self._now())

    def on_connected(self) -> None:
        """Note that a connection was made."""
        if self._lost is None:
            self.on_disconnected()
        self._away = self._now().away
        self._lost = None
        self._connected_at = self._moment(self._away)
        self._waiting = self._clock.monotonic()

    def on_disconnected(self, silent_s: float = math.inf, *, delivered: bool = False) -> None:
        """Note that the connection is lost; it may have been dead for a while.

        Args:
            silent_s: seconds since the broker last said anything.
            delivered: whether the broker had acknowledged all that we have written.
        """
        if self._lost is not None or self._connected_at is None:
            return
        if delivered:
            newly = len(self._ours) - len(self._delivered)
            self._delivered += [self._away] * newly
        now = self._moment(self._away)
        unnoticed = min(_UNNOTICED_S, silent_s, _seconds(self._connected_at, now))
        self._lost = _Moment(now.monotonic - unnoticed, now.wall - unnoticed, self._away)

    @property
    def elapsed_ms(self) -> int:
        """Milliseconds since the newest message of the game."""
        return int((self._clock.monotonic() - self._newest) * 1000)

    @property
    def waited_ms(self) -> int:
        """Milliseconds since the newest message, or since an answer could first reach us."""
        return int((self._clock.monotonic() - self._waiting) * 1000)

    def times(self, seen: int, asked: int) -> Times:
        """What we can state about a claim that comes now, or came before a restart.

        Args:
            seen: the number of the message of ours that the claim names as seen.
            asked: the number of the claimant's message before the claim.
        """
        ours, theirs = self._ours, self._theirs
        came = theirs[asked + 1] if asked + 1 < len(theirs) else self._now()
        wrote = ours[seen]
        # We were to answer the claimant's message, or to move on after a later takeback of ours.
        begun = max(wrote, theirs[asked], key=_monotonic) if asked < len(theirs) else wrote
        answered = ours[seen + 1] if seen + 1 < len(ours) else came
        known = seen + 1 < len(self._delivered)
        away = min(came.away, self._delivered[seen + 1]) if known else came.away
        had = _seconds(begun, answered) + begun.away - wrote.away + away - answered.away
        since = _seconds(wrote, came)
        return Times(int(min(max(had, 0), since) * 1000), int(since * 1000))

    def _moments(self, *, ours: bool) -> list[_Moment]:
        return self._ours if ours else self._theirs

    def _moment(self, away: float) -> _Moment:
        return _Moment(self._clock.monotonic(), self._clock.wall(), away)

    def _now(self) -> _Moment:
        now = self._moment(self._away)
        if self._lost is None:
            return now
        return _Moment(now.monotonic, now.wall, self._away + _seconds(self._lost, now))


def _monotonic(moment: _Moment) -> float:
    return moment.monotonic


def _seconds(begin: _Moment, end: _Moment) -> float:
    """The time between two moments, by the clock that says more."""
    return max(end.monotonic - begin.monotonic, end.wall - begin.wall, 0.0)


# Milliseconds before our own silence may be claimed at which a person is warned, at most; a quarter
# of the grace if that is less.
_WARNING_MS = 120_000


class Claims(Duty):
    """The claims that one player may make in the course of a game.

    A fallen flag is always claimed; a silence only if no person is there to decide. A player who
    has decided to resign claims nothing automatically. A person is warned before the opponent may
    claim the game for silence; clients show how much time is left on a clock.

    Attributes:
        stopwatch: times the wait; told of each message and of the connection.
    """

    def __init__(
        self,
        session: PlayerSession,
        stopwatch: Stopwatch,
        claim: Callable[[str, int], Awaitable[None]],
        report: Callable[[MayClaim | MayBeClaimed], None],
        *,
        automatic: bool,
    ) -> None:
        """Wait for the opponent of `session`, once `reconsider` was called.

        Args:
            session: our session.
            stopwatch: times the wait.
            claim: called with the reason and the milliseconds waited.
            report: called once a turn, when a person may claim the game, or must move soon.
            automatic: claim a silence without asking: no person plays.
        """
        super().__init__()
        self.stopwatch = stopwatch
        self._session = session
        self._claim = claim
        self._report = report
        self._automatic = automatic
        self._connected = True
        self._reported = False
        self._warned = False

    def on_message(self, *, ours: bool) -> None:
        """Note that a message was added to the game."""
        self.stopwatch.on_message(ours=ours)
        self._warned = False
        self.reconsider()

    def on_connected(self) -> None:
        """Note that a connection was made: from now on an answer can reach us."""
        self._connected = True
        self.stopwatch.on_connected()
        self.reconsider()

    def on_disconnected(self, event: Disconnected) -> None:
        """Note that the connection was lost: nothing is claimed until the next one."""
        self._connected = False
        self.stopwatch.on_disconnected(event.silent_s, delivered=event.delivered)
        self.reconsider()

    def reconsider(self) -> None:
        """Note that what can be claimed, or whether we resign, has changed."""
        self._reported = False
        self._plan()

    async def perform(self) -> None:
        """Claim the game, report that it may be claimed, or warn that it soon may be."""
        if (until_ms := self._until_warning_ms()) is not None and until_ms <= 0:
            self._warn()
        ripe = {reason for left, reason in self._possible_claims() if left <= 0 and self._connected}
        waited = self.stopwatch.waited_ms
        if "flag" in ripe and not self._session.resigning:
            await self._claim("flag", waited)
        elif ripe and self._automatic and not self._session.resigning:
            await self._claim("silence", waited)
        elif ripe and not self._reported:
            self._report(MayClaim(waited / 1000))
            self._reported = True
        self._plan()

    @property
    def reason(self) -> str:
        """The reason for which the game can be claimed now; ``silence`` if it is too early."""
        ripe = {reason for left, reason in self._possible_claims() if left <= 0}
        return "flag" if "flag" in ripe else "silence"

    @property
    def left_ms(self) -> int | None:
        """Milliseconds until our opponent may claim the game; None if we are not warned of it.

        After a restart it may be too late, but the opponent may have come back as late.
        """
        grace_ms = self._session.ledger.claimable_after_ms("silence")
        if not self._warned or grace_ms is None:
            return None
        return grace_ms - self.stopwatch.elapsed_ms

    def _plan(self) -> None:
        """Look again when there may be something to claim, or to tell."""
        due = self._possible_claims() if self._connected else []
        if self._reported:
            due = [] if self._session.resigning else [each for each in due if each[1] == "flag"]
        until_ms = self._until_warning_ms()
        waits = [ms for ms, _ in due] + ([] if until_ms is None else [until_ms])
        left_s = max(min(waits), 0) / 1000 if waits else math.inf
        self.schedule(asyncio.get_running_loop().time() + left_s)

    def _until_warning_ms(self) -> int | None:
        """Milliseconds until a person is to be warned; None if there is nothing to warn of."""
        ledger = self._session.ledger
        if self._automatic or self._warned or ledger.on_turn is not self._session.role:
            return None
        silence, flag = (ledger.claimable_after_ms(each) for each in ("silence", "flag"))
        if silence is None or (flag is not None and flag <= silence):
            return None
        return silence - min(silence // 4, _WARNING_MS) - self.stopwatch.elapsed_ms

    def _warn(self) -> None:
        self._warned = True
        left_ms = self.left_ms
        assert left_ms is not None, "we are on turn"
        self._report(MayBeClaimed(left_ms / 1000))

    def _possible_claims(self) -> list[tuple[int, str]]:
        """The claims that will be possible, each with the milliseconds until then."""
        ledger = self._session.ledger
        if ledger.on_turn in (None, self._session.role):
            return []
        waited = self.stopwatch.waited_ms
        limits = {reason: ledger.claimable_after_ms(reason) for reason in ("flag", "silence")}
        return [(ms - waited, reason) for reason, ms in limits.items() if ms is not None]
