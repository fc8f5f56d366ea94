"""Clobber once more, by other means than the engine's: a dictionary of squares."""

from collections.abc import Iterator

COLUMNS, ROWS = "abcdef", "12345"
_BESIDE = ((0, 1), (1, 0), (0, -1), (-1, 0))

Board = dict[tuple[int, int], str]


def start() -> Board:
    """A piece on every square, beside those of the other side only; on a1 one of the first side."""
    return {(x, y): "xo"[(x + y) % 2] for x in range(len(COLUMNS)) for y in range(len(ROWS))}


def moves(board: Board, side: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The moves of a side: from where to where."""
    for (x, y), content in board.items():
        if content == side:
            for across, up in _BESIDE:
                there = (x + across, y + up)
                if board.get(there, side) != side:
                    yield (x, y), there


def after(board: Board, move: tuple[tuple[int, int], tuple[int, int]]) -> Board:
    """The board after a move."""
    left, reached = move
    rest = {square: content for square, content in board.items() if square != left}
    return {**rest, reached: board[left]}


def text(move: tuple[tuple[int, int], tuple[int, int]]) -> str:
    """A move as ataxxd writes it."""
    return "-".join(f"{COLUMNS[x]}{ROWS[y]}" for x, y in move)


def perft(board: Board, side: str, depth: int) -> int:
    """How many sequences of so many moves there are."""
    if depth == 0:
        return 1
    if depth == 1:
        return sum(1 for _ in moves(board, side))
    other = "o" if side == "x" else "x"
    return sum(perft(after(board, move), other, depth - 1) for move in moves(board, side))
