"""Which games a bot takes: pure, so that everything about it can be tried out."""

from dataclasses import dataclass

from ataxxd.times import length
from ataxxd.wording import counted
from ataxxd_protocol.messages import Offer

BUSY = "challenge/busy"
"""The code of a game that may be taken later."""
FORTY = 40
"""Moves that a clock is measured by."""


PATIENCE_MS = 7 * 86_400_000
"""How long a silent opponent may keep a seat where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Decline:
    """A game that is not taken.

    Attributes:
        code: namespaced, as the protocol has it.
        reason: for people.
    """

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Load:
    """How much a bot plays already.

    Attributes:
        games: in all.
        with_peer: against the node that asks.
    """

    games: int = 0
    with_peer: int = 0


@dataclass(frozen=True, slots=True)
class Policy:
    """Which games a bot takes.

    Attributes:
        rulesets: what it plays; everything when empty.
        who: the only nodes it plays against; anybody when empty.
        shortest_ms: time for forty moves that a clock must give at least; None for any.
        longest_ms: time that it may give at most; None for any.
        without_clock: whether it plays without a clock.
        at_once: games at a time.
        per_peer: of them, against one node.
        patience_ms: how long a silent opponent may keep the seat until it loses.
    """

    rulesets: frozenset[str] = frozenset()
    who: frozenset[str] = frozenset()
    shortest_ms: int | None = None
    longest_ms: int | None = None
    without_clock: bool = True
    at_once: int = 1
    per_peer: int = 1
    patience_ms: int = PATIENCE_MS

    def judge(self, offer: Offer, challenger: str, load: Load) -> Decline | None:
        """Why a game is not taken; None when it is.

        Args:
            offer: the game, which holds and has not expired.
            challenger: the node that asks.
            load: what is played already.
        """
        if self.who and challenger not in self.who:
            return Decline("challenge/unwanted", "this bot plays against certain nodes only")
        if self.rulesets and offer.ruleset not in self.rulesets:
            known = ", ".join(sorted(self.rulesets))
            return Decline("challenge/ruleset", f"this bot plays {known}")
        return self._judge_clock(offer) or self._judge_silence(offer) or self._judge_load(load)

    def _judge_clock(self, offer: Offer) -> Decline | None:
        time_ms = time_for_forty_ms(offer)
        if time_ms is None:
            if self.without_clock:
                return None
            return Decline("challenge/clock", "this bot plays with a clock only")
        if self.shortest_ms is not None and time_ms < self.shortest_ms:
            least = length(self.shortest_ms)
            return Decline("challenge/clock", f"this bot wants {least} or more for {FORTY} moves")
        if self.longest_ms is not None and time_ms > self.longest_ms:
            most = length(self.longest_ms)
            return Decline("challenge/clock", f"this bot plays {most} or less for {FORTY} moves")
        return None

    def _judge_silence(self, offer: Offer) -> Decline | None:
        loses_ms = loses_by_silence_ms(offer)
        if loses_ms is not None and loses_ms <= self.patience_ms:
            return None
        reason = f"this bot plays where a silent player loses within {length(self.patience_ms)}"
        return Decline("challenge/terms", f"{reason}: give the game a clock or a grace")

    def _judge_load(self, load: Load) -> Decline | None:
        if load.with_peer >= self.per_peer:
            return Decline(BUSY, f"against one node it plays {self.per_peer} at a time")
        if load.games >= self.at_once:
            return Decline(BUSY, f"it plays {counted(self.at_once, 'game')} already")
        return None


def loses_by_silence_ms(offer: Offer) -> int | None:
    """After how much silence at its beginning a game can be claimed; None for never."""
    clock = offer.clock
    limits = [offer.grace_ms] if clock is None else [offer.grace_ms, clock.base_ms, clock.move_ms]
    return min((each for each in limits if each is not None), default=None)


def time_for_forty_ms(offer: Offer) -> int | None:
    """What a clock gives one side for forty moves; None without a clock."""
    clock = offer.clock
    if clock is None:
        return None
    if clock.move_ms is not None:
        return FORTY * clock.move_ms
    assert clock.base_ms is not None
    return clock.base_ms + FORTY * (clock.increment_ms or 0)
