"""A student's program for the reversi laboratory, as `ataxxd mark` asks it."""

import sys

WEIGHTS = [
    [120, -20, 20, 5, 5, 20, -20, 120],
    [-20, -40, -5, -5, -5, -5, -40, -20],
    [20, -5, 15, 3, 3, 15, -5, 20],
    [5, -5, 3, 3, 3, 3, -5, 5],
    [5, -5, 3, 3, 3, 3, -5, 5],
    [20, -5, 15, 3, 3, 15, -5, 20],
    [-20, -40, -5, -5, -5, -5, -40, -20],
    [120, -20, 20, 5, 5, 20, -20, 120],
]
DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
SKIP = (-1, -1)

Board = list[list[int]]  # rows of 1 (White), -1 (Black) and 0
Square = tuple[int, int]


def read_state(text: str) -> tuple[Board, int]:
    """The board, and whose turn it is."""
    colour = 1 if text[0] == "{" else -1
    rows = text[1:-1].split("|")
    return [[{"w": 1, "b": -1, ".": 0}[c] for c in row] for row in rows], colour


def bracketed(board: Board, colour: int, x: int, y: int) -> list[Square]:
    """The squares that change colour when a piece is put on (x, y); none if it may not be."""
    if board[y][x]:
        return []
    found: list[Square] = []
    for dx, dy in DIRECTIONS:
        line: list[Square] = []
        i, j = x + dx, y + dy
        while 0 <= i < 8 and 0 <= j < 8 and board[j][i] == -colour:
            line.append((i, j))
            i, j = i + dx, j + dy
        if 0 <= i < 8 and 0 <= j < 8 and board[j][i] == colour:
            found += line
    return found


def legal_moves(board: Board, colour: int) -> list[tuple[Square, list[Square]]]:
    """All moves with what they bracket, x outer and y inner, as the laboratory lists them."""
    squares = [(x, y) for x in range(8) for y in range(8)]
    moves = [(s, turned) for s in squares if (turned := bracketed(board, colour, *s))]
    if not moves and any(bracketed(board, -colour, *s) for s in squares):
        return [(SKIP, [])]
    return moves


def after(board: Board, colour: int, move: Square, turned: list[Square]) -> Board:
    """The board with a piece on `move`, and `turned` turned."""
    new = [row[:] for row in board]
    for x, y in [move, *turned] if move != SKIP else []:
        new[y][x] = colour
    return new


def board_eval(board: Board) -> int:
    """The weights of White's squares minus those of Black's."""
    return sum(WEIGHTS[y][x] * board[y][x] for x in range(8) for y in range(8))


def minimax(
    board: Board, colour: int, depth: int, alpha: int = -10_000, beta: int = 10_000
) -> tuple[int, Square]:
    """The value of a state, and the first of the best moves."""
    moves = legal_moves(board, colour) if depth else []
    if not moves:
        return board_eval(board), SKIP
    best, choice = -10_000 * colour, SKIP
    for move, turned in moves:
        new = after(board, colour, move, turned)
        value, _ = minimax(new, -colour, depth - 1, alpha, beta)
        if (value - best) * colour > 0:
            best, choice = value, move
        if colour == 1:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)
        if alpha >= beta:
            break
    return best, choice


for line in sys.stdin:
    question, *depth, state = line.split()
    board, colour = read_state(state)
    if question == "boardEval":
        print(board_eval(board), flush=True)
    else:
        _, (x, y) = minimax(board, colour, int(depth[0]))
        print(f"({x},{y})", flush=True)
