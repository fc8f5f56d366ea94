"""What an event's host has seen of the silence that a claim is about."""

from collections.abc import Callable

from ataxxd.session.ledger import Ledger
from ataxxd.session.roles import Role

# For so long after a connection what comes may be older than that.
_CATCHING_UP_S = 10.0
# What the wires of the players and of the host may have taken more or less, beside a hundredth.
_WIRES_S = 5.0


class Witness:
    """Times the messages of one game as they come."""

    def __init__(self, now: Callable[[], float], since: float) -> None:
        """Begin to watch.

        Args:
            now: seconds by a clock that does not jump.
            since: before this moment the game cannot have begun.
        """
        self._now = now
        self._since = since
        self._connected = since
        # None: it came when it may have been old.
        self._heard: dict[str, float | None] = {}

    def interrupted(self) -> None:
        """A connection was made or lost: what comes next may be older."""
        self._connected = self._now()

    def look(self, ledger: Ledger) -> None:
        """See what has come."""
        now = self._now()
        known = now if now - self._connected > _CATCHING_UP_S else None
        for _, message in ledger.line:
            self._heard.setdefault(message.digest, known)

    def loser(self, ledger: Ledger) -> Role | None:
        """Who is wrong about the claim of a game: the claimant or the other; None: not known."""
        claim, place, claimant = ledger.claim, ledger.decided_at, ledger.decision
        if claim is None or place is None or claimant is None:
            return None
        awaited = self._heard.get(ledger.line[place - 1][1].digest)
        answers = [message for by, message in ledger.line[place:] if by is not claimant]
        ends = [self._heard.get(each.digest) for each in (ledger.line[place][1], *answers[:1])]
        end = None if None in ends else min(each for each in ends if each is not None)
        most = (self._now() if end is None else end) - (self._since if awaited is None else awaited)
        least = 0.0 if end is None or awaited is None else end - awaited
        waited = claim.waited_ms / 1000
        slack = waited / 100 + _WIRES_S
        if most + slack < waited:
            return claimant
        return claimant.other if least + slack >= waited else None
