"""What only checkers has: games that lead nowhere, though nobody has agreed to a draw.

Under ``checkers/cs61b-2004`` a game is drawn only by agreement, so that two machines might
play on for ever. The usual rules know when a game leads nowhere, and machines go by them.
"""

from collections.abc import Iterable, Sized

from ataxxd._engine import Move, Position
from ataxxd.rules.values import Outcome

_USUAL = "checkers/acf"
_BY_AGREEMENT = "checkers/cs61b-2004"
# Plies of a game from its usual start before which a machine accepts no draw: until then little has
# happened that a search could judge.
_EARLY = 40
# Plies after which one who has refused a draw is asked again.
_PATIENCE = 40


def leads_nowhere(start: Position, moves: Iterable[Move]) -> int | None:
    """The plies since a game became a draw by the usual rules of checkers.

    A position came back for the third time, or forty moves of each side passed without a
    capture or a move of a man. A capture since then begins the count anew.

    Args:
        start: the position that the game began from.
        moves: the moves from there, all of them legal.

    Returns:
        0 right after the move that made it one; None when it is none, and for every
        ruleset that knows draws of its own.
    """
    if start.ruleset != _BY_AGREEMENT:
        return None
    position = Position.from_text(_USUAL, start.text)
    since: int | None = None
    for move in moves:
        if since is not None:
            since += 1
            if "x" not in move.text:
                # The usual game is over; what remains is to watch for a capture.
                after = Position.from_text(_BY_AGREEMENT, _bare(position)).play(move)
                position = Position.from_text(_USUAL, after.text)
                continue
            position, since = Position.from_text(_USUAL, _bare(position)), None
        position = position.play(move)
        if _drawn(position.outcome):
            since = 0
    return since


def worth_a_draw(start: Position, moves: Iterable[Move]) -> bool:
    """Whether a machine on turn offers a draw: when the game leads nowhere, and again later.

    Both players get the chance, for a move of either may bring the game there.
    """
    since = leads_nowhere(start, moves)
    return since is not None and since % _PATIENCE < 2


def early_for_a_draw(start: Position, moves: Sized) -> bool:
    """Whether a machine accepts no draw yet: before each side has made twenty moves.

    A game that was set up somewhere else may be near its end.
    """
    return start == Position.start(start.ruleset) and len(moves) < _EARLY


def _drawn(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.winner is None


def _bare(position: Position) -> str:
    """Position text without the history that only the usual rules keep."""
    return ":".join(part for part in position.text.split(":") if part[0] not in "HM")
