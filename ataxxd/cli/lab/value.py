"""``ataxxd lab value``: the minimax value of a state and of its moves."""

import json
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.lab.states import State, state_of
from ataxxd.cli.say import tell
from ataxxd.engines.laboratory.marking import Reference
from ataxxd.errors import ExitCode
from ataxxd.rules.reversi import board_eval, laboratory_text


def run(
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
