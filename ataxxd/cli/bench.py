"""``ataxxd bench`` and ``ataxxd perft``: counts that check the search and the rules."""

import time
from collections.abc import Iterator
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.say import say, tell
from ataxxd.cli.setup import chosen_ruleset, start_position
from ataxxd.engines.benchmark import TASKS, Count, measure, signature
from ataxxd.errors import ExitCode
from ataxxd.rules.limits import USUAL_HASH_MB


def run_bench(
    game: options.OnlyGame = None,
    threads: Annotated[
        int,
        typer.Option(
            "--threads",
            min=1,
            max=256,
            help="Number of search threads; with more than one, counts vary.",
        ),
    ] = 1,
    hash_mb: options.Hash = None,
) -> int:
    """Count the nodes of fixed searches, to check the search.

    The counts are the same on every machine, and change only when the search does.
    """
    games = TASKS if game is None else [chosen_ruleset(game, None).game]

    def counts() -> Iterator[Count]:
        nodes, seconds = 0, 0.0
        for name in games:
            count = measure(name, hash_mb=hash_mb or USUAL_HASH_MB, threads=threads)
            nodes, seconds = nodes + count.nodes, seconds + count.seconds
            say(_speed(name, count.nodes, count.seconds))
            yield count
        say(_speed("total", nodes, seconds))

    for line in signature(counts()):
        tell(line)
    return ExitCode.OK


def _speed(name: str, nodes: int, seconds: float) -> str:
    return f"{name}: {nodes / max(seconds, 1e-9):,.0f} nodes/s, {seconds:.3f} s"


def run_perft(
    depth: Annotated[int, typer.Argument(min=0, metavar="DEPTH", help="Depth in plies.")],
    game: options.Game = options.USUAL_GAME,
    ruleset: options.Ruleset = None,
    position: options.Position = None,
    blocks: options.Blocks = None,
    divide: Annotated[
        bool, typer.Option("--divide", help="Also print the count below each move.")
    ] = False,
) -> int:
    """Count the positions DEPTH plies ahead.

    The last line of the output is the count alone.
    """
    start = start_position(game, ruleset, position, blocks)
    began = time.perf_counter()
    if divide and depth > 0:
        nodes = 0
        for move in start.legal_moves:
            below = start.play(move).perft(depth - 1)
            nodes += below
            tell(f"{move}: {below}")
    else:
        nodes = start.perft(depth)
    seconds = time.perf_counter() - began
    say(f"{nodes / max(seconds, 1e-9) / 1e6:.0f} million nodes/s, {seconds:.3f} s")
    tell(str(nodes))
    return ExitCode.OK
