"""``ataxxd lab answer``: the reference as a program that ``ataxxd mark`` asks."""

import sys
from typing import Annotated
from zlib import crc32

import typer

from ataxxd.cli.say import tell
from ataxxd.engines.base import seed_for
from ataxxd.engines.laboratory.marking import Reference
from ataxxd.engines.laboratory.program import answer
from ataxxd.engines.simple import FirstBot, RandomBot
from ataxxd.errors import ExitCode, UsageError


def run(
    player: Annotated[
        str,
        typer.Option("--player", metavar="WHO", help="Move as alphabeta, first or random."),
    ] = "alphabeta",
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Make random's moves repeatable.")
    ] = 0,
) -> int:
    """Answer what `ataxxd mark` asks, as the reference.

    Each line of input is a question, boardEval STATE or chooseMove DEPTH STATE, and is answered
    with one line of output. Blank lines are ignored.
    """
    choosers = {
        "alphabeta": Reference().choose_move,
        "first": lambda position, _: FirstBot().choose(position),
        "random": lambda position, _: RandomBot().choose(
            position, seed=seed_for(seed, crc32(position.text.encode()))
        ),
    }
    if player not in choosers:
        raise UsageError(f"--player {player!r} is none of {', '.join(choosers)}.")
    for line in sys.stdin:
        if line.strip():
            tell(answer(line.strip(), choosers[player]))
    return ExitCode.OK
