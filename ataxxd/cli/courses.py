"""``ataxxd accept``, ``lab`` and ``mark``: the scripts and the laboratory of courses."""

import os
import secrets
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from zlib import crc32

import typer

from ataxxd.cli.commands.courses import (
    DEEPEST,
    AcceptOptions,
    LabAnswerOptions,
    LabEvalOptions,
    LabValueOptions,
    MarkOptions,
)
from ataxxd.cli.output import print_json, print_message, print_result
from ataxxd.cli.signals import sigterm_interrupts
from ataxxd.engines.base import FirstBot, RandomBot, seed_for
from ataxxd.engines.laboratory import (
    RULESET,
    Examiner,
    Mark,
    PlayedTrial,
    Program,
    ReferencePlayer,
    Turn,
    answer,
    calculate_marks,
    make_trials,
    schemes_for_slow_programs,
)
from ataxxd.errors import ExitCode, StorageError, UsageError
from ataxxd.rules import Position, RulesError
from ataxxd.rules.reversi import board_eval, laboratory_text
from ataxxd.wording import format_count
from ataxxd_clients import accept
from ataxxd_clients.accept import Options, Test, Verdict, collect, run_test
from ataxxd_clients.accept import pair as as_pair
from ataxxd_clients.accept.script import split_command
from ataxxd_clients.text.language import side_names


async def run_accept(options: AcceptOptions) -> ExitCode:
    """Run the acceptance scripts of the course assignments."""
    try:
        tests = [as_pair(options.scripts)] if options.pair else collect(options.scripts)
    except FileNotFoundError as error:
        raise StorageError(str(error)) from None
    except ValueError as error:
        raise UsageError(str(error)) from None
    commands: list[tuple[str, ...] | None] = []
    for option, text in (
        ("--program", options.program),
        ("--opponent", options.opponent or options.program),
    ):
        try:
            commands.append(None if text is None else split_command(text))
        except ValueError as error:
            raise UsageError(f"{option} {text!r} is not a command: {error}.") from None
    judging = Options(
        commands=(commands[0], commands[1]),
        # Test this very installation, wherever it is.
        aliases={"ataxxd": (sys.executable, "-m", "ataxxd")},
        log=print_message if options.verbose else None,
    )
    return await _judge_all(tests, judging, show=options.show, keep=options.keep)


async def _judge_all(tests: list[Test], options: Options, *, show: int, keep: bool) -> ExitCode:
    began = time.monotonic()
    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    width = max(len(test.name) for test in tests)
    verdicts: list[Verdict] = []
    for test in tests:
        verdict = await run_test(test, options)
        verdicts.append(verdict)
        print(accept.verdict_line(verdict, width=width, color=color), flush=True)
        if keep:
            _keep(verdict)
    failed = [verdict for verdict in verdicts if verdict.failure is not None]
    for verdict in failed[:show]:
        print("", *accept.details(verdict), sep="\n")
    print("", accept.summary(verdicts, time.monotonic() - began), sep="\n")
    if failed and not show:
        print_message("Details: ataxxd accept --show=1")
    return ExitCode.FAILURE if failed else ExitCode.OK


def _keep(verdict: Verdict) -> None:
    try:
        files = accept.write_outputs(verdict, Path())
    except OSError as error:
        raise StorageError(f"{error.filename} cannot be written: {error.strerror}.") from None
    if files:
        print_message(f"Kept {', '.join(map(str, files))}.")


def read_state(words: list[str]) -> Position:
    """The position that a state describes, given as words.

    Raises:
        UsageError: they do not describe a position.
    """
    text = typer.get_text_stream("stdin").read() if words == ["-"] else " ".join(words)
    try:
        return Position.from_text("reversi/standard", text)
    except RulesError as error:
        raise UsageError(str(error)) from None


def run_eval(options: LabEvalOptions) -> int:
    """Print the boardEval of a state."""
    print_result(str(board_eval(read_state(options.state))))
    return ExitCode.OK


def run_value(options: LabValueOptions) -> int:
    """Print the minimax values of a state and its moves."""
    position = read_state(options.state)
    judged = ReferencePlayer().judge(position, options.depth)
    moves = [(position.format_move(each.move, "laboratory"), each.value) for each in judged.moves]
    choice = judged.choice and position.format_move(judged.choice, "laboratory")
    if options.as_json:
        print_json(
            {
                "state": laboratory_text(position),
                "depth": options.depth,
                "eval": board_eval(position),
                "value": judged.value,
                "move": choice,
                "moves": [{"move": move, "value": value} for move, value in moves],
            }
        )
        return ExitCode.OK
    for move, value in moves:
        print_result(f"{move} {value}" + (" chosen" if move == choice else ""))
    print_result(str(judged.value))
    return ExitCode.OK


def run_answer(options: LabAnswerOptions) -> int:
    """Answer the questions of `ataxxd mark`, as its reference."""
    choosers = {
        "alphabeta": ReferencePlayer().choose_move,
        "first": lambda position, _: FirstBot().choose(position),
        "random": lambda position, _: RandomBot().choose(
            position, seed=seed_for(options.seed, crc32(position.text.encode()))
        ),
    }
    if options.player not in choosers:
        raise UsageError(f"--player {options.player!r} is none of {', '.join(choosers)}.")
    for line in sys.stdin:
        if line.strip():
            print_result(answer(line.strip(), choosers[options.player]))
    return ExitCode.OK


HEADING = "game  depth  side   opponent      score        moves  right  values  fast"


def game_line(game: PlayedTrial, handicap: float) -> str:
    """A game as a row of the table with the heading `HEADING`."""
    trial, turns = game.trial, game.turns
    before, after = game.scores
    counts = _counts(game, handicap)
    score = f"{before:+} to {after:+}"
    completed = f"{counts['completed']}/{len(turns)}"
    won = "won" if game.is_won else "not won"
    return (
        f"{trial.number:4}  {trial.scheme.depth:5}  {_side_name(game):5}  "
        f"{trial.scheme.opponent_name:12}  {score:11}  "
        f"{completed:5}  {counts['right_moves']:5}  "
        f"{counts['right_values']:6}  {counts['fast']:4}  {won}"
    )


def _counts(game: PlayedTrial, handicap: float) -> dict[str, int]:
    turns = game.turns
    return {
        "completed": sum(turn.move is not None for turn in turns),
        "right_moves": sum(turn.is_right for turn in turns),
        "right_values": sum(turn.has_right_value for turn in turns),
        "fast": sum(turn.is_fast(handicap) for turn in turns),
    }


def _side_name(game: PlayedTrial) -> str:
    return side_names(game.trial.start.ruleset)[game.trial.side]


def fault_lines(game: PlayedTrial) -> list[str]:
    """What went wrong in a game, a line for each fault."""
    lines = []
    for turn in game.turns:
        where = f"game {game.trial.number}, move {turn.ply}:"
        if turn.value_error:
            lines.append(f"{where} boardEval: it {turn.value_error}")
        elif not turn.has_right_value:
            lines.append(
                f"{where} boardEval: {turn.value}; right is {turn.reference_value}: "
                f'ataxxd lab eval "{_state(turn)}"'
            )
        if turn.move_error:
            lines.append(f"{where} chooseMove: it {turn.move_error}")
        elif turn.minimax_values is not None:
            worth, best = turn.minimax_values
            moves = _move(turn, right=False), _move(turn, right=True)
            lines.append(
                f"{where} chooseMove: {moves[0]}, worth {worth}; right is {moves[1]}, "
                + ("as good, and first in the list: " if worth == best else f"worth {best}: ")
                + f'ataxxd lab value "{_state(turn)}" --depth {game.trial.scheme.depth}'
            )
    return lines


def _state(turn: Turn) -> str:
    return laboratory_text(turn.position)


def _move(turn: Turn, *, right: bool) -> str | None:
    move = turn.reference_move if right else turn.move
    return None if move is None else turn.position.format_move(move, "laboratory")


def mark_lines(marks: Sequence[Mark]) -> Iterator[str]:
    """The table of the marks, with their sum, line by line."""
    for mark in marks:
        share = 100 * mark.count / mark.of if mark.of else 0
        yield (
            f"{mark.marks:4} of {mark.most}   {mark.what:27} {mark.count} of {mark.of} "
            f"({share:.0f} %)"
        )
    yield f"{sum_marks(marks):4} of {sum(mark.most for mark in marks)}"


def sum_marks(marks: Sequence[Mark]) -> int:
    """The sum of the marks."""
    return sum(mark.marks for mark in marks)


def game_row(game: PlayedTrial, handicap: float) -> dict[str, object]:
    """A game as an object for `--json`."""
    trial = game.trial
    before, after = game.scores
    return {
        "game": trial.number,
        "depth": trial.scheme.depth,
        "side": _side_name(game).lower(),
        "opponent": trial.scheme.opponent_name,
        "score_before": before,
        "score_after": after,
        "won": game.is_won,
        **_counts(game, handicap),
        "turns": [
            {
                "ply": turn.ply,
                "state": _state(turn),
                "move": _move(turn, right=False),
                "right_move": _move(turn, right=True),
                "move_fault": turn.move_error or None,
                "seconds": round(turn.seconds, 3),
                "reference_seconds": round(turn.reference_s * handicap, 3),
                "value": turn.value,
                "right_value": turn.reference_value,
                "value_fault": turn.value_error or None,
            }
            for turn in game.turns
        ],
    }


def marks_row(name: str, seed: int, depth: int, marks: Sequence[Mark]) -> dict[str, object]:
    """The marks as an object for `--json`, which follows the games."""
    return {
        "program": name,
        "seed": seed,
        "depth": depth,
        "marks": sum_marks(marks),
        "of": sum(mark.most for mark in marks),
        "for": [
            {
                "what": mark.what,
                "marks": mark.marks,
                "of": mark.most,
                "count": mark.count,
                "turns_or_games": mark.of,
            }
            for mark in marks
        ],
    }


def run_mark(options: MarkOptions) -> int:
    """Mark a student's reversi program as its laboratory does."""
    seed = options.seed
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    shown = hidden = 0
    games: list[PlayedTrial] = []
    with ExitStack() as stack:
        program = stack.enter_context(closing(Program(options.command)))
        stack.enter_context(sigterm_interrupts())
        try:
            print_message(f"Marking {program.name}, seed {seed}.")
            program.check(Position.start(RULESET), options.move_limit)
            examiner = Examiner(program, options.move_limit, options.game_limit)
            for trial in make_trials(seed, schemes_for_slow_programs(options.depth)):
                games.append(examiner.play(trial))
                if options.as_json:
                    print_json(game_row(games[-1], options.handicap))
                    continue
                if len(games) == 1:
                    print_result(HEADING)
                print_result(game_line(games[-1], options.handicap))
                faults = fault_lines(games[-1])
                told = faults[: max(0, options.show - shown)]
                shown, hidden = shown + len(told), hidden + len(faults) - len(told)
                for line in told:
                    print_result(f"      {line}")
        except KeyboardInterrupt:
            print_message(f"Stopped after {format_count(len(games), 'game')}; no marks are given.")
            return ExitCode.INTERRUPTED
    marks = calculate_marks(games, options.handicap)
    if options.as_json:
        print_json(marks_row(program.name, seed, options.depth, marks))
    else:
        print_result("\n".join(["", *mark_lines(marks)]))
        if hidden:
            print_message(
                f"{hidden} more faults; all of them: --seed {seed} --show {shown + hidden}"
            )
        if options.depth < DEEPEST:
            print_message(
                f"With --depth {options.depth}; the laboratory's marks are for depths of 4 and 8."
            )
    return ExitCode.OK if sum_marks(marks) >= options.least else ExitCode.FAILURE
