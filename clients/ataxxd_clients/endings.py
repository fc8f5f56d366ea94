"""How a game ended, in a sentence for people; the same one in every user interface."""

from ataxxd.rules import Outcome, Side

_WHY = {
    "no-moves": "nobody can move",
    "no-pieces": "the other side has no pieces left",
    "jump-limit": "25 jumps in a row",
    "halfmove-limit": "too long without a new piece",
    "connected": "all pieces in one group",
    "move-limit": "the limit of moves is reached",
    "repetition": "the same position came back",
    "forty-moves": "40 moves without a capture or a man's move",
    "draw-agreed": "both agreed to a draw",
    "resignation": "the other side resigned",
    "abandoned": "the other side did not answer",
    "time": "the other side used up its time",
    "aborted": "the game was aborted",
}


def ending_text(outcome: Outcome, names: tuple[str, str], counts: tuple[int, int]) -> str:
    """How a game ended, such as ``Red wins, 30 to 19: nobody can move.``.

    Args:
        outcome: the end.
        names: what the sides are called.
        counts: their pieces at the end.
    """
    why = _WHY.get(outcome.termination, outcome.termination)
    first, second = counts
    if outcome.winner is None:
        return f"Nobody wins, {first} to {second}: {why}."
    ours, theirs = (first, second) if outcome.winner is Side.FIRST else (second, first)
    return f"{names[outcome.winner]} wins, {ours} to {theirs}: {why}."
