"""Perft of Ataxx beside the PyPI package ``ataxx``: nodes a second, one thread, one run."""

import time
from collections.abc import Callable

import ataxx  # type: ignore[import-untyped]

from ataxxd.rules import Position

# Depths that keep the whole run within a few seconds; the oracle is pure Python.
OUR_DEPTH = 6
THEIR_DEPTH = 3
POSITIONS = {
    "start": "x5o/7/7/7/7/7/o5x x 0 1",
    "blocks": "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1",
    "two pieces": "7/7/7/2x1o2/7/7/7 x 0 1",
}


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
    """Prints one line a position."""
    print(f"{'position':12}{'ataxxd':>30}{'ataxx (PyPI)':>28}{'ratio':>12}")
    for name, text in POSITIONS.items():
        ours = Position.from_text("ataxx/uai", text)
        our_nodes, our_rate = rate(ours.perft, OUR_DEPTH, 5)
        their_nodes, their_rate = rate(ataxx.Board(text).perft, THEIR_DEPTH, 2)
        if ours.perft(THEIR_DEPTH) != their_nodes:
            raise SystemExit(f"{name}: the two disagree at depth {THEIR_DEPTH}")
        print(
            f"{name:12}"
            f"{our_nodes:>15,} {our_rate / 1e6:>8.0f} Mn/s"
            f"{their_nodes:>13,} {their_rate / 1e6:>8.4f} Mn/s"
            f"{our_rate / their_rate:>11,.0f}x"
        )


if __name__ == "__main__":
    main()
