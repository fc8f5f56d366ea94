"""Commands for courses: their options and help."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options

State = Annotated[
    list[str],
    typer.Argument(
        metavar="STATE",
        help='As the laboratory writes it: "{........|...}" with White to move, "[...]" with '
        "Black; - reads it from standard input.",
        show_default=False,
    ),
]

_USUAL_HANDICAP = 65.0

_ALL_MARKS = 20

DEEPEST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptOptions:
    """Run the acceptance scripts of the course assignments.

    For Ataxx and Lines of Action. Each script T.in starts a program, sends it commands, waits
    for its moves, and compares its boards and results with T.std, if that exists. Exits with 0
    if all tests pass, and with 1 if one fails.
    """

    scripts: Annotated[
        list[Path],
        typer.Argument(
            metavar="SCRIPT...",
            help="Scripts, or folders of them. T-1.in and T-2.in play each other.",
            show_default=False,
        ),
    ]
    show: Annotated[
        int, typer.Option("--show", min=0, metavar="N", help="Explain the first N failures.")
    ] = 0
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Keep T.out and T.err of each script T.in in this folder."),
    ] = False
    verbose: Annotated[
        bool,
        typer.Option("--verbose", help="Show everything the programs read and print."),
    ] = False
    pair: Annotated[bool, typer.Option("--pair", help="Let the two scripts play each other.")] = (
        False
    )
    program: Annotated[
        str | None,
        typer.Option(
            "--program",
            metavar="COMMAND",
            help="Test this program instead of the one the scripts name.",
        ),
    ] = None
    opponent: Annotated[
        str | None,
        typer.Option(
            "--opponent", metavar="COMMAND", help="Run this as the second of two programs."
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabEvalOptions:
    """Print the boardEval of a state.

    This is the weight of White's squares minus that of Black's. It does not depend on whose
    turn it is, or on whether the game is over.
    """

    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class LabValueOptions:
    """Print the minimax values of a state and its moves.

    White maximizes and Black minimizes. A skipped turn counts as a ply, and of equal moves the
    first in the list is chosen. The last line is the value alone.
    """

    state: State
    depth: Annotated[
        int, typer.Option("--depth", min=1, max=60, metavar="N", help="Look N plies ahead.")
    ] = 6
    as_json: options.Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LabAnswerOptions:
    """Answer the questions of `ataxxd mark`, as its reference.

    Each line of input is a question, boardEval STATE or chooseMove DEPTH STATE, and is answered
    with one line of output. Blank lines are ignored.
    """

    player: Annotated[
        str,
        typer.Option("--player", metavar="WHO", help="Move as alphabeta, first or random."),
    ] = "alphabeta"
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Make random's moves repeatable.")
    ] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkOptions:
    """Mark a student's reversi program as its laboratory does.

    The laboratory is that of COMP24011: twelve test games, twenty marks. In each state the
    program is asked for its boardEval and its move, which are compared with the reference.
    Exits with 0 if it gets all marks, or at least those of --pass, and with 1 otherwise.
    """

    command: Annotated[
        list[str],
        typer.Argument(
            metavar="COMMAND",
            help='The program, such as "python3 mine.py"; it answers questions on its input.',
            show_default=False,
        ),
    ]
    depth: Annotated[
        int,
        typer.Option(
            "--depth",
            min=1,
            max=DEEPEST,
            metavar="N",
            help="Limit the depth to N plies, for slow languages; the laboratory asks for 4 and 8.",
        ),
    ] = DEEPEST
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Repeat the test games of this seed."),
    ] = None
    handicap: Annotated[
        float,
        typer.Option(
            "--handicap",
            min=1.0,
            metavar="FACTOR",
            help="How many times slower the laboratory's program is than ours.",
        ),
    ] = _USUAL_HANDICAP
    move_limit: Annotated[
        float,
        typer.Option("--move-limit", min=0.1, metavar="SECONDS", help="Time limit for a move."),
    ] = 10.0
    game_limit: Annotated[
        float,
        typer.Option("--game-limit", min=1.0, metavar="SECONDS", help="Time limit for a game."),
    ] = 150.0
    show: Annotated[
        int, typer.Option("--show", min=0, metavar="N", help="Explain the first N faults.")
    ] = 10
    least: Annotated[
        int,
        typer.Option(
            "--pass",
            min=0,
            max=_ALL_MARKS,
            metavar="MARKS",
            help="Exit with 0 for this many marks or more.",
        ),
    ] = _ALL_MARKS
    as_json: options.Json = False
