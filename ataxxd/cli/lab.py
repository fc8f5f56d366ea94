"""Compute reversi values as the laboratory does."""

import json
import sys
from typing import Annotated
from zlib import crc32

import typer

from ataxxd.cli import options
from ataxxd.cli.say import tell
from ataxxd.engines.base import seed_for
from ataxxd.engines.laboratory.marking import Reference
from ataxxd.engines.laboratory.program import answer
from ataxxd.engines.simple import FirstBot, RandomBot
from ataxxd.errors import ExitCode, UsageError
from ataxxd.rules import Position, RulesError
from ataxxd.rules.reversi import board_eval, laboratory_text

State = Annotated[
    list[str],
    typer.Argument(
        metavar="STATE",
        help='As the laboratory writes it: "{........|...}" with White to move, "[...]" with '
        "Black; - reads it from standard input.",
        show_default=False,
    ),
]


def state_of(words: list[str]) -> Position:
    """The position that the words of a state describe.

    Raises:
        UsageError: they describe none.
    """
    text = typer.get_text_stream("stdin").read() if words == ["-"] else " ".join(words)
    try:
        return Position.from_text("reversi/standard", text)
    except RulesError as error:
        raise UsageError(str(error)) from None


def run_eval(state: State) -> int:
    """Print the boardEval of a state.

    This is the weight of White's squares minus that of Black's. It does not depend on whose
    turn it is, or on whether the game is over.
    """
    tell(str(board_eval(state_of(state))))
    return ExitCode.OK


def run_value(
    state: State,
    depth: Annotated[
        int, typer.Option("--depth", min=1, max=60, metavar="N", help="Look N plies ahead.")
    ] = 6,
    as_json: options.Json = False,
) -> int:
    """Print the minimax values of a state and its moves.

    White maximizes and Black minimizes. A skipped turn counts as a ply, and of equal moves the
    first in the list is chosen. The last line is the value alone.
    """
    position = state_of(state)
    judged = Reference().judge(position, depth)
    moves = [(position.format_move(each.move, "laboratory"), each.value) for each in judged.moves]
    choice = judged.choice and position.format_move(judged.choice, "laboratory")
    if as_json:
        tell(
            json.dumps(
                {
                    "state": laboratory_text(position),
                    "depth": depth,
                    "eval": board_eval(position),
                    "value": judged.value,
                    "move": choice,
                    "moves": [{"move": move, "value": value} for move, value in moves],
                }
            )
        )
        return ExitCode.OK
    for move, value in moves:
        tell(f"{move} {value}" + (" chosen" if move == choice else ""))
    tell(str(judged.value))
    return ExitCode.OK


def run_answer(
    player: Annotated[
        str,
        typer.Option("--player", metavar="WHO", help="Move as alphabeta, first or random."),
    ] = "alphabeta",
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Make random's moves repeatable.")
    ] = 0,
) -> int:
    """Answer the questions of `ataxxd mark`, as its reference.

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
