"""The small games that are explored: positions a few plies from their end, and what is agreed."""

from dataclasses import dataclass
from typing import Any

from ataxxd.rules import Move, Position
from ataxxd_protocol.messages import Offer
from tests.conformance.games import ONE_MOVE_LEFT, make_offer

STARTS = {
    "ataxx": ("ataxx/cs61b-2022", ONE_MOVE_LEFT),
    "checkers": ("checkers/acf", "W:W21,25:B1,7,13,18,19,28"),
    "loa": ("loa/cs61b", "xx6/8/8/x6o/8/8/8/6oo x 0 3"),
    "reversi": (
        "reversi/standard",
        "O-XXX-OX-OXXOOXXOOOOOOOXOOXXXOOXOOOOXXOXOOXXXXOXOOXXXOXXXXXXXXXX O",
    ),
}
"""Positions near the end, with at most two moves in each that follows, but for Lines of Action.

The rules end checkers, Lines of Action and reversi within four plies; in Ataxx a jump leaves a hole
again.
"""


@dataclass(frozen=True)
class Terms:
    """What is explored, and how far.

    Attributes:
        game: a key of `STARTS`.
        bound: nobody moves, offers or asks any more once the game has this many messages.
        ticks: the steps of the clock that are told apart; 0 leaves time out.
        clock: the players have so little time that flags fall, and no grace; else, where time
            takes part, a grace of two ticks and no clock.
        kills: how often each node may be killed at most; None for any number.
        connections: how many new connections each node may get, where time takes part.
        takebacks: whether the players may agree on them.
        asks: whether players ask for takebacks and aborts.
        resigns: whether players resign, now or when their turn comes.
    """

    game: str = "reversi"
    bound: int = 6
    ticks: int = 0
    clock: bool = False
    kills: int | None = None
    connections: int | None = None
    takebacks: bool = True
    asks: bool = True
    resigns: bool = True

    @property
    def tick_ms(self) -> int:
        """A step of the clock; where there are flags, more than is free of a first move."""
        return 31_000 if self.clock else 1_000

    @property
    def offer(self) -> Offer:
        """The offer of the game."""
        ruleset, start = STARTS[self.game]
        more: dict[str, Any] = {} if self.takebacks else {"takebacks": "never"}
        if self.clock:
            more["clock"] = {"base_ms": self.tick_ms, "increment_ms": 0, "lag_ms": 500}
        elif self.ticks:
            more["grace_ms"] = 2 * self.tick_ms
        return make_offer(ruleset=ruleset, start=start, **more)


def moves_of(position: Position) -> tuple[Move, ...]:
    """The moves that are tried in a position: all, but two where the pieces run far."""
    moves = tuple(position.legal_moves)
    return (moves[0], moves[-1]) if position.game == "loa" and len(moves) > 1 else moves
