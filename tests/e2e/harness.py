"""Runs the scripts of the course harness against one program, or two that play each other.

A script begins with ``#*`` and the command to run. Other lines that begin with ``#*`` are
for the harness, the rest is the program's input:

    #*time MOVE GAME     seconds allowed for a move and for a game (10 and 60)
    #*move               wait for a move of the program's AI
    #*move/win           wait for AI moves up to the result; `move/win+` records the result
    #*win+               wait for the result and record it
    #*remote move/win    give the program the other's move and wait for its own, up to the
                         result; `remote move/win+` records the result

With two programs, each move waited for goes to the other. From each line of output
everything up to the last ``>`` is dropped first. What a run returns are the boards dumped
and the results recorded; every other message must have been waited for.
"""

import asyncio
import re
import shlex
import sys
from contextlib import suppress

PROGRAM = (sys.executable, "-m", "ataxxd")

_MESSAGE = re.compile(r"\* (?:(?:Red|Blue) (?:moves (-|[a-g][1-7]-[a-g][1-7])|wins)|Draw)\.")
_FORBIDDEN = ("passes", "wins", "Draw", "moves", "===")
_MOST_LINES = 1000
_EXIT_S = 5.0


class Program:
    """A program under test and what it has printed; `start` makes one."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._messages: asyncio.Queue[str | None] = asyncio.Queue()
        self._printing = asyncio.create_task(self._listen())
        self._complaining = asyncio.create_task(self._hear_errors())
        self._strict = True
        self._boards_and_results: list[str] = []
        self.errors: list[str] = []
        self.moves: list[str] = []
        self.result: str | None = None
        self.move_s, self.game_s = 10.0, 60.0
        self.other: Program | None = None
        self.mailbox: asyncio.Queue[str] = asyncio.Queue()

    @classmethod
    async def start(cls, *arguments: str) -> "Program":
        """Start ``ataxxd`` with these arguments, its three streams pipes."""
        pipe = asyncio.subprocess.PIPE
        return cls(
            await asyncio.create_subprocess_exec(
                *PROGRAM, *arguments, stdin=pipe, stdout=pipe, stderr=pipe
            )
        )

    @property
    def record(self) -> str:
        """The boards dumped and the results recorded, in the order of the output."""
        return "".join(line + "\n" for line in self._boards_and_results)

    def send(self, text: str) -> None:
        """Give the program lines of input."""
        self.write(text + "\n")

    def write(self, text: str) -> None:
        """Give the program some characters of input."""
        assert self._process.stdin is not None
        self._process.stdin.write(text.encode())

    def ignore_messages(self) -> None:
        """Let messages pass that nobody waits for."""
        self._strict = False

    async def move(self) -> bool:
        """Wait for a move and give it to the other program; False when the result came."""
        async with asyncio.timeout(self.move_s):
            return self._take(await self._messages.get())

    async def play_to_result(self) -> None:
        """Wait for moves until there is a result."""
        async with asyncio.timeout(self.game_s):
            while await self.move():
                pass

    async def play_remotely_to_result(self) -> None:
        """Play the other's moves here and ours there until there is a result."""
        async with asyncio.timeout(self.game_s):
            while await self._answer():
                pass

    async def _answer(self) -> bool:
        """Play one move of the other, wait for ours; False when the result came."""
        theirs = asyncio.create_task(self.mailbox.get())
        ours = asyncio.create_task(self._messages.get())
        await asyncio.wait({theirs, ours}, return_when=asyncio.FIRST_COMPLETED)
        if ours.done():
            theirs.cancel()
            assert not self._take(ours.result()), "a move came out of turn"
            return False
        self.send(theirs.result())
        async with asyncio.timeout(self.move_s):
            return self._take(await ours)

    def record_result(self) -> None:
        """Put the result among the boards."""
        assert self.result is not None
        self._boards_and_results.append(self.result)

    async def finish(self) -> int:
        """Close the input and wait for the end; return the exit status."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError, ConnectionResetError):
            self._process.stdin.close()
            await self._process.stdin.wait_closed()
        async with asyncio.timeout(_EXIT_S):
            status = await self._process.wait()
            await asyncio.gather(self._printing, self._complaining)
        left = [self._messages.get_nowait() for _ in range(self._messages.qsize())]
        assert left == [None] or not self._strict, f"nobody waited for {left}"
        return status

    async def kill(self) -> None:
        """End the program if it still runs."""
        if self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        for task in (self._printing, self._complaining):
            task.cancel()
        await asyncio.gather(self._printing, self._complaining, return_exceptions=True)

    def _take(self, message: str | None) -> bool:
        assert message is not None, f"the program ended; its errors were {self.errors}"
        found = _MESSAGE.fullmatch(message)
        assert found is not None, f"not a message: {message!r}"
        if found[1] is None:
            self.result = message
            return False
        self.moves.append(found[1])
        if self.other is not None:
            self.other.mailbox.put_nowait(found[1])
        return True

    async def _listen(self) -> None:
        assert self._process.stdout is not None
        count, dumping = 0, False
        while raw := await self._process.stdout.readline():
            count += 1
            assert count < _MOST_LINES
            line = re.sub(r"^.*>\s*", "", raw.decode().rstrip("\n"))
            if line == "===" or dumping:
                self._boards_and_results.append(line)
                dumping ^= line == "==="
            elif line.lstrip().startswith("*"):
                self._messages.put_nowait(line)
            else:
                found = [word for word in _FORBIDDEN if word in line]
                assert not found, f"{line!r} contains {found}"
        self._messages.put_nowait(None)

    async def _hear_errors(self) -> None:
        assert self._process.stderr is not None
        while raw := await self._process.stderr.readline():
            self.errors.append(raw.decode().rstrip("\n"))
            assert len(self.errors) < _MOST_LINES


async def run_script(script: str) -> str:
    """Run the text of one script; return what it recorded."""
    command, *lines = script.splitlines()
    program = await Program.start(*_arguments(command))
    try:
        return await _follow(program, lines)
    finally:
        await program.kill()


async def run_two_scripts(first: str, second: str) -> tuple[str, str]:
    """Run the texts of two scripts whose programs play each other; return both records."""
    scripts = [script.splitlines() for script in (first, second)]
    programs = [await Program.start(*_arguments(lines[0])) for lines in scripts]
    one, two = programs
    one.other, two.other = two, one
    try:
        records = await asyncio.gather(_follow(one, scripts[0][1:]), _follow(two, scripts[1][1:]))
    finally:
        await asyncio.gather(one.kill(), two.kill())
    assert one.result == two.result
    return records[0], records[1]


def _arguments(line: str) -> list[str]:
    marker, *command = shlex.split(line, comments=False)
    assert [marker, *command[:1]] == ["#*", "ataxxd"], "a script begins with #* ataxxd"
    return command[1:]


async def _follow(program: Program, lines: list[str]) -> str:
    for line in lines:
        if not line.startswith("#*"):
            program.send(line)
            continue
        words = line.removeprefix("#*").split()
        waiting = " ".join(words).removesuffix("+")
        match waiting:
            case "move":
                assert await program.move()
            case "move/win":
                await program.play_to_result()
            case "win":
                assert not await program.move()
            case "remote move/win":
                await program.play_remotely_to_result()
            case _:
                assert words[0] == "time", f"the harness does not know {line!r}"
                program.move_s, program.game_s = map(float, words[1:])
        if line.endswith("+"):
            program.record_result()
    assert await program.finish() == 0
    return program.record
