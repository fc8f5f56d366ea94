"""Why a move is good, in a few words, each of them true by the rules.

A reason is what a move does, as a sentence goes on with it: ``takes 3 and grows by 1``. It is read
from positions, and a win from the search's proof; nothing is guessed. What holds of every game
comes first, then what `_OF_GAME` knows of one; a game that is not there has the general reasons
alone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from ataxxd.rules import Move, Position, Side, ruleset_info
from ataxxd.wording import counted

_CORNERS = frozenset(("a1", "h1", "a8", "h8"))


def reason(position: Position, line: Sequence[Move], mate_in: int | None = None) -> str | None:
    """The strongest reason for a move; None where there is nothing to say.

    Args:
        position: where it is made.
        line: the move, and what is expected to follow.
        mate_in: in how many moves of its own the side on turn wins by force, or, negative, loses.
    """
    after = position.play(line[0])
    return next(chain(_general(position, line[0], after, mate_in), _taken(position, line)), None)


def _general(before: Position, move: Move, after: Position, mate_in: int | None) -> Iterator[str]:
    own, outcome = before.turn, after.outcome
    if outcome is not None:
        if outcome.winner is own:
            joined = " by joining all pieces" if outcome.termination == "connected" else ""
            yield f"wins at once{joined}"
        elif outcome.winner is None:
            yield "ends the game in a draw"
        return
    if mate_in is not None and mate_in > 0:
        yield f"wins in {counted(mate_in, 'move')}"
    moves = before.legal_moves
    if len(moves) == 1:
        yield "is the only move"
    yield from _one_of_few(
        move, moves, (each for each in moves if not _loses(before, each)), "{} not lose at once"
    )
    if not any(each.squares for each in after.legal_moves):
        yield f"leaves {_name(after)} without a move"
    if (of_game := _OF_GAME.get(before.game)) is not None:
        yield from of_game(before, move, after)


def _taken(position: Position, line: Sequence[Move]) -> Iterator[str]:
    """What the move and the answer to it take."""
    after = position.play(line[0])
    taken = len(position.captures(line[0]))
    if taken and after.outcome is None:
        lost = len(after.captures(line[1])) if line[1:] else 0
        yield f"takes {taken}" + (f", and {lost} may be taken back" if lost else "")


def _loses(position: Position, move: Move) -> bool:
    """Whether the other side wins with this move, or may win with its next one."""
    after = position.play(move)
    other = after.turn
    ends = (after, *map(after.play, after.legal_moves))
    return any(each.outcome is not None and each.outcome.winner is other for each in ends)


def _one_of_few(
    move: Move, moves: Sequence[Move], good: Iterable[Move], what: str
) -> Iterator[str]:
    """That a move is one of those, at most half of all, of which something can be said.

    Args:
        move: the move.
        moves: all.
        good: those of them.
        what: is said of them, with a place for ``does`` or ``do``.
    """
    kept = [*good]
    if move in kept and 2 * len(kept) <= len(moves):
        if len(kept) == 1:
            yield f"is the only move that {what.format('does')}"
        else:
            yield f"is one of {len(kept)} moves, of {len(moves)}, that {what.format('do')}"


def _name(position: Position) -> str:
    """What the side on turn is called."""
    return ruleset_info(position.ruleset).side_names[position.turn]


def _as_if_on_turn(position: Position, side: Side) -> Position:
    """The same board with a side on turn: what it could do if the other one did nothing."""
    if position.turn is side:
        return position
    match position.game:
        case "checkers":
            # Under some rules the text has the moves made before, too.
            board = [each for each in position.text.split(":")[1:] if each[0] not in "HM"]
            text = ":".join(("BW"[side], *board))
        case "loa":
            rows, _, *counters = position.text.split(" ")
            text = " ".join((rows, "xo"[side], *counters))
        case _:
            text = position.text[:-1] + "XO"[side]
    return Position.from_text(position.ruleset, text)


# Ataxx


def _of_ataxx(before: Position, move: Move, after: Position) -> Iterator[str]:
    taken, grows = len(before.captures(move)), move.from_square is None
    safe = not any(map(after.captures, after.legal_moves))
    nothing_back = f", and {_name(after)} can take nothing back" if safe else ""
    if taken:
        yield f"takes {taken}{' and grows by 1' if grows else ''}{nothing_back}"
    elif grows:
        near, around = _near(before, move, 1), _near(before, move, 2)
        if "xo"[after.turn] not in around and "." not in near:
            yield f"fills a gap that {_name(after)} cannot reach now"
        yield "grows by 1" + (f" where {_name(after)} can take nothing" if safe else "")


def _near(position: Position, move: Move, distance: int) -> str:
    """What stands so near to where a move ends; its own square is left out."""
    rows, square = position.rows, _place(position, move)
    return "".join(
        rows[row][column]
        for row in range(max(square[0] - distance, 0), min(square[0] + distance + 1, len(rows)))
        for column in range(
            max(square[1] - distance, 0), min(square[1] + distance + 1, len(rows[row]))
        )
        if (row, column) != square
    )


def _place(position: Position, move: Move) -> tuple[int, int]:
    """Where a move ends, as row and column of `Position.rows`."""
    return next(
        (row, names.index(move.to_square))
        for row, names in enumerate(position.square_names)
        if move.to_square in names
    )


# Reversi


def _of_reversi(before: Position, move: Move, after: Position) -> Iterator[str]:
    if not move.squares:
        return
    if move.to_square in _CORNERS:
        yield f"takes the corner {move.to_square}"
    other, name = after.turn, _name(after)
    otherwise = _as_if_on_turn(before, other).legal_moves
    kept = sorted(_CORNERS & _reached(otherwise) - _reached(after.legal_moves))
    if kept:
        yield f"keeps {name} from the corner{'s' if kept[1:] else ''} {' and '.join(kept)}"
    if any(_is_settled(edge, at) for edge, at in _edges(after, move)):
        yield "takes a square of the edge that can never be turned back"
    left = len(after.legal_moves)
    if 2 * left <= len(otherwise):
        yield f"leaves {name} only {counted(left, 'move')}"
    if left < len(otherwise):
        yield f"leaves {name} {counted(left, 'move')} instead of {len(otherwise)}"
    yield f"turns {counted(len(before.captures(move)), 'piece')}"


def _reached(moves: Iterable[Move]) -> set[str]:
    return {each.to_square for each in moves if each.to_square is not None}


def _edges(position: Position, move: Move) -> Iterator[tuple[str, int]]:
    """The edges on which a move ends, and where on each."""
    rows, (row, column) = position.rows, _place(position, move)
    if row in (0, 7):
        yield rows[row], column
    if column in (0, 7):
        yield "".join(each[column] for each in rows), row


def _is_settled(edge: str, at: int) -> bool:
    """Whether a piece can never be turned: along a full edge, or between its like and a corner."""
    piece = edge[at]
    return "." not in edge or {piece} in ({*edge[: at + 1]}, {*edge[at:]})


# Checkers


def _of_checkers(before: Position, move: Move, after: Position) -> Iterator[str]:
    own, name = before.turn, _name(after)
    king = "XO"[own]
    taken = len(before.captures(move))
    crowns = "".join(after.rows).count(king) > "".join(before.rows).count(king)
    # Who can jump has to: either all replies do, or none.
    answers = [(after.play(reply), len(after.captures(reply))) for reply in after.legal_moves]
    lost = [each for _, each in answers]
    if taken:
        back = f", and {name} can jump {max(lost, default=0) or 'nothing'} back"
        yield f"jumps {taken}{' and crowns a man' if crowns else ''}{back}"
    elif crowns:
        yield "crowns a man"
    if any(lost):
        regained = min(_most_taken(each) for each, _ in answers)
        if regained and min(lost) == max(lost):
            yield (
                f"forces a jump and takes {regained} back"
                if regained > max(lost)
                else f"forces a jump of {max(lost)} and takes {regained} back"
            )
        return
    moves = before.legal_moves
    quiet = (each for each in moves if not _most_taken(before.play(each)))
    yield from _one_of_few(move, moves, quiet, f"{{}} not let {name} jump")
    again = _as_if_on_turn(after, own)
    threats = {square for each in again.legal_moves for square in again.captures(each)}
    if len(threats) == 1:
        yield f"threatens to jump the piece on {threats.pop()}"
    elif threats:
        yield f"threatens to jump {_most_taken(again)}"


def _most_taken(position: Position) -> int:
    """How many pieces the side on turn can take with one move."""
    return max((len(position.captures(each)) for each in position.legal_moves), default=0)


# Lines of Action


def _of_loa(before: Position, move: Move, after: Position) -> Iterator[str]:
    if not move.squares:
        return
    own, other, name = before.turn, after.turn, _name(after)
    if _can_win(_as_if_on_turn(after, own)):
        yield "threatens to win at once"
    taken = before.captures(move)
    was, now = _groups(before, own), _groups(after, own)
    if now < was:
        yield f"joins groups, from {was} to {now}" + (", and takes a piece" if taken else "")
    if taken:
        apart, still = _groups(after, other), _groups(before, other)
        if apart > still:
            yield f"takes a piece and splits {name} into {apart} groups, from {still}"
        unhindered = _as_if_on_turn(before, other)
        if any(
            each.from_square in taken and _groups(unhindered.play(each), other) < still
            for each in unhindered.legal_moves
        ):
            yield "takes a piece that could have joined groups"
        yield "takes a piece"


def _can_win(position: Position) -> bool:
    """Whether the side on turn can win with one move."""
    ends = (position.play(each).outcome for each in position.legal_moves)
    return any(each is not None and each.winner is position.turn for each in ends)


def _groups(position: Position, side: Side) -> int:
    """How many groups the pieces of a side are in; those that touch, at corners too, are one."""
    left = {
        (row, column)
        for row, squares in enumerate(position.rows)
        for column, square in enumerate(squares)
        if square == "xo"[side]
    }
    groups = 0
    while left:
        groups += 1
        edge = [left.pop()]
        while edge:
            row, column = edge.pop()
            touching = {
                (near_row, near_column)
                for near_row in range(row - 1, row + 2)
                for near_column in range(column - 1, column + 2)
            } & left
            left -= touching
            edge += touching
    return groups


_OF_GAME: dict[str, Callable[[Position, Move, Position], Iterator[str]]] = {
    "ataxx": _of_ataxx,
    "checkers": _of_checkers,
    "loa": _of_loa,
    "reversi": _of_reversi,
}
