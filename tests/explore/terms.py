"""The small games that are explored: positions a few plies from their end, and what is agreed."""

from dataclasses import dataclass

from ataxxd.rules import Move, Position
from ataxxd_protocol.messages import Offer
from tests.conformance.games import ONE_MOVE_LEFT, make_offer

TICK_MS = 1000
GRACE_MS = 2 * TICK_MS

STARTS = {
    "ataxx": ("ataxx/cs61b-2022", ONE_MOVE_LEFT),
    "checkers": ("checkers/acf", "W:W21,25:B1,7,13,18,19,28"),
    "reversi": (
        "reversi/standard",
        "O-XXX-OX-OXXOOXXOOOOOOOXOOXXXOOXOOOOXXOXOOXXXXOXOOXXXOXXXXXXXXXX O",
    ),
}
"""Positions near the end, with at most two moves in each that follows.

The rules end checkers and reversi within four plies; in Ataxx a jump leaves a hole again.
"""


@dataclass(frozen=True)
class Terms:
    """What is explored, and how far.

    Attributes:
        game: a key of `STARTS`.
        bound: nobody moves, offers or asks any more once the game has this many messages.
        ticks: the steps of the clock that are told apart; 0 leaves time out.
        takebacks: whether the players may agree on them.
        asks: whether players ask for takebacks and aborts.
        resigns: whether players resign, now or when their turn comes.
    """

    game: str = "reversi"
    bound: int = 6
    ticks: int = 0
    takebacks: bool = True
    asks: bool = True
    resigns: bool = True

    @property
    def offer(self) -> Offer:
        """The offer of the game."""
        ruleset, start = STARTS[self.game]
        more: dict[str, object] = {} if self.takebacks else {"takebacks": "never"}
        if self.ticks:
            more["grace_ms"] = GRACE_MS
        return make_offer(ruleset=ruleset, start=start, **more)


def moves_of(position: Position) -> tuple[Move, ...]:
    """The moves that are tried in a position: all of them."""
    return tuple(position.legal_moves)
