"""Acceptance scripts: run a program of a line language by a script and judge what it printed.

    script       the text of a script, read into steps
    program      one program under test: a process, its pipes, its moves and results

The scripts are those of the course harnesses for Ataxx and Lines of Action, which
docs/how-to/write-acceptance-scripts.md describes. This package knows no rules and no
node: any program that speaks through pipes can be tested, ours or another.

This module runs a whole test: it finds its files, follows the scripts with their programs, compares
the output with the ``.std`` file, and gives the verdict. As in the course's tester, comments,
blanks at the end of a line and blank lines do not count in a comparison. No process is left behind.

In the two-program form each side has an inbox: every message that one side waits for goes to the
other's inbox, moves and results alike. A side that plays the other takes from its inbox and from
its program by turns, and a game is over when both programs have said the result.

Nobody waits for ever. A wait for a side's own program has a time limit, and a wait for the other
side fails if that side's script has ended, or if both sides wait for each other.
"""

import asyncio
import difflib
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from ataxxd.sanitize import sanitized
from ataxxd_clients.accept.program import (
    Message,
    NoMessageError,
    Program,
    ProgramFailure,
    is_message,
    with_single_blanks,
)
from ataxxd_clients.accept.script import (
    AwaitGame,
    AwaitMove,
    AwaitResult,
    PlayRemote,
    Script,
    ScriptError,
    Send,
    SetTime,
    Step,
    read_script,
)


class NoMoreMessagesError(Exception):
    """Waiting for the other side would never end; the message says why."""


class Inbox:
    """The messages that one side receives from the other; `make_pair` makes both inboxes."""

    def __init__(self) -> None:
        self._messages: deque[Message] = deque()
        self._changed = asyncio.Event()
        self._closed = False
        # The other direction: its reader is the side that has to write here.
        self._reverse: Inbox = self
        self.waiting = False

    @classmethod
    def make_pair(cls) -> tuple["Inbox", "Inbox"]:
        """Make two inboxes, one for each direction."""
        one, two = cls(), cls()
        one._reverse, two._reverse = two, one
        return one, two

    @property
    def is_starving(self) -> bool:
        """Whether somebody is waiting for a message and there is none."""
        return self.waiting and not self._messages

    def put(self, message: Message) -> None:
        """Deliver a message."""
        self._messages.append(message)
        self._changed.set()

    def close(self) -> None:
        """Say that nothing more will be delivered."""
        self._closed = True
        self._changed.set()

    async def get(self) -> Message:
        """Wait for the next message and take it.

        Raises:
            NoMoreMessagesError: the other side has ended, or is waiting for this one.
        """
        self.waiting = True
        try:
            while not self._messages:
                if self._closed:
                    raise NoMoreMessagesError(
                        "waited for the other program, whose script has come to its end"
                    )
                if self._reverse.is_starving:
                    raise NoMoreMessagesError(
                        "each program waits for the other to move; one of the scripts needs "
                        "#*move before #*remote move/win"
                    )
                self._changed.clear()
                await self._changed.wait()
        finally:
            self.waiting = False
        return self._messages.popleft()


class ScriptFailure(Exception):
    """A test that has failed; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds allowed; a script may set the first two.

    Attributes:
        move_s: for a move.
        game_s: for one side's moves of a game.
        result_s: for a result that the script waits for, and for the end of a program
            after the end of its input.
    """

    move_s: float = 10.0
    game_s: float = 60.0
    result_s: float = 5.0


class _Budget:
    """What is left of the time for a game."""

    def __init__(self, seconds: float) -> None:
        self._left_s = seconds
        self._loop = asyncio.get_running_loop()
        self._began = 0.0

    def __enter__(self) -> float:
        if self._left_s <= 0:
            raise ProgramFailure("the time for the game is used up")
        self._began = self._loop.time()
        return self._left_s

    def __exit__(self, *_: object) -> None:
        self._left_s -= self._loop.time() - self._began


class Side:
    """A script and its program.

    Args:
        script: the script.
        program: a program that has been started.
        limits: the time limits at the start.
        inbox: messages from the other side; None without one.
        outbox: messages to the other side.
    """

    def __init__(
        self,
        script: Script,
        program: Program,
        limits: Limits,
        inbox: Inbox | None = None,
        outbox: Inbox | None = None,
    ) -> None:
        self._script = script
        self._program = program
        self._limits = limits
        self._move_s, self._game_s = limits.move_s, limits.game_s
        self._inbox = inbox
        self._outbox = outbox

    async def follow(self) -> None:
        """Follow the script to its end and wait for the end of the program.

        Raises:
            ScriptFailure: at the first thing that goes wrong.
        """
        path = self._script.path.name
        where = path
        try:
            for step in self._script.steps:
                where = f"{path}, line {step.line}"
                await self._run_step(step)
                self._program.check()
            where = f"{path}, at the end"
            await self._program.finish(limit_s=self._limits.result_s)
        except ProgramFailure as error:
            raise ScriptFailure(f"{where}: {error}") from None
        finally:
            if self._outbox:
                self._outbox.close()

    async def _run_step(self, step: Step) -> None:
        match step.action:
            case Send(text):
                await self._program.send(text, limit_s=self._move_s)
            case SetTime(move_s, game_s):
                self._move_s, self._game_s = move_s, game_s
            case AwaitMove():
                message = await self._own_message("a move", self._move_s)
                if message.move is None:
                    raise ProgramFailure(f'waited for a move, and the result "{message.text}" came')
            case AwaitResult():
                limit_s = min(self._move_s, self._limits.result_s)
                message = await self._own_message("the result", limit_s, shown=True)
                if message.move is not None:
                    raise ProgramFailure(f'waited for the result, and "{message.text}" came')
            case AwaitGame(shown):
                await self._play_alone(shown=shown)
            case PlayRemote(shown):
                await self._play_remote(shown=shown)

    async def _play_alone(self, *, shown: bool) -> None:
        budget = _Budget(self._game_s)
        while (await self._own_message_within(budget, shown=shown)).move is not None:
            pass

    async def _play_remote(self, *, shown: bool) -> None:
        budget = _Budget(self._game_s)
        results: list[Message] = []
        while len(results) < 2:
            theirs = await self._partner_message()
            if theirs.move is None:
                results.append(theirs)
            elif results:
                raise ProgramFailure(
                    f'here the game is over, and the other program goes on with "{theirs.text}"'
                )
            else:
                await self._program.send(theirs.move, limit_s=self._move_s)
            if len(results) == 2:
                break
            ours = await self._own_message_within(budget, shown=shown)
            if ours.move is None:
                results.append(ours)
            elif results:
                raise ProgramFailure(
                    f'the other program says "{results[0].text}", and this one "{ours.text}"'
                )
        if results[0].text != results[1].text:
            one, two = (f'"{each.text}"' for each in results)
            raise ProgramFailure(f"the programs disagree on the result: {one} and {two}")

    async def _own_message_within(self, budget: _Budget, *, shown: bool) -> Message:
        with budget as left_s:
            try:
                return await self._own_message(
                    "a move or the result", min(self._move_s, left_s), shown=shown
                )
            except NoMessageError as error:
                if left_s < self._move_s:
                    raise ProgramFailure(
                        f"{error}, which was left of {self._game_s:g} s for the game"
                    ) from None
                raise

    async def _own_message(self, what: str, limit_s: float, *, shown: bool = False) -> Message:
        """Wait for a message of this side's program and pass it on."""
        try:
            message = await self._program.next_message(limit_s=limit_s, shown=shown)
        except ProgramFailure as error:
            raise type(error)(f"waited for {what}: {error}") from None
        if self._outbox:
            self._outbox.put(message)
        return message

    async def _partner_message(self) -> Message:
        """Wait for a message that the other side has passed on."""
        if self._inbox is None:
            raise ProgramFailure("there is no second program")
        try:
            return await self._inbox.get()
        except NoMoreMessagesError as error:
            raise ProgramFailure(str(error)) from None


_NO_SCRIPTS = {".std", ".out", ".err"}


@dataclass(frozen=True, slots=True)
class Test:
    """The files of one test.

    Attributes:
        name: its name.
        scripts: one script, or two whose programs play each other.
    """

    __test__ = False  # no test case of pytest's

    name: str
    scripts: tuple[Path, ...]


def collect(paths: Iterable[Path]) -> list[Test]:
    """The tests in files and folders, in order and without repetitions.

    A folder stands for all scripts in it and its subfolders. A script T-1.in includes T-2.in if it
    exists, named or not, and the other way round.

    Raises:
        ValueError: a folder has no script, or a file is none; the text says which.
        FileNotFoundError: a file is not there; the text says which.
    """
    tests: dict[Path, Test] = {}
    for path in paths:
        for script in _scripts(path):
            test = _test_of(script)
            tests.setdefault(test.scripts[0].resolve(), test)
    return list(tests.values())


def pair(paths: Sequence[Path]) -> Test:
    """Two scripts as one test, whatever they are called.

    Raises:
        ValueError: there are not two.
        FileNotFoundError: one of them is not there.
    """
    if len(paths) != 2:
        raise ValueError(
            f"--pair takes two scripts that play each other, and {len(paths)} were named."
        )
    for path in paths:
        _require(path, is_there=path.is_file())
    return Test(f"{paths[0].stem} and {paths[1].stem}", tuple(paths))


def _scripts(path: Path) -> Iterator[Path]:
    if path.is_dir():
        found = sorted(path.rglob("*.in"))
        if not found:
            raise ValueError(f"There is no script in {path}; the name of a script ends in .in.")
        yield from found
        return
    _require(path, is_there=path.is_file())
    if path.suffix in _NO_SCRIPTS:
        raise ValueError(
            f"{path} is not a script; name the script, {path.with_suffix('.in').name}."
        )
    yield path


def _test_of(script: Path) -> Test:
    stem = script.stem.removesuffix("-1").removesuffix("-2")
    one, two = (script.with_name(f"{stem}-{number}{script.suffix}") for number in (1, 2))
    if script in (one, two) and one.is_file() and two.is_file():
        return Test(stem, (one, two))
    return Test(script.stem, (script,))


def _require(path: Path, *, is_there: bool) -> None:
    if not is_there:
        names = [each.name for each in path.parent.glob("*.in")]
        near = difflib.get_close_matches(path.name, names, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise FileNotFoundError(f"There is no script {path}.{hint}")


_COMMENT = re.compile(r"#.*")


@dataclass(frozen=True, slots=True)
class Difference:
    """How two outputs differ.

    Attributes:
        line: the number, from 1, of the first line in the ``.std`` file that differs; one more than
            it has if something was printed beyond its end.
        expected: that line; None beyond the end of the file.
        printed: the line printed; None beyond the end of the output.
        diff: both as a unified diff.
    """

    line: int
    expected: str | None
    printed: str | None
    diff: tuple[str, ...]

    def __str__(self) -> str:
        if self.printed is None:
            return f'"{self.expected}" is missing'
        if self.expected is None:
            return f'"{self.printed}" was not expected'
        return f'expected "{self.expected}", printed "{self.printed}"'


def compare(printed: Sequence[str], standard: Sequence[str]) -> Difference | None:
    """How the lines printed differ from the expected ones; None if they agree."""
    got = [line for _, line in _significant_lines(printed)]
    numbered = list(_significant_lines(standard))
    wanted = [line for _, line in numbered]
    if got == wanted:
        return None
    same = 0
    for one, two in zip(got, wanted, strict=False):
        if one != two:
            break
        same += 1
    return Difference(
        line=numbered[same][0] if same < len(numbered) else len(standard) + 1,
        expected=wanted[same] if same < len(wanted) else None,
        printed=got[same] if same < len(got) else None,
        diff=tuple(difflib.unified_diff(wanted, got, "expected", "printed", lineterm="")),
    )


def _significant_lines(lines: Iterable[str]) -> Iterable[tuple[int, str]]:
    """The lines that count, with their numbers from 1."""
    for number, line in enumerate(lines, start=1):
        bare = _COMMENT.sub("", line).rstrip()
        if bare:
            yield number, with_single_blanks(bare) if is_message(bare) else bare


LineLog: TypeAlias = Callable[[str], None]
"""Called with every line that passes, such as ``[1]< a7-b6``."""


@dataclass(frozen=True, slots=True)
class Options:
    """How tests are run.

    Attributes:
        commands: commands for the first and the second program in place of those in the scripts;
            None keeps the script's own.
        aliases: words that replace the beginning of a command, by the program's name.
        limits: the time limits, unless a script sets its own.
        log: called with every line, as a `LineLog`; None for none.
    """

    commands: tuple[Sequence[str] | None, Sequence[str] | None] = (None, None)
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    log: LineLog | None = None


@dataclass(frozen=True, slots=True)
class ProgramOutput:
    """What one program of a test has printed.

    Attributes:
        script: the file of its script.
        output: boards, and the results that the script asks to show.
        errors: its standard error.
    """

    script: Path
    output: tuple[str, ...]
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a test went.

    Attributes:
        test: the test.
        seconds: how long it took.
        printed: the output of its programs, if they were started.
        failure: why it failed, in one line; None if it passed.
        difference: how the output differs from the ``.std`` file, if that is the failure.
    """

    test: Test
    seconds: float
    printed: tuple[ProgramOutput, ...]
    failure: str | None
    difference: Difference | None = None


async def run_test(test: Test, options: Options | None = None) -> Verdict:
    """Run a test: start its programs, follow its scripts, compare what was printed.

    All errors, including those in the scripts, are failures of the test; nothing is raised.
    """
    began = asyncio.get_running_loop().time()
    printed: list[ProgramOutput] = []
    failure, difference = await _run(test, options or Options(), printed)
    seconds = asyncio.get_running_loop().time() - began
    return Verdict(test, seconds, tuple(printed), failure, difference)


async def _run(
    test: Test, options: Options, printed: list[ProgramOutput]
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
            raise ScriptError(
                f"{script.path}, line {script.remote_line}: #*remote needs a second program. "
                "Name the scripts T-1.in and T-2.in, or give --pair and both."
            )


async def _follow(
    scripts: Sequence[Script], options: Options, printed: list[ProgramOutput]
) -> None:
    programs: list[Program] = []
    boxes: list[tuple[Inbox, ...]] = [()]
    if len(scripts) == 2:
        one, two = Inbox.make_pair()
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
            printed.append(ProgramOutput(script.path, tuple(program.output), tuple(program.errors)))


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


def _difference(printed: ProgramOutput) -> Difference | None:
    path = printed.script.with_suffix(".std")
    try:
        standard = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ScriptError(f"{path} cannot be read: {error}.") from None
    return compare(printed.output, standard)


_MAX_DIFF_LINES = 60
_MAX_ERROR_LINES = 10
_GREEN, _RED, _PLAIN = "\x1b[32m", "\x1b[31m", "\x1b[0m"


def verdict_line(verdict: Verdict, *, width: int = 0, color: bool = False) -> str:
    """``ok`` or ``FAILED``, the test, and its seconds or why it failed.

    Args:
        verdict: the result of the test.
        width: columns for the name.
        color: whether to use a terminal's colours.
    """
    name = f"{sanitized(verdict.test.name):{width}}"
    if verdict.failure is None:
        return f"{_colorize('ok    ', _GREEN, color=color)}  {name}  {verdict.seconds:5.1f} s"
    return f"{_colorize('FAILED', _RED, color=color)}  {name}  {sanitized(verdict.failure)}"


def details(verdict: Verdict) -> Iterator[str]:
    """Details that help to find out why a test failed; empty if it passed."""
    if verdict.failure is None:
        return
    yield sanitized(f"---- {verdict.test.name}: {verdict.failure}")
    if verdict.difference is not None:
        yield from _excerpt(verdict.difference.diff, _MAX_DIFF_LINES, "of the comparison")
    for number, printed in enumerate(verdict.printed, start=1):
        which = f"program {number}" if len(verdict.printed) > 1 else "the program"
        if verdict.difference is None:
            yield f"Printed by {which}, as far as it counts:"
            yield from _excerpt(printed.output, _MAX_DIFF_LINES, "of output")
        if printed.errors:
            yield f"Standard error of {which}:"
            yield from _excerpt(printed.errors, _MAX_ERROR_LINES, "of standard error", last=True)
    scripts = " ".join(str(path) for path in verdict.test.scripts)
    yield sanitized(f"Every line that passed: ataxxd accept --verbose {scripts}")


def summary(verdicts: Sequence[Verdict], seconds: float) -> str:
    """How many tests passed and failed."""
    failed = sum(verdict.failure is not None for verdict in verdicts)
    passed = len(verdicts) - failed
    lost = f"{failed} failed, " if failed else ""
    return f"{passed} passed, {lost}{seconds:.1f} s"


def write_outputs(verdict: Verdict, folder: Path) -> list[Path]:
    """Write T.out and T.err for each script T.in of a test; returns the files.

    Args:
        verdict: the result of the test.
        folder: where to write; files of these names are replaced.

    Raises:
        OSError: a file cannot be written.
    """
    files: list[Path] = []
    for printed in verdict.printed:
        told = (*printed.errors, *([] if verdict.failure is None else [verdict.failure]))
        for ending, lines in ((".out", printed.output), (".err", told)):
            path = folder / f"{printed.script.stem}{ending}"
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            files.append(path)
    return files


def _excerpt(lines: Sequence[str], most: int, of_what: str, *, last: bool = False) -> Iterator[str]:
    """The first, or last, `most` lines, indented, and how many more there are."""
    more = len(lines) - most
    for line in lines[-most:] if last else lines[:most]:
        yield f"    {sanitized(line)}"
    if more > 0:
        yield f"    ({more} {'earlier' if last else 'more'} lines {of_what})"


def _colorize(text: str, paint: str, *, color: bool) -> str:
    return f"{paint}{text}{_PLAIN}" if color else text
