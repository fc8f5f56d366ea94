"""``ataxxd`` alone on a terminal: a few questions, and then the command that the answers give.

Only what the first question needs is imported before it is asked.
"""

import shlex
import sys
from collections.abc import Callable
from functools import partial

from ataxxd.cli.options import obstacle_to_tui
from ataxxd.cli.say import say, tell
from ataxxd.errors import ExitCode
from ataxxd.node.home_folder import has_unfinished_games, home_folder
from ataxxd_clients.guide import Answers, Choice, Guide, Plan, Question, run_plain
from ataxxd_clients.text.console import Terminal


def what_to_do() -> Question:
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


def guide(*, tui: bool, telling: Callable[[str], object]) -> Guide:
    """Begin the questions that lead to a command line.

    Args:
        tui: whether the commands use the full-screen board.
        telling: called with a sentence when a person has to wait.
    """

    async def ask(answers: Answers) -> Question | Plan:
        if not answers:
            return what_to_do()
        from ataxxd.cli.guidance import Guidance

        return await Guidance(tui=tui, telling=telling)(answers)

    return Guide(ask)


def guided() -> list[str]:
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
    say(f"Next time: {shlex.join(['ataxxd', *words])}")
    return words


def _in_text() -> Plan:
    asking = guide(tui=False, telling=tell)
    terminal = Terminal.of(sys.stdout)
    if not terminal.cursor:
        return run_plain(asking, input, tell, terminal.width - 1)
    from ataxxd_clients.text.editing import typed_line

    read = partial(typed_line, sys.stdin, sys.stdout)
    return run_plain(asking, read, tell, terminal.width - 1)


def _on_the_screen() -> Plan:
    from ataxxd.cli.signals import run_until_stopped
    from ataxxd_clients.tui.clean_app import run_window
    from ataxxd_clients.tui.guide import GuideWindow

    window = GuideWindow(lambda telling: guide(tui=True, telling=telling))
    code = run_until_stopped(run_window(window))
    if code != ExitCode.OK:
        sys.exit(code)
    return window.plan
