"""What only checkers has: games that lead nowhere, though nobody has agreed to a draw.

Under ``checkers/cs61b-2004`` a game is drawn only by agreement, so that two machines might
play on for ever. The usual rules know when a game leads nowhere, and machines go by them.
"""

from collections.abc import Iterable, Sized

from ataxxd._engine import Move, Position
from ataxxd.rules.values import Outcome

_DEFAULT_RULESET = "checkers/acf"
_BY_AGREEMENT = "checkers/cs61b-2004"
# Plies of a game from its usual start before which a machine accepts no draw: until then little has
# happened that a search could judge.
_EARLY = 40
# Plies after which a rejected draw is offered again.
_PATIENCE = 40


def plies_since_usual_draw(start: Position, moves: Iterable[Move]) -> int | None:
    """How many plies ago a game became a draw by the usual rules of checkers.

    That is by a third repetition of a position, or by forty moves of each side without a capture or
    a move by a man. A later capture starts the count over.

    Args:
        start: the position that the game began from.
        moves: the moves from there, all of them legal.

    Returns:
        0 right after the move that made it a draw; None if it is not one, or if the ruleset has
        its own rules for draws.
    """
    if start.ruleset != _BY_AGREEMENT:
        return None
    position = Position.from_text(_DEFAULT_RULESET, start.text)
    since: int | None = None
    for move in moves:
        if since is not None:
            since += 1
            if "x" not in move.text:
                # The usual game is over; what remains is to watch for a capture.
                after = Position.from_text(_BY_AGREEMENT, _bare(position)).play(move)
                position = Position.from_text(_DEFAULT_RULESET, after.text)
                continue
            position, since = Position.from_text(_DEFAULT_RULESET, _bare(position)), None
        position = position.play(move)
        if _drawn(position.outcome):
            since = 0
    return since


def should_offer_draw(start: Position, moves: Iterable[Move]) -> bool:
    """Whether a machine to move offers a draw: when the game leads nowhere, and again later.

    It holds for two plies in a row, so that both players get the chance.
    """
    since = plies_since_usual_draw(start, moves)
    return since is not None and since % _PATIENCE < 2


def is_too_early_for_draw(start: Position, moves: Sized) -> bool:
    """Whether it is too early for a machine to accept a draw: before twenty moves by each side.

    Not in a game that began from another position, which may be near its end.
    """
    return start == Position.start(start.ruleset) and len(moves) < _EARLY


def _drawn(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.winner is None


def _bare(position: Position) -> str:
    """Position text without the history that only the usual rules keep."""
    return ":".join(part for part in position.text.split(":") if part[0] not in "HM")
