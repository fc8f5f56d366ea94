"""``ataxxd accept``: run acceptance scripts."""

import os
import sys
import time
from pathlib import Path

from ataxxd.cli.commands.courses import AcceptOptions
from ataxxd.cli.say import say
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode, StorageError, UsageError
from ataxxd_clients.accept import judging
from ataxxd_clients.accept.judging import Options, Test, Verdict, collect, judge
from ataxxd_clients.accept.judging import pair as as_pair
from ataxxd_clients.accept.script import split_command


def run(options: AcceptOptions) -> int:
    """Run the acceptance scripts of the course assignments."""
    try:
        tests = [as_pair(options.scripts)] if options.pair else collect(options.scripts)
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
        # The program that is tested is the one that tests, wherever it is installed.
        aliases={"ataxxd": (sys.executable, "-m", "ataxxd")},
        log=say if options.verbose else None,
    )
    return run_until_stopped(_judge_all(tests, judging, show=options.show, keep=options.keep))


async def _judge_all(tests: list[Test], options: Options, *, show: int, keep: bool) -> ExitCode:
    began = time.monotonic()
    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    width = max(len(test.name) for test in tests)
    verdicts: list[Verdict] = []
    for test in tests:
        verdict = await judge(test, options)
        verdicts.append(verdict)
        print(judging.verdict_line(verdict, width=width, color=color), flush=True)
        if keep:
            _keep(verdict)
    failed = [verdict for verdict in verdicts if verdict.failure is not None]
    for verdict in failed[:show]:
        print("", *judging.details(verdict), sep="\n")
    print("", judging.summary(verdicts, time.monotonic() - began), sep="\n")
    if failed and not show:
        say("Details: ataxxd accept --show=1")
    return ExitCode.FAILURE if failed else ExitCode.OK


def _keep(verdict: Verdict) -> None:
    try:
        files = judging.keep(verdict, Path())
    except OSError as error:
        raise StorageError(f"{error.filename} cannot be written: {error.strerror}.") from None
    if files:
        say(f"Kept {', '.join(map(str, files))}.")
