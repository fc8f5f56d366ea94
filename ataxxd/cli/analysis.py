"""``ataxxd study`` and ``ataxxd analyse``: the engine's opinion of a game or a position."""

import os
import re
import sys
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from ataxxd.cli.commands.records import AnalyseOptions, StudyOptions
from ataxxd.cli.connect import choose_broker
from ataxxd.cli.files import FROM, LocalGameFiles, choose_format, read_game
from ataxxd.cli.game_options import choose_game, start_position
from ataxxd.cli.options import check_ascii, check_one_view, check_tui, obstacle_to_tui
from ataxxd.cli.output import print_json, print_message, print_result
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode, UsageError
from ataxxd.node.home import Home, load_identity
from ataxxd.node.messaging.calls import ask_group
from ataxxd.node.messaging.messenger import messenger_at
from ataxxd.node.names import known_names
from ataxxd.rules import Position, Side
from ataxxd.rules.notation import format_of_file
from ataxxd_clients.analysis import Adviser, Effort, Verdict, explain_best_move, verdict_text
from ataxxd_clients.labels import move_name
from ataxxd_clients.text.commands import CommandError
from ataxxd_clients.text.language import side_names


def run_study(options: StudyOptions) -> int:
    """Step through a game with the engine's opinion of each move."""
    check = check_one_view if str(options.source) == "-" else check_tui
    check(tui=options.tui, display=options.display)
    check_ascii(ascii_only=options.ascii_only, display=options.display)
    studied = choose_game(options.source, options.of, options.init)
    if not options.display:
        if str(options.source) == "-":
            _take_back_the_keyboard()
        if (obstacle := obstacle_to_tui("study")) is not None:
            raise UsageError(f"{obstacle} Or study in the browser: add --display.")
    files = LocalGameFiles(options.of.ruleset)
    try:
        if options.display:
            from ataxxd_clients.web.server import show_study  # takes its time to load

            return run_until_stopped(show_study(studied, files, print_line=print_message))
        from ataxxd_clients.tui.study import run_study as study_in_terminal

        return run_until_stopped(study_in_terminal(studied, files, ascii_only=options.ascii_only))
    except CommandError as error:
        raise UsageError(str(error)) from None


def _take_back_the_keyboard() -> None:
    """Connect standard input, from which the game was read, to the terminal."""
    if not sys.stdin.isatty():
        with suppress(OSError):
            terminal = os.open("/dev/tty", os.O_RDWR)
            os.dup2(terminal, sys.stdin.fileno())
            os.close(terminal)


def run_analyse(options: AnalyseOptions) -> Coroutine[Any, Any, int]:
    """Show what the engine thinks of a position."""
    position = _position(options)
    if position.outcome is not None:
        raise UsageError(f"In {position.text!r} the game is over ({position.outcome.termination}).")
    return _analyse(position, options)


def _position(options: AnalyseOptions) -> Position:
    what, ruleset = options.what, options.ruleset
    path = Path(what)
    named = path.suffix == ".json" or format_of_file(path.name) is not None
    # The name of an existing file, or one with the suffix of a game, is not a position.
    if what == "-" or path.is_file() or named:
        return read_game(path, choose_format(path, None, FROM), ruleset, options.number).position
    if options.number is not None:
        raise UsageError(f"--number chooses a game of a file, and {what} is not a file.")
    try:
        return start_position(options.game, ruleset, what, None)
    except UsageError as error:
        # Positions have blanks or colons; file names rarely do.
        if re.search(r"[\s:]", what):
            raise
        raise UsageError(f"{what} is neither a file nor a position: {error}") from None


async def _analyse(position: Position, options: AnalyseOptions) -> ExitCode:
    if options.over is None:
        # Nodes alone decide, so that the answer is the same on every machine.
        effort = Effort(options.nodes, 24 * 3_600_000)
        _show(position, await Adviser().evaluate(position, effort), None, options)
        return ExitCode.OK

    key = load_identity(Home(options.home).identity)
    async with (
        choose_broker(options.broker, home=options.home) as broker,
        messenger_at(broker.url, key) as messenger,
    ):
        if not options.as_json:
            print_message(
                f'Asking the group "{options.over}" for up to {options.wait:g} s; Ctrl-C gives up.'
            )
        answer = await ask_group(
            messenger, options.over, position, options.nodes, seconds=options.wait
        )
    sign = 1 if position.turn is Side.FIRST else -1
    line, after = [], position
    for text in answer.line:
        line.append(after.parse_move(text))
        after = after.play(line[-1])
    mate_in = None if answer.mate_in is None else sign * answer.mate_in
    found = Verdict(sign * answer.score, mate_in, None, tuple(line), answer.depth, answer.nodes)
    _show(position, found, answer.author, options)
    return ExitCode.OK


def _show(position: Position, verdict: Verdict, node: str | None, options: AnalyseOptions) -> None:
    moves = [move.text for move in verdict.line]
    because = explain_best_move(verdict, position)
    if options.as_json:
        row: dict[str, object] = {
            "ruleset": position.ruleset,
            "position": position.text,
            "score": verdict.score,
            "line": moves,
            "depth": verdict.depth,
            "nodes": verdict.nodes,
        }
        row |= {} if verdict.mate_in is None else {"mate_in": verdict.mate_in}
        row |= {} if because is None else {"reason": because}
        print_json(row | ({} if node is None else {"node": node}))
        return
    if node is not None:
        with known_names(options.home) as names:
            print_message(f"Answered by {names.display_name(node, full_id=True)}.")
    first, second = side_names(position.ruleset)
    print_result(f"{verdict_text(verdict, (first, second))}: {' '.join(moves)}")
    if because is not None:
        print_message(f"{move_name(verdict.line[0])} {because}.")
    print_message(f"Depth {verdict.depth}, {verdict.nodes:,} positions.")
