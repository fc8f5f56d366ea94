"""How a game ended, in a sentence for people: the same one wherever it is told."""

from ataxxd._engine import Position
from ataxxd.rules.values import Outcome, Side, ruleset_info

BY_PIECES = {
    "no-moves": "nobody can move",
    "no-pieces": "{loser} has no pieces left",
    "jump-limit": "25 jumps in a row",
}
"""Why a game ended that more pieces have won; the score is told with it."""
WHY = {
    "no-moves": "{loser} cannot move",
    "no-pieces": "{loser} has no pieces left",
    "halfmove-limit": "too long without a new piece",
    "connected": "all pieces in one group",
    "move-limit": "the limit of moves is reached",
    "repetition": "the same position came back",
    "forty-moves": "40 moves without a capture or a man's move",
    "draw-agreed": "both agreed",
    "resignation": "{loser} resigned",
    "abandoned": "{loser} did not answer",
    "aborted": "the game was aborted",
    "illegal-move": "{loser} made an illegal move",
    "desync": "{loser} sent a wrong position",
    "double-dealing": "{loser} signed two versions of one message",
    "protocol-violation": "{loser} broke the rules of the protocol",
}
"""Why any other game ended, by its termination."""


def ending_text(outcome: Outcome, position: Position, own: Side | None = None) -> str:
    """How a game ended, such as ``Red wins, 30 to 19: nobody can move.``.

    Args:
        outcome: the end.
        position: the last position; its pieces are told where they decided.
        own: the side of whoever is told, where the other one is somebody elsewhere.
    """
    info = ruleset_info(position.ruleset)
    names, winner = info.side_names, outcome.winner
    loser = "" if winner is None else names[winner.opponent]
    if outcome.termination == "time" and winner is not None:
        if winner is own:
            return "Your opponent's time ran out: you win."
        return f"{'You' if own is not None else loser} lost on time."
    by_pieces = info.most_pieces_win and outcome.termination in BY_PIECES
    why = (BY_PIECES if by_pieces else WHY).get(outcome.termination, outcome.termination)
    if winner is not None:
        head = f"{names[winner]} wins"
    else:
        head = "No result" if outcome.score == "*" else "A draw"
    if by_pieces:
        more, fewer = reversed(position.counts) if winner is Side.SECOND else position.counts
        head += f", {more} to {fewer}"
    return f"{head}: {why.format(loser=loser)}."
