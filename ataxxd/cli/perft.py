"""``ataxxd perft``: count the leaves of the game tree, to check the rules."""

import time
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.say import say, tell
from ataxxd.cli.setup import start_position
from ataxxd.errors import ExitCode


def run(
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
