"""A player's claims on a game whose opponent is too slow, and the times that they rest on."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from ataxxd.node.concurrency import Duty
from ataxxd.session.events import MayBeClaimed, MayClaim
from ataxxd.session.player import PlayerSession, Times
from ataxxd.times import Clock
from ataxxd.transport.base import Disconnected
from ataxxd.transport.mqtt import KEEPALIVE

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

    def __init__(self, clock: Clock, earlier: Iterable[tuple[bool, int]] = ()) -> None:
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
