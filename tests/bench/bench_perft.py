"""Perft beside packages from PyPI: nodes a second, one thread, one run.

``ataxx`` counts by itself, in Python; rust-reversi, OpenSpiel and pydraughts know no perft
and are driven from here, the last ply counted and not made, as ataxxd does. Their figures are
what a Python program gets from them, not what their native code could do.
"""

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ataxx  # type: ignore[import-untyped]
import draughts  # type: ignore[import-untyped]
import pyspiel  # type: ignore[import-not-found]

from ataxxd.rules import Position


@dataclass(frozen=True)
class Rival:
    """A package to compare with.

    Attributes:
        name: as on PyPI.
        count: its perft of a position to a depth.
        depth: one that it counts within about a second.
    """

    name: str
    count: Callable[[int], int]
    depth: int


def ataxx_board(text: str) -> Callable[[int], int]:
    """Perft of the package ``ataxx``."""
    count: Callable[[int], int] = ataxx.Board(text).perft
    return count


def openspiel(game: str) -> Callable[[int], int]:
    """Perft by OpenSpiel from its start position."""

    def count(state: Any, depth: int) -> int:
        actions = state.legal_actions()
        if depth == 1 or not actions:
            return len(actions)
        return sum(count(state.child(action), depth - 1) for action in actions)

    start = pyspiel.load_game(game).new_initial_state()
    return lambda depth: count(start, depth)


def reversi_board() -> Callable[[int], int]:
    """Perft by rust-reversi from the start position; no game ends within the depths used.

    Raises:
        ImportError: it is not installed, as there is no wheel yet for the newest Python.
    """
    import rust_reversi  # noqa: PLC0415 - may be missing

    def count(board: Any, depth: int) -> int:
        if depth == 1:
            return len(board.get_legal_moves_vec()) or 1
        if board.is_pass():
            passed = board.clone()
            passed.do_pass()
            return count(passed, depth - 1)
        return sum(count(child, depth - 1) for child in board.get_child_boards())

    return lambda depth: count(rust_reversi.Board(), depth)


def draughts_board() -> Callable[[int], int]:
    """Perft by pydraughts from the start position."""

    def count(board: draughts.Board, depth: int) -> int:
        moves = board.legal_moves()
        if depth == 1:
            return len(moves)
        nodes = 0
        for move in moves:
            board.push(move)
            nodes += count(board, depth - 1)
            board.pop()
        return nodes

    return lambda depth: count(draughts.Board(variant="english"), depth)


def cases() -> list[tuple[str, Position, int, list[Rival]]]:
    """What is counted: a name, our position, our depth, and the others."""
    texts = {
        "ataxx": "x5o/7/7/7/7/7/o5x x 0 1",
        "ataxx, blocks": "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1",
        "ataxx, two": "7/7/7/2x1o2/7/7/7 x 0 1",
    }
    known: list[tuple[str, Position, int, list[Rival]]] = [
        (
            name,
            Position.from_text("ataxx/uai", text),
            6,
            [Rival("ataxx", ataxx_board(text), 3)],
        )
        for name, text in texts.items()
    ]
    reversi = [Rival("open-spiel", openspiel("othello"), 6)]
    with contextlib.suppress(ImportError):
        reversi.insert(0, Rival("rust-reversi", reversi_board(), 7))
    loa = [Rival("open-spiel", openspiel("lines_of_action"), 3)]
    checkers = [Rival("pydraughts", draughts_board(), 4)]
    known += [
        ("reversi", Position.start("reversi/standard"), 11, reversi),
        ("loa", Position.start("loa/cs61b"), 5, loa),
        ("checkers", Position.start("checkers/cs61b-2004"), 11, checkers),
        ("checkers, acf", Position.start("checkers/acf"), 11, checkers),
    ]
    return known


def rate(count: Callable[[int], int], depth: int, repeats: int) -> tuple[int, float]:
    """Nodes of a perft, and the nodes a second of the fastest of some runs."""
    fastest = float("inf")
    nodes = 0
    for _ in range(repeats):
        started = time.perf_counter()
        nodes = count(depth)
        fastest = min(fastest, time.perf_counter() - started)
    return nodes, nodes / fastest


def main() -> None:
    """Prints one line a position and package."""
    print(f"{'position':14}{'ataxxd':>27}{'package':>15}{'':>27}{'ratio':>10}")
    for name, position, depth, rivals in cases():
        our_nodes, our_rate = rate(position.perft, depth, 3)
        for rival in rivals:
            their_nodes, their_rate = rate(rival.count, rival.depth, 2)
            if position.perft(rival.depth) != their_nodes:
                raise SystemExit(f"{name}: {rival.name} disagrees at depth {rival.depth}")
            print(
                f"{name:14}{our_nodes:>13,} {our_rate / 1e6:>8.0f} Mn/s"
                f"{rival.name:>15}{their_nodes:>13,} {their_rate / 1e6:>8.4f} Mn/s"
                f"{our_rate / their_rate:>9,.0f}x"
            )


if __name__ == "__main__":
    main()
