"""``ataxxd`` alone on a terminal: a few questions, and then the command that the answers give.

Only what the first question needs is imported before it is asked.
"""

import shlex
import sys
from collections.abc import Callable
from functools import partial

from ataxxd.cli.options import obstacle_to_tui
from ataxxd.cli.output import print_message, print_result
from ataxxd.errors import ExitCode
from ataxxd.node.home_location import has_unfinished_games, home_folder
from ataxxd_clients.guide import Answers, Choice, Guide, Plan, Question, run_plain
from ataxxd_clients.text.console import Terminal


def activity_question() -> Question:
    """The first question: what to do."""
    choices = [
        Choice("play", "play here, against the computer"),
        Choice("host", "host a game for a friend"),
        Choice("join", "join a friend's game"),
        Choice("watch", "watch a game"),
    ]
    if has_unfinished_games(home_folder()):
        choices.append(Choice("resume", "continue an unfinished game"))
    choices += [Choice("study", "study a game"), Choice("quit", "leave")]
    return Question("what", "What would you like to do?", tuple(choices))


def make_guide(*, tui: bool, on_notice: Callable[[str], object]) -> Guide:
    """Begin the questions that lead to a command line.

    Args:
        tui: whether the commands use the full-screen board.
        on_notice: called with a sentence when a person has to wait.
    """

    async def ask(answers: Answers) -> Question | Plan:
        if not answers:
            return activity_question()
        from ataxxd.cli.guided_questions import Guidance

        return await Guidance(tui=tui, on_notice=on_notice)(answers)

    return Guide(ask)


def ask_for_command_line() -> list[str]:
    """Ask a person at the terminal what to do.

    Returns:
        The words of the command line to run, which has been shown to the person.

    Raises:
        SystemExit: the person has left.
    """
    plan = _on_the_screen() if obstacle_to_tui() is None else _in_text()
    if not plan.words:
        sys.exit(ExitCode.OK)
    words = list(plan.words)
    print_message(f"Next time: {shlex.join(['ataxxd', *words])}")
    return words


def _in_text() -> Plan:
    asking = make_guide(tui=False, on_notice=print_result)
    terminal = Terminal.of(sys.stdout)
    if not terminal.cursor:
        return run_plain(asking, input, print_result, terminal.width - 1)
    from ataxxd_clients.text.editing import typed_line

    read = partial(typed_line, sys.stdin, sys.stdout)
    return run_plain(asking, read, print_result, terminal.width - 1)


def _on_the_screen() -> Plan:
    from ataxxd.cli.signals import run_until_stopped
    from ataxxd_clients.tui.clean_app import run_window
    from ataxxd_clients.tui.guide import GuideWindow

    window = GuideWindow(lambda telling: make_guide(tui=True, on_notice=telling))
    code = run_until_stopped(run_window(window))
    if code != ExitCode.OK:
        sys.exit(code)
    return window.plan
