"""Our engine: for other programs, the counts that check it, and its endgame tables."""

import io
import os
import sys
import time
from collections.abc import Iterator

from ataxxd import __version__
from ataxxd._engine import make_tables
from ataxxd.cli.commands.engines import (
    BenchOptions,
    HubOptions,
    NboardOptions,
    PerftOptions,
    TablesCheckOptions,
    TablesMakeOptions,
    UaiOptions,
)
from ataxxd.cli.game_options import choose_ruleset, start_position
from ataxxd.cli.output import print_message, print_result
from ataxxd.engines.benchmark import TASKS, BenchmarkResult, run_benchmark, signature_lines
from ataxxd.engines.native import LEVELS
from ataxxd.engines.tablebases import VARIABLE, count_pieces
from ataxxd.errors import ExitCode, UsageError, storage_errors
from ataxxd.node.home import Home
from ataxxd.rules.limits import DEFAULT_HASH_MB
from ataxxd_clients.engines import EngineServer
from ataxxd_clients.engines.hub import HubServer
from ataxxd_clients.engines.nboard import NBoardServer
from ataxxd_clients.engines.uai import UaiServer


def serve(server: type[EngineServer]) -> None:
    """Speak an engine protocol on standard input and output until `quit` or the end of input."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    server(_write_line, LEVELS, __version__).serve(sys.stdin)


def _write_line(line: str) -> None:
    try:
        print_result(line)
    except OSError:
        # A program that no longer reads our output will soon close our input, too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run_uai(_: UaiOptions) -> int:
    """Run as an Ataxx engine for other programs (UAI)."""
    serve(UaiServer)
    return ExitCode.OK


def run_nboard(_: NboardOptions) -> int:
    """Run as a reversi engine for other programs (NBoard)."""
    serve(NBoardServer)
    return ExitCode.OK


def run_hub(_: HubOptions) -> int:
    """Run as a checkers engine for other programs (Hub)."""
    serve(HubServer)
    return ExitCode.OK


def run_bench(options: BenchOptions) -> int:
    """Count the nodes of fixed searches, to check the search."""
    games = [*TASKS] if options.game is None else [choose_ruleset(options.game, None).game]
    if unknown := set(games) - set(TASKS):
        raise UsageError(
            f"There is no benchmark for {unknown.pop()}. Choose one of {', '.join(TASKS)}."
        )

    def counts() -> Iterator[BenchmarkResult]:
        nodes, seconds = 0, 0.0
        for name in games:
            count = run_benchmark(
                name, hash_mb=options.hash_mb or DEFAULT_HASH_MB, threads=options.threads
            )
            nodes, seconds = nodes + count.nodes, seconds + count.seconds
            print_message(_speed(name, count.nodes, count.seconds))
            yield count
        print_message(_speed("total", nodes, seconds))

    for line in signature_lines(counts()):
        print_result(line)
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
            print_result(f"{move}: {below}")
    else:
        nodes = start.perft(options.depth)
    seconds = time.perf_counter() - began
    print_message(f"{nodes / max(seconds, 1e-9) / 1e6:.0f} million nodes/s, {seconds:.3f} s")
    print_result(str(nodes))
    return ExitCode.OK


_REPORT_EVERY_S = 10.0


def run_tables_make(options: TablesMakeOptions) -> int:
    """Make endgame tables: who wins with few pieces left."""
    file = options.file
    if file is None:
        file = Home(options.home).tables(options.pieces)
    steps = file.with_name(f"{file.name}.steps")
    progress = _Progress()
    try:
        with storage_errors(file, "written", "Free some space, or name another place."):
            make_tables(file.absolute(), steps.absolute(), options.pieces, progress.on_progress)
    except KeyboardInterrupt:
        print_message("Stopped. Finished parts are kept; the same command continues.")
        return ExitCode.INTERRUPTED
    print_result(f"{file}: {file.stat().st_size:,} bytes")
    print_message(f"For our engine to use them: export {VARIABLE}={file.absolute()}")
    return ExitCode.OK


class _Progress:
    """Reports now and then how far the work is, and how long it will take."""

    def __init__(self) -> None:
        self._began = self._reported = time.monotonic()
        self._made = 0

    def on_progress(self, made: int, pairs: int, boards: int, kept: int, all_boards: int) -> None:
        """Take in a report of the engine, which makes several a second."""
        now = time.monotonic()
        if made == self._made or (now - self._reported < _REPORT_EVERY_S and made < pairs):
            return
        self._made, self._reported = made, now
        left = ""
        if made < pairs and boards > kept:
            seconds = (now - self._began) * (all_boards - boards) / (boards - kept)
            left = f", about {seconds / 60:.0f} min left" if seconds > 90 else ", a minute left"
        percent = 100 * boards // all_boards
        print_message(f"{made} of {pairs} pairs of materials, {percent} % of the boards{left}")


def run_tables_check(options: TablesCheckOptions) -> int:
    """Check endgame tables, and show how far they go."""
    file = options.file
    file = file or Home(options.home).tables(5)
    print_result(f"{file}: whole, up to {count_pieces(file)} pieces")
    return ExitCode.OK
