"""A script followed at its program, and two that play each other.

In the two-program form each side has an inbox: every message that one side waits for goes
to the other's, moves and results alike. A side that plays the other takes from its inbox
and from its program by turns, and a game is over when both programs have said the result.

Nobody waits for ever. A wait for one's own program has a time limit, and a wait for the
other side ends with that side's step, with its script, or because both wait for each other.
"""

import asyncio
from dataclasses import dataclass

from ataxxd_clients.accept.messages import Inbox, Message, NoMoreComes
from ataxxd_clients.accept.program import NothingCame, Program, ProgramFailure
from ataxxd_clients.accept.script import (
    AwaitGame,
    AwaitMove,
    AwaitResult,
    PlayRemote,
    Script,
    Send,
    SetTime,
    Step,
)


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
            msg = "the time for the game is used up"
            raise ProgramFailure(msg)
        self._began = self._loop.time()
        return self._left_s

    def __exit__(self, *_: object) -> None:
        self._left_s -= self._loop.time() - self._began


class Side:
    """A script and its program.

    Args:
        script: what to do.
        program: a started program.
        limits: the time limits at the start.
        inbox: what comes from the other side; None where there is none.
        outbox: what goes there.
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
                await self._take(step)
                self._program.check()
            where = f"{path}, at the end"
            await self._program.finish(limit_s=self._limits.result_s)
        except ProgramFailure as error:
            raise ScriptFailure(f"{where}: {error}") from None
        finally:
            if self._outbox:
                self._outbox.close()

    async def _take(self, step: Step) -> None:
        match step.action:
            case Send(text):
                await self._program.send(text, limit_s=self._move_s)
            case SetTime(move_s, game_s):
                self._move_s, self._game_s = move_s, game_s
            case AwaitMove():
                message = await self._own("a move", self._move_s)
                if message.move is None:
                    raise ProgramFailure(f'waited for a move, and the result "{message.text}" came')
            case AwaitResult():
                limit_s = min(self._move_s, self._limits.result_s)
                message = await self._own("the result", limit_s, shown=True)
                if message.move is not None:
                    raise ProgramFailure(f'waited for the result, and "{message.text}" came')
            case AwaitGame(shown):
                await self._play_alone(shown=shown)
            case PlayRemote(shown):
                await self._play_remote(shown=shown)

    async def _play_alone(self, *, shown: bool) -> None:
        budget = _Budget(self._game_s)
        while (await self._own_in(budget, shown=shown)).move is not None:
            pass

    async def _play_remote(self, *, shown: bool) -> None:
        budget = _Budget(self._game_s)
        results: list[Message] = []
        while len(results) < 2:
            theirs = await self._theirs()
            if theirs.move is None:
                results.append(theirs)
            elif results:
                msg = f'here the game is over, and the other program goes on with "{theirs.text}"'
                raise ProgramFailure(msg)
            else:
                await self._program.send(theirs.move, limit_s=self._move_s)
            if len(results) == 2:
                break
            ours = await self._own_in(budget, shown=shown)
            if ours.move is None:
                results.append(ours)
            elif results:
                msg = f'the other program says "{results[0].text}", and this one "{ours.text}"'
                raise ProgramFailure(msg)
        if results[0].text != results[1].text:
            one, two = (f'"{each.text}"' for each in results)
            raise ProgramFailure(f"the programs disagree on the result: {one} and {two}")

    async def _own_in(self, budget: _Budget, *, shown: bool) -> Message:
        with budget as left_s:
            try:
                return await self._own(
                    "a move or the result", min(self._move_s, left_s), shown=shown
                )
            except NothingCame as error:
                if left_s < self._move_s:
                    msg = f"{error}, which was left of {self._game_s:g} s for the game"
                    raise ProgramFailure(msg) from None
                raise

    async def _own(self, what: str, limit_s: float, *, shown: bool = False) -> Message:
        """Wait for a message of our program and pass it on."""
        try:
            message = await self._program.next_message(limit_s=limit_s, shown=shown)
        except ProgramFailure as error:
            raise type(error)(f"waited for {what}: {error}") from None
        if self._outbox:
            self._outbox.put(message)
        return message

    async def _theirs(self) -> Message:
        """Wait for a message that the other side has waited for."""
        if self._inbox is None:
            msg = "there is no second program"
            raise ProgramFailure(msg)
        try:
            return await self._inbox.get()
        except NoMoreComes as error:
            raise ProgramFailure(str(error)) from None
