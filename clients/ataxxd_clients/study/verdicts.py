"""What the engine thinks of a position, as a number, as a share of a bar, and in words.

Always as the first side sees it, so that the numbers of a whole game make one curve.
"""

import math
from dataclasses import dataclass

from ataxxd.rules import Move, Outcome, Position, SearchResult, Side

# So many centipieces ahead are 73 of 100 parts of a bar.
_SCALE = 200


@dataclass(frozen=True, slots=True)
class Verdict:
    """An opinion of a position, or the end of the game.

    Attributes:
        score: centipieces that the first side is ahead.
        mate_in: moves until a win that can be forced; the first side's are positive. None when
            none is known.
        outcome: how the game ended; None while it goes on.
        line: the moves expected from here, the best one first.
        depth: plies looked ahead.
        nodes: positions looked at; of two verdicts the one with more is better.
    """

    score: int
    mate_in: int | None = None
    outcome: Outcome | None = None
    line: tuple[Move, ...] = ()
    depth: int = 0
    nodes: int = 0


def verdict_of(result: SearchResult, position: Position) -> Verdict:
    """The verdict that a search came to."""
    sign = 1 if position.turn is Side.FIRST else -1
    mate_in = None if result.mate_in is None else sign * result.mate_in
    return Verdict(sign * result.score, mate_in, None, result.pv, result.depth, result.nodes)


def verdict_of_end(position: Position) -> Verdict | None:
    """The verdict of the board where the game is over; None while it goes on."""
    outcome = position.outcome
    return None if outcome is None else Verdict(0, outcome=outcome)


def in_words(verdict: Verdict, names: tuple[str, str]) -> str:
    """A verdict from the side it favours: ``Red +0.35``, ``Blue wins in 3``, ``Red has won``."""
    if verdict.outcome is not None:
        winner = verdict.outcome.winner
        return "nobody has won" if winner is None else f"{names[winner]} has won"
    if verdict.mate_in is not None:
        winner = Side.FIRST if verdict.mate_in > 0 else Side.SECOND
        return f"{names[winner]} wins in {abs(verdict.mate_in)}"
    if verdict.score == 0:
        return "even"
    better = Side.FIRST if verdict.score > 0 else Side.SECOND
    return f"{names[better]} +{abs(verdict.score) / 100:.2f}"


def in_brief(verdict: Verdict, names: tuple[str, str]) -> str:
    """The same in at most twelve columns or so: ``Red +0.3``, ``Blue in 3``, ``Red won``."""
    if verdict.outcome is not None:
        winner = verdict.outcome.winner
        return "draw" if winner is None else f"{names[winner]} won"
    if verdict.mate_in is not None:
        return in_words(verdict, names).replace(" wins in ", " in ")
    return in_words(verdict, names) if verdict.score == 0 else in_words(verdict, names)[:-1]


def share(verdict: Verdict) -> float:
    """How much of a bar belongs to the first side, from 0 to 1."""
    if verdict.outcome is not None:
        winner = verdict.outcome.winner
        return 0.5 if winner is None else float(winner is Side.FIRST)
    if verdict.mate_in is not None:
        return float(verdict.mate_in > 0)
    # Beyond this the bar is full, and the exponential would be too large.
    return 1 / (1 + math.exp(-min(max(verdict.score / _SCALE, -20), 20)))
