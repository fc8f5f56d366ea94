"""Fixed searches of fixed positions: node counts and speed.

The counts are the same on every machine and change only when the search does: its evaluation, its
move ordering or its pruning.
"""

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ataxxd.engines.tablebases import new_engine, new_playing_engine
from ataxxd.rules import Engine, Position
from ataxxd.rules.limits import DEFAULT_HASH_MB


@dataclass(frozen=True, slots=True)
class Task:
    """The searches for one game: positions and depth.

    Attributes:
        depth: plies of each search.
        ruleset: the ruleset of all positions.
        positions: positions from openings, middle games and endings.
    """

    depth: int
    ruleset: str
    positions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """The nodes and time of the searches for one game.

    Attributes:
        game: the game.
        nodes: positions searched.
        seconds: the time on this machine.
    """

    game: str
    nodes: int
    seconds: float


TASKS: Final[dict[str, Task]] = {
    "ataxx": Task(
        10,
        "ataxx/cs61b-2022",
        (
            "x5o/7/7/7/7/7/o5x x 0 1",
            "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1",
            "x5o/7/3-3/2-1-2/3-3/7/o5x x 0 1",
            "x5o/1x5/2x4/7/4o2/5o1/o5x o 0 4",
            "xx4o/xx4o/5oo/7/2x4/oo4x/oo3xx x 0 9",
            "1xx2oo/xxx1ooo/xx2oo1/3x3/1oo1xx1/ooo1xxx/oo2xx1 o 0 16",
            "xxxxooo/xxx1ooo/xx-1-oo/3x3/oo-1-xx/ooo1xxx/oooxxx1 x 0 20",
            "2ooo2/1oxxxo1/oxxxxxo/1xx1xx1/oxxxxxo/1oxxxo1/2ooo2 x 1 22",
        ),
    ),
    "reversi": Task(
        11,
        "reversi/standard",
        (
            "---------------------------OX------XO--------------------------- X",
            "----------X-------XO------XOX-----OOX--------X------------------ X",
            "-----------OX-----OXOX----XXOOX----XOXO-----OO------O----------- X",
            "-------------X--OOOOOOO---OXXX---XXXXX---XOXXX-----OX----------- X",
            "-----O-----OO------OO-O----OOO-----OXXXX---OOXXX--XXXOX---XXXXOX X",
            "---O--------OO---XXXXOO---XXXOO--XXOXOOOXXXXXXOO--XOXX-O--X--X-- X",
            "--O--O----OOOO---XOOOOOO--XOXXOX-XXXOOXXXXXXOOXX---XXO---OOOOO-- X",
            "--OOOOO---XXXO--OXXOOXXXOXXOOXXXOXXOXXOXOOXXOOXX--XOOO---X-O-O-- X",
        ),
    ),
    "checkers": Task(
        15,
        "checkers/acf",
        (
            "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
            "B:W13,20,22,23,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,10,11,12,14,16",
            "B:W19,21,22,25,28,29,30,31,32:B1,2,3,4,6,8,11,14,20",
            "B:W17,18,29,30,31,32:B1,2,3,4,9,16",
            "B:W14,19,20,29,30,32:B1,2,3,11,12,17",
            "B:W5,13,26,29,32:B1,2,10,18,19,28",
            "B:WK14,18,21,22,23,29,30:B4,5,9,13,20,K27,K28:H1:M17-14",
            "B:W10,11,12,K14,28,29:B3,4,5,21,K22,K27,K30",
        ),
    ),
    "loa": Task(
        8,
        "loa/cs61b",
        (
            "1xxxxxx1/o6o/o6o/o6o/o6o/o6o/o6o/1xxxxxx1 x",
            "3xxxx1/o6o/o3x2o/o6o/5o2/4x2o/o1o4o/1xoxxxx1 x 6 60",
            "5xx1/o4oo1/o1xxo2o/o7/o6o/1o6/3xo3/1xxxxxx1 x 14 60",
            "8/2o4o/1xo1o1xo/3o4/2oxx3/xo5o/5o2/3x1xx1 x 20 60",
            "8/o7/1xoxx3/2oxx3/2o2o2/1x1oo3/o4o2/4x1x1 x 26 60",
            "8/3xoo2/oxx1x3/1oo2x2/1xooxx2/x1oxo3/3o1o1x/8 x 32 60",
            "8/8/2xo1xx1/2x1xxo1/3xooo1/3xoox1/3ooo2/8 x 40 60",
            "8/2o5/2x5/1xx1x1o1/2xxoo2/3xxxo1/5oo1/5x2 x 48 60",
        ),
    ),
}
"""By game, in the order in which they are searched."""


def run_benchmark(
    game: str, *, hash_mb: int = DEFAULT_HASH_MB, threads: int = 1
) -> BenchmarkResult:
    """Search the positions of a game, each with an empty transposition table.

    Args:
        game: one of `TASKS`.
        hash_mb: size of the transposition table in mebibytes, which may change the count.
        threads: with more than one, the count varies from run to run.

    Raises:
        ValueError: there is no such size or number of threads.
    """
    task = TASKS[game]
    engine = new_engine(hash_mb, threads=threads)
    nodes, began = 0, time.perf_counter()
    for text in task.positions:
        engine.clear()
        nodes += engine.search(Position.from_text(task.ruleset, text), depth=task.depth).nodes
    return BenchmarkResult(game, nodes, time.perf_counter() - began)


# Deep enough for the evaluation, the move ordering and the pruning to make a difference.
_FINGERPRINT_DEPTH = 6


def fingerprint(game: str) -> str:
    """A digest of our engine's results in some positions of a game, as 16 hexadecimal digits.

    It is the same on every machine with the same search, evaluation and weights. It takes some
    tenths of a second.
    """
    task = TASKS[game]
    engine = new_playing_engine(DEFAULT_HASH_MB)
    digest = hashlib.sha256()
    for text in task.positions:
        position = Position.from_text(task.ruleset, text)
        Engine.prepare(position)
        engine.clear()
        found = engine.search(position, depth=_FINGERPRINT_DEPTH)
        digest.update(f"{text} {found.nodes} {found.score} {found.move}\n".encode())
    return digest.hexdigest()[:16]


def signature_lines(counts: Iterator[BenchmarkResult]) -> Iterator[str]:
    """The lines that identify a search: the nodes of each game, and their total."""
    total = 0
    for count in counts:
        total += count.nodes
        yield f"{count.game} {count.nodes}"
    yield f"total {total}"
