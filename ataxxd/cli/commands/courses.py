"""Commands for courses: their options and help."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from ataxxd.cli import options
from ataxxd.cli.options import argument, describe, flag, option

State = Annotated[
    list[str],
    describe(
        "STATE",
        'As the laboratory writes it: "{........|...}" with White to move, "[...]" with Black; '
        "- reads it from standard input.",
    ),
]

# The measured ratio to a plain alpha-beta in Java; see docs/how-to/mark-a-reversi-program.md.
_DEFAULT_HANDICAP = 65.0
_ALL_MARKS = 20
DEEPEST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptOptions:
    """Run the acceptance scripts of the course assignments.

    For Ataxx and Lines of Action. Each script T.in starts a program, sends it commands, waits
    for its moves, and compares its boards and results with T.std, if that exists. Exits with 0
    if all tests pass, and with 1 if one fails.
    """

    scripts: list[Path] = argument(
        "SCRIPT...", "Scripts, or folders of them. T-1.in and T-2.in play each other."
    )
    show: int = option("--show N", "Explain the first N failures.", default=0, min=0)
    keep: bool = flag("--keep", "Keep each script's T.out and T.err in the current folder.")
    verbose: bool = flag("--verbose", "Show everything the programs read and print.")
    pair: bool = flag("--pair", "Let the two scripts play each other.")
    program: str | None = option(
        "--program COMMAND", "Test this program instead of the one the scripts name."
    )
    opponent: str | None = option("--opponent COMMAND", "Run this as the second of two programs.")


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
    depth: int = option("--depth N", "Look N plies ahead.", default=6, min=1, max=60)
    as_json: options.Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LabAnswerOptions:
    """Answer the questions of `ataxxd mark`, as its reference.

    Each line of input is a question, boardEval STATE or chooseMove DEPTH STATE, and is answered
    with one line of output. Blank lines are ignored.
    """

    player: str = option("--player WHO", "Move as alphabeta, first or random.", default="alphabeta")
    seed: int = option("--seed N", "Make random's moves repeatable.", default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkOptions:
    """Mark a student's reversi program as its laboratory does.

    The laboratory is that of COMP24011: twelve test games, twenty marks. In each state the
    program is asked for its boardEval and its move, which are compared with the reference.
    Exits with 0 if it gets all marks, or at least those of --pass, and with 1 otherwise.
    """

    command: list[str] = argument(
        "COMMAND", 'The program, such as "python3 mine.py"; it answers questions on its input.'
    )
    depth: int = option(
        "--depth N",
        "Limit the depth to N plies, for slow languages; the laboratory asks for 4 and 8.",
        default=DEEPEST,
        min=1,
        max=DEEPEST,
    )
    seed: int | None = option("--seed N", "Repeat the test games of this seed.")
    handicap: float = option(
        "--handicap FACTOR",
        "How many times slower the laboratory's program is than ours.",
        default=_DEFAULT_HANDICAP,
        min=1.0,
    )
    move_limit: float = option(
        "--move-limit SECONDS", "Time limit for a move.", default=10.0, min=0.1
    )
    game_limit: float = option(
        "--game-limit SECONDS", "Time limit for a game.", default=150.0, min=1.0
    )
    show: int = option("--show N", "Explain the first N faults.", default=10, min=0)
    least: int = option(
        "--pass MARKS",
        "Exit with 0 for this many marks or more.",
        default=_ALL_MARKS,
        min=0,
        max=_ALL_MARKS,
    )
    as_json: options.Json = False
