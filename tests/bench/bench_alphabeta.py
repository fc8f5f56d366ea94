"""alphabeta:8 in reversi: seconds a move, on the start and on positions of the middle game.

The laboratory's Java reference needs 0.67 s (median) and 2.6 s (worst) for such moves.
Run with ``python -m tests.bench.bench_alphabeta``.
"""

import random
import statistics
import time

from ataxxd.rules import Engine, Position

DEPTH = 8
POSITIONS = 20


def middle_games() -> list[Position]:
    """Positions after 10 to 40 random moves; the same ones every time."""
    choices = random.Random(8)
    found: list[Position] = []
    while len(found) < POSITIONS:
        position = Position.start("reversi/standard")
        for _ in range(choices.randrange(10, 41)):
            if position.outcome is None:
                position = position.play(choices.choice(position.legal_moves))
        if position.outcome is None:
            found.append(position)
    return found


def main() -> None:
    """Print median and worst."""
    engine = Engine(1)
    seconds = []
    for position in (Position.start("reversi/standard"), *middle_games()):
        began = time.perf_counter()
        engine.alphabeta(position, DEPTH)
        seconds.append(time.perf_counter() - began)
    print(f"alphabeta:{DEPTH} on {len(seconds)} positions of reversi, in milliseconds")
    print(f"  median {1000 * statistics.median(seconds):8.2f}    (aim: below 250)")
    print(f"  worst  {1000 * max(seconds):8.2f}")


if __name__ == "__main__":
    main()
