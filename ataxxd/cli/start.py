"""``ataxxd`` alone on a terminal: a few questions, and then the command that they come to."""

import shlex
import sys
from functools import partial

from ataxxd.cli.guidance import Guidance
from ataxxd.cli.say import say, tell
from ataxxd.cli.screen import check_tui
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode, UsageError
from ataxxd_clients.guide import Guide, Plan, run_plain
from ataxxd_clients.text.console import Terminal
from ataxxd_clients.text.editing import typed_line


def guided() -> list[str]:
    """Ask what to do.

    Returns:
        The words of the command line to run now, which the person is told.

    Raises:
        SystemExit: the person leaves.
    """
    try:
        check_tui(tui=True)
        tui = True
    except UsageError:
        tui = False
    plan = _on_the_screen() if tui else _in_text()
    if not plan.words:
        sys.exit(ExitCode.OK)
    words = list(plan.words)
    say(f"Next time: {shlex.join(['ataxxd', *words])}")
    return words


def _in_text() -> Plan:
    guide = Guide(Guidance(tui=False, telling=tell))
    terminal = Terminal.of(sys.stdout)
    if not terminal.cursor:
        return run_plain(guide, input, tell, terminal.width - 1)

    return run_plain(guide, partial(typed_line, sys.stdin, sys.stdout), tell, terminal.width - 1)


def _on_the_screen() -> Plan:
    from ataxxd_clients.tui.guide import GuideWindow  # noqa: PLC0415 - slow to load
    from ataxxd_clients.tui.run import run_window  # noqa: PLC0415 - slow to load

    window = GuideWindow(lambda telling: Guide(Guidance(tui=True, telling=telling)))
    code = run_until_stopped(run_window(window))
    if code != ExitCode.OK:
        sys.exit(code)
    return window.plan
