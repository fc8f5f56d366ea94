"""Compute reversi values as the laboratory does."""

import json
import sys
from zlib import crc32

import typer

from ataxxd.cli.commands.courses import LabAnswerOptions, LabEvalOptions, LabValueOptions
from ataxxd.cli.say import tell
from ataxxd.engines.base import seed_for
from ataxxd.engines.laboratory.marking import Reference
from ataxxd.engines.laboratory.program import answer
from ataxxd.engines.simple import FirstBot, RandomBot
from ataxxd.errors import ExitCode, UsageError
from ataxxd.rules import Position, RulesError
from ataxxd.rules.reversi import board_eval, laboratory_text


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


def run_eval(options: LabEvalOptions) -> int:
    """Print the boardEval of a state."""
    tell(str(board_eval(state_of(options.state))))
    return ExitCode.OK


def run_value(options: LabValueOptions) -> int:
    """Print the minimax values of a state and its moves."""
    position = state_of(options.state)
    judged = Reference().judge(position, options.depth)
    moves = [(position.format_move(each.move, "laboratory"), each.value) for each in judged.moves]
    choice = judged.choice and position.format_move(judged.choice, "laboratory")
    if options.as_json:
        tell(
            json.dumps(
                {
                    "state": laboratory_text(position),
                    "depth": options.depth,
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


def run_answer(options: LabAnswerOptions) -> int:
    """Answer the questions of `ataxxd mark`, as its reference."""
    choosers = {
        "alphabeta": Reference().choose_move,
        "first": lambda position, _: FirstBot().choose(position),
        "random": lambda position, _: RandomBot().choose(
            position, seed=seed_for(options.seed, crc32(position.text.encode()))
        ),
    }
    if options.player not in choosers:
        raise UsageError(f"--player {options.player!r} is none of {', '.join(choosers)}.")
    for line in sys.stdin:
        if line.strip():
            tell(answer(line.strip(), choosers[options.player]))
    return ExitCode.OK
