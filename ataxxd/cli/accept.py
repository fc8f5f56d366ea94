"""``ataxxd accept``: run acceptance scripts."""

import os
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli.say import say
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode, StorageError, UsageError
from ataxxd_clients.accept import judging
from ataxxd_clients.accept.judging import Options, Test, Verdict, collect, judge
from ataxxd_clients.accept.judging import pair as as_pair
from ataxxd_clients.accept.script import split_command


def run(
    scripts: Annotated[
        list[Path],
        typer.Argument(
            metavar="SCRIPT...",
            help="Scripts, or folders of them. T-1.in and T-2.in play each other.",
            show_default=False,
        ),
    ],
    show: Annotated[
        int, typer.Option("--show", min=0, metavar="N", help="Explain the first N failures.")
    ] = 0,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Keep T.out and T.err of each script T.in in this folder."),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", help="Show everything the programs read and print."),
    ] = False,
    pair: Annotated[
        bool, typer.Option("--pair", help="Let the two scripts play each other.")
    ] = False,
    program: Annotated[
        str | None,
        typer.Option(
            "--program",
            metavar="COMMAND",
            help="Test this program instead of the one the scripts name.",
        ),
    ] = None,
    opponent: Annotated[
        str | None,
        typer.Option(
            "--opponent", metavar="COMMAND", help="Run this as the second of two programs."
        ),
    ] = None,
) -> int:
    """Run the acceptance scripts of the course assignments.

    For Ataxx and Lines of Action. Each script T.in starts a program, sends it commands, waits
    for its moves, and compares its boards and results with T.std, if that exists. Exits with 0
    if all tests pass, and with 1 if one fails.
    """
    try:
        tests = [as_pair(scripts)] if pair else collect(scripts)
    except ValueError as error:
        raise UsageError(str(error)) from None
    commands: list[tuple[str, ...] | None] = []
    for option, text in (("--program", program), ("--opponent", opponent or program)):
        try:
            commands.append(None if text is None else split_command(text))
        except ValueError as error:
            raise UsageError(f"{option} {text!r} is no command: {error}.") from None
    options = Options(
        commands=(commands[0], commands[1]),
        # The program that is tested is the one that tests, wherever it is installed.
        aliases={"ataxxd": (sys.executable, "-m", "ataxxd")},
        log=say if verbose else None,
    )
    return run_until_stopped(_judge_all(tests, options, show=show, keep=keep))


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
