"""A whole test, from its files to its verdict. Leaves no process behind."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from ataxxd_clients.accept.collecting import Test
from ataxxd_clients.accept.comparison import Difference, compare
from ataxxd_clients.accept.inbox import Inbox
from ataxxd_clients.accept.playing import Limits, ScriptFailure, Side
from ataxxd_clients.accept.program import Program, ProgramFailure
from ataxxd_clients.accept.script import Script, ScriptError, read_script

LineLog: TypeAlias = Callable[[str], None]
"""Told every line that passes, such as ``[1]< a7-b6``."""


@dataclass(frozen=True, slots=True)
class Options:
    """How tests are run.

    Attributes:
        commands: commands that take the place of those in the scripts, the first program's
            and the second's; None keeps the script's own.
        aliases: words that stand for the beginning of a command, by the program's name.
        limits: the time limits where a script sets none.
        log: see `LineLog`; None for silence.
    """

    commands: tuple[Sequence[str] | None, Sequence[str] | None] = (None, None)
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    log: LineLog | None = None


@dataclass(frozen=True, slots=True)
class Printed:
    """What one program of a test has printed.

    Attributes:
        script: the file of its script.
        output: boards, and the results that the script shows.
        errors: its standard error.
    """

    script: Path
    output: tuple[str, ...]
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a test went.

    Attributes:
        test: which one.
        seconds: how long it took.
        printed: what its programs have printed, as far as they were started.
        failure: why it failed, in one line; None when it passed.
        difference: how the output differs from the ``.std`` file, when that is the failure.
    """

    test: Test
    seconds: float
    printed: tuple[Printed, ...]
    failure: str | None
    difference: Difference | None = None


async def judge(test: Test, options: Options | None = None) -> Verdict:
    """Run a test: start its programs, follow its scripts, compare what was printed.

    All faults, those of the scripts too, are failures of the test; nothing is raised.
    """
    began = asyncio.get_running_loop().time()
    printed: list[Printed] = []
    failure, difference = await _run(test, options or Options(), printed)
    seconds = asyncio.get_running_loop().time() - began
    return Verdict(test, seconds, tuple(printed), failure, difference)


async def _run(
    test: Test, options: Options, printed: list[Printed]
) -> tuple[str | None, Difference | None]:
    try:
        scripts = [read_script(path) for path in test.scripts]
        _require_partners(scripts)
        await _follow(scripts, options, printed)
        for each in printed:
            if difference := _difference(each):
                std = each.script.with_suffix(".std").name
                return f"{std}, line {difference.line}: {difference}", difference
    except (ScriptError, ScriptFailure) as error:
        return str(error), None
    return None, None


def _require_partners(scripts: Sequence[Script]) -> None:
    for script in scripts:
        if len(scripts) == 1 and script.remote_line is not None:
            msg = (
                f"{script.path}, line {script.remote_line}: #*remote needs a second program. "
                "Name the scripts T-1.in and T-2.in, or give --pair and both."
            )
            raise ScriptError(msg)


async def _follow(scripts: Sequence[Script], options: Options, printed: list[Printed]) -> None:
    programs: list[Program] = []
    boxes: list[tuple[Inbox, ...]] = [()]
    if len(scripts) == 2:
        one, two = Inbox.couple()
        boxes = [(one, two), (two, one)]
    try:
        async with AsyncExitStack() as stack:
            sides: list[Side] = []
            for number, script in enumerate(scripts, start=1):
                program = await _start(number, script, options)
                stack.push_async_callback(program.end)
                programs.append(program)
                sides.append(Side(script, program, options.limits, *boxes[number - 1]))
            await _together(sides)
    finally:
        for script, program in zip(scripts, programs, strict=False):
            printed.append(Printed(script.path, tuple(program.output), tuple(program.errors)))


async def _together(sides: Sequence[Side]) -> None:
    """Follow all scripts; the first failure ends the test."""
    failures: list[BaseException] = []
    try:
        async with asyncio.TaskGroup() as group:
            for number, side in enumerate(sides, start=1):
                group.create_task(side.follow(), name=f"script {number}")
    except* ScriptFailure as group_of_failures:
        failures.extend(group_of_failures.exceptions)
    if failures:
        raise failures[0]


async def _start(number: int, script: Script, options: Options) -> Program:
    command = options.commands[number - 1] or script.command
    command = (*options.aliases.get(command[0], command[:1]), *command[1:])
    say = options.log

    def log(sign: str, line: str) -> None:
        if say is not None:
            say(f"[{number}]{sign} {line}")

    try:
        return await Program.start(command, log)
    except ProgramFailure as error:
        raise ScriptFailure(f"{script.path.name}: {error}") from None


def _difference(printed: Printed) -> Difference | None:
    path = printed.script.with_suffix(".std")
    try:
        standard = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ScriptError(f"{path} cannot be read: {error}.") from None
    return compare(printed.output, standard)
