"""``ataxxd bench`` and ``ataxxd perft``: counts that check the search and the rules."""

import time
from collections.abc import Iterator

from ataxxd.cli.commands.engines import BenchOptions, PerftOptions
from ataxxd.cli.say import say, tell
from ataxxd.cli.setup import chosen_ruleset, start_position
from ataxxd.engines.benchmark import TASKS, Count, measure, signature
from ataxxd.errors import ExitCode
from ataxxd.rules.limits import USUAL_HASH_MB


def run_bench(options: BenchOptions) -> int:
    """Count the nodes of fixed searches, to check the search."""
    games = TASKS if options.game is None else [chosen_ruleset(options.game, None).game]

    def counts() -> Iterator[Count]:
        nodes, seconds = 0, 0.0
        for name in games:
            count = measure(name, hash_mb=options.hash_mb or USUAL_HASH_MB, threads=options.threads)
            nodes, seconds = nodes + count.nodes, seconds + count.seconds
            say(_speed(name, count.nodes, count.seconds))
            yield count
        say(_speed("total", nodes, seconds))

    for line in signature(counts()):
        tell(line)
    return ExitCode.OK


def _speed(name: str, nodes: int, seconds: float) -> str:
    return f"{name}: {nodes / max(seconds, 1e-9):,.0f} nodes/s, {seconds:.3f} s"


def run_perft(options: PerftOptions) -> int:
    """Count the positions DEPTH plies ahead."""
    start = start_position(options.game, options.ruleset, options.position, options.blocks)
    began = time.perf_counter()
    if options.divide and options.depth > 0:
        nodes = 0
        for move in start.legal_moves:
            below = start.play(move).perft(options.depth - 1)
            nodes += below
            tell(f"{move}: {below}")
    else:
        nodes = start.perft(options.depth)
    seconds = time.perf_counter() - began
    say(f"{nodes / max(seconds, 1e-9) / 1e6:.0f} million nodes/s, {seconds:.3f} s")
    tell(str(nodes))
    return ExitCode.OK
