"""A script followed at its program, and two that play each other.

In the two-program form each side has an inbox: every message that one side waits for goes
to the other's, moves and results alike. A side that plays the other takes from its inbox
and from its program by turns, and a game is over when both programs have said the result.

Nobody waits for ever. A wait for one's own program has a time limit, and a wait for the
other side ends with that side's step, with its script, or because both wait for each other.
"""

import asyncio
from collections import deque
from dataclasses import dataclass

from ataxxd_clients.accept.program import Message, NothingCame, Program, ProgramFailure
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


class NoMoreComes(Exception):
    """A wait for the other side that would never end; the message says why."""


class Inbox:
    """The messages that one side gets from the other; `couple` makes the two inboxes."""

    def __init__(self) -> None:
        self._messages: deque[Message] = deque()
        self._changed = asyncio.Event()
        self._closed = False
        # Who waits there may be who has to write here.
        self._reverse: Inbox = self
        self.waiting = False

    @classmethod
    def couple(cls) -> tuple["Inbox", "Inbox"]:
        """Two inboxes, one for each way."""
        one, two = cls(), cls()
        one._reverse, two._reverse = two, one
        return one, two

    @property
    def starving(self) -> bool:
        """Whether somebody waits here and nothing has come."""
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
            NoMoreComes: the other side is at its end, or waits for this one.
        """
        self.waiting = True
        try:
            while not self._messages:
                if self._closed:
                    raise NoMoreComes(
                        "waited for the other program, whose script has come to its end"
                    )
                if self._reverse.starving:
                    raise NoMoreComes(
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
                raise ProgramFailure(
                    f'here the game is over, and the other program goes on with "{theirs.text}"'
                )
            else:
                await self._program.send(theirs.move, limit_s=self._move_s)
            if len(results) == 2:
                break
            ours = await self._own_in(budget, shown=shown)
            if ours.move is None:
                results.append(ours)
            elif results:
                raise ProgramFailure(
                    f'the other program says "{results[0].text}", and this one "{ours.text}"'
                )
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
                    raise ProgramFailure(
                        f"{error}, which was left of {self._game_s:g} s for the game"
                    ) from None
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
            raise ProgramFailure("there is no second program")
        try:
            return await self._inbox.get()
        except NoMoreComes as error:
            raise ProgramFailure(str(error)) from None
