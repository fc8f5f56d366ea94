"""What moves of reversi are worth in discs, also those that are not the best."""

from typing import Final

from ataxxd.engines.search_thread import Look
from ataxxd.rules import Move, Position, SearchResult

_SQUARES: Final = 64
# The least that a game is won by, once the empty squares are the winner's.
_LEAST_WIN: Final = 2
# A look of so many plies says which moves deserve a deep one, and how many more of them get it.
_SHALLOW: Final = 4
_SPARE: Final = 2


def discs(result: SearchResult) -> float:
    """By how many discs the side to move ends ahead; of a win of unknown size only the sign."""
    if result.margin is not None:
        return result.margin
    if result.mate_in is not None:
        return _LEAST_WIN if result.mate_in > 0 else -_LEAST_WIN
    return min(max(result.score / 100, -_SQUARES), _SQUARES)


def best_others(
    position: Position, best: Move, depth: int, count: int, look: Look
) -> list[SearchResult]:
    """The best moves after the very best, by what the answers to them are worth.

    Args:
        position: where they are played.
        best: the very best.
        depth: plies to look ahead from there.
        count: how many of them.
        look: searches the positions after them.

    Returns:
        Results as of a search of the position, the best one first; none when the search was
        told to stop.
    """
    moves = [move for move in position.legal_moves if move != best]
    found: list[SearchResult] = []
    for plies, most in ((min(depth, _SHALLOW), count + _SPARE), (depth, count)):
        found = []
        for move in moves:
            result = _result_of(position, move, plies, look)
            if result is None:
                return []
            found.append(result)
        found.sort(key=_worth, reverse=True)
        moves = [each.move for each in found[:most]]
    return found[:count]


def _result_of(position: Position, move: Move, depth: int, look: Look) -> SearchResult | None:
    after = position.play(move)
    if after.outcome is not None:
        ahead = after.counts[position.turn] - after.counts[after.turn]
        empty = (_SQUARES - sum(after.counts)) * ((ahead > 0) - (ahead < 0))
        return SearchResult(move, 100 * ahead, None, 1, 1, 0, (move,), ahead + empty)
    answer = look(after, max(1, depth - 1))
    if answer is None:
        return None
    return SearchResult(
        move,
        -answer.score,
        # Only whose win it is counts here.
        None if answer.mate_in is None else -answer.mate_in,
        answer.depth + 1,
        answer.nodes,
        answer.elapsed_ms,
        (move, *answer.pv),
        None if answer.margin is None else -answer.margin,
    )


def _worth(result: SearchResult) -> tuple[bool, bool, float]:
    """What is won before what only looks so, and what is lost behind everything."""
    worth = discs(result)
    proved = result.margin is not None or result.mate_in is not None
    return not (proved and worth < 0), proved and worth > 0, worth
