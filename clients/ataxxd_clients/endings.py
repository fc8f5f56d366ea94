"""How a game ended, in a sentence for people; the same one in every user interface."""

from ataxxd.node.control import Seat, Table
from ataxxd.rules import Outcome, Side
from ataxxd_clients.text.language import LineLanguage

_BY_PIECES = {
    "no-moves": "nobody can move",
    "no-pieces": "{loser} has no pieces left",
    "jump-limit": "25 jumps in a row",
}
_WHY = {
    "no-moves": "{loser} cannot move",
    "no-pieces": "{loser} has no pieces left",
    "halfmove-limit": "too long without a new piece",
    "connected": "all pieces in one group",
    "move-limit": "the limit of moves is reached",
    "repetition": "the same position came back",
    "forty-moves": "40 moves without a capture or a man's move",
    "draw-agreed": "both agreed to a draw",
    "resignation": "{loser} resigned",
    "abandoned": "{loser} did not answer",
    "aborted": "the game was aborted",
}


def own_side(table: Table) -> Side | None:
    """The side that is played here against somebody elsewhere; None where there is no such."""
    here = [side for side in Side if table.seat(side) is not Seat.REMOTE]
    return here[0] if len(here) == 1 else None


def ending_text(
    outcome: Outcome, language: LineLanguage, counts: tuple[int, int], own: Side | None = None
) -> str:
    """How a game ended, such as ``Red wins, 30 to 19: nobody can move.``.

    Args:
        outcome: the end.
        language: the game's words.
        counts: the pieces of both sides at the end, told where they decided.
        own: the side of whoever is told, where the other one is somebody elsewhere.
    """
    loser = "" if outcome.winner is None else language.names[outcome.winner.opponent]
    if outcome.termination == "time" and outcome.winner is not None:
        if outcome.winner is own:
            return "Your opponent's time ran out: you win."
        return f"{'You' if own is not None else loser} lost on time."
    by_pieces = language.most_pieces_win and outcome.termination in _BY_PIECES
    why = (_BY_PIECES if by_pieces else _WHY).get(outcome.termination, outcome.termination)
    winner = outcome.winner
    head = "Nobody wins" if winner is None else f"{language.names[winner]} wins"
    if by_pieces:
        more, fewer = reversed(counts) if winner is Side.SECOND else counts
        head += f", {more} to {fewer}"
    return f"{head}: {why.format(loser=loser)}."
