"""``ataxxd mark``: mark a reversi program by the scheme of the COMP24011 laboratory."""

import json
import secrets
import signal
from contextlib import ExitStack, closing
from typing import Annotated

import typer

from ataxxd.cli import mark_view as view
from ataxxd.cli import options
from ataxxd.cli.say import say, tell
from ataxxd.engines.laboratory.marking import (
    RULESET,
    Examiner,
    Played,
    make_trials,
    marks_of,
    no_deeper_than,
)
from ataxxd.engines.laboratory.program import Program
from ataxxd.errors import ExitCode
from ataxxd.rules import Position
from ataxxd.wording import counted

_ALL_MARKS = 20
_DEEPEST = 8
# The measured ratio to a plain alpha-beta in Java; see docs/how-to/mark-a-reversi-program.md.
_USUAL_HANDICAP = 65.0


def run(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="COMMAND",
            help='The program, such as "python3 mine.py"; it answers questions on its input.',
            show_default=False,
        ),
    ],
    depth: Annotated[
        int,
        typer.Option(
            "--depth",
            min=1,
            max=_DEEPEST,
            metavar="N",
            help="Limit the depth to N plies, for slow languages; the laboratory asks for 4 and 8.",
        ),
    ] = _DEEPEST,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Repeat the test games of this seed."),
    ] = None,
    handicap: Annotated[
        float,
        typer.Option(
            "--handicap",
            min=1.0,
            metavar="FACTOR",
            help="How many times slower the laboratory's program is than ours.",
        ),
    ] = _USUAL_HANDICAP,
    move_limit: Annotated[
        float,
        typer.Option("--move-limit", min=0.1, metavar="SECONDS", help="Time limit for a move."),
    ] = 10.0,
    game_limit: Annotated[
        float,
        typer.Option("--game-limit", min=1.0, metavar="SECONDS", help="Time limit for a game."),
    ] = 150.0,
    show: Annotated[
        int, typer.Option("--show", min=0, metavar="N", help="Explain the first N faults.")
    ] = 10,
    least: Annotated[
        int,
        typer.Option(
            "--pass",
            min=0,
            max=_ALL_MARKS,
            metavar="MARKS",
            help="Exit with 0 from this many marks on.",
        ),
    ] = _ALL_MARKS,
    as_json: options.Json = False,
) -> int:
    """Mark a student's reversi program as its laboratory does.

    The laboratory is that of COMP24011: twelve test games, twenty marks. In each state the
    program is asked for its boardEval and its move, which are compared with the reference.
    Exits with 0 if it gets all marks, or at least those of --pass, and with 1 otherwise.
    """
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    shown = hidden = 0
    games: list[Played] = []
    with ExitStack() as stack:
        program = stack.enter_context(closing(Program(command)))
        stack.callback(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, _interrupt))
        try:
            say(f"Marking {program.name}, seed {seed}.")
            program.check(Position.start(RULESET), move_limit)
            examiner = Examiner(program, move_limit, game_limit)
            for trial in make_trials(seed, no_deeper_than(depth)):
                games.append(examiner.play(trial))
                if as_json:
                    tell(json.dumps(view.game_row(games[-1], handicap)))
                    continue
                if len(games) == 1:
                    tell(view.HEADING)
                tell(view.game_line(games[-1], handicap))
                faults = view.faults_of(games[-1])
                told = faults[: max(0, show - shown)]
                shown, hidden = shown + len(told), hidden + len(faults) - len(told)
                for line in told:
                    tell(f"      {line}")
        except KeyboardInterrupt:
            say(f"Stopped after {counted(len(games), 'game')}; no marks are given.")
            return ExitCode.INTERRUPTED
    marks = marks_of(games, handicap)
    if as_json:
        tell(json.dumps(view.marks_row(program.name, seed, depth, marks)))
    else:
        tell("\n".join(["", *view.mark_lines(marks)]))
        if hidden:
            say(f"{hidden} more faults; all of them: --seed {seed} --show {shown + hidden}")
        if depth < _DEEPEST:
            say(f"With --depth {depth}; the laboratory's marks are for depths of 4 and 8.")
    return ExitCode.OK if view.total_of(marks) >= least else ExitCode.FAILURE


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
