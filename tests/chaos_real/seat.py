"""Somebody at a game who starts the program again, as a person would, until the game is over."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

from ataxxd.errors import ExitCode
from ataxxd.session.record import Standing, Verdict, verify_record
from tests.e2e.nodes import Node, Running
from tests.faults import FaultProxy

# A person would have given up.
MAX_STARTS = 40
# Seconds until whoever is not known to have been heard tries again, at first and at last.
AGAIN_S, AGAIN_LAST_S = 0.5, 8.0
FINAL = (Standing.AGREED, Standing.CONTESTED)


class Seat:
    """One who hosts, joins or watches a game, whatever becomes of the process.

    Attributes:
        role: what it is.
        proxy: its way to the broker.
        record: where it writes its record.
        running: the newest process; None before the first.
        starts: how often the program was started.
        resumed: how often it was started again after a kill.
        killed: how often it was killed.
        spoke: a message of a mailbox was seen that it wrote.
    """

    def __init__(
        self,
        role: str,
        node: Node,
        proxy: FaultProxy,
        first: tuple[str | Path, ...],
        again: tuple[str | Path, ...],
        broker_back: Callable[[], Awaitable[None]],
        hopeless: Callable[[], Awaitable[bool]],
    ) -> None:
        """Take a seat.

        Args:
            role: a role, or `tests.chaos_real.plan.WATCH`.
            node: where its processes come from.
            proxy: its way to the broker.
            first: the command it begins with; ``--transcript`` is added.
            again: the command it goes on with after a kill.
            broker_back: waits until the broker runs.
            hopeless: whether nothing will ever tell it that its last word was heard.
        """
        self.role = role
        self.proxy = proxy
        self.record = node.home.with_name(f"{node.home.name}.json")
        self.running: Running | None = None
        self.starts = self.resumed = self.killed = 0
        self.spoke = False
        self._node = node
        self._first = (*first, "--transcript", self.record)
        self._again = self._first if again is first else again
        self._broker_back = broker_back
        self._hopeless = hopeless
        self._unheard = 0
        self._away_s = 0.0
        self._doomed: Running | None = None
        self._dismissed = False

    def __str__(self) -> str:
        report = "never started" if self.running is None else self.running.report()
        return f"{self.role} after {self.starts} starts and {self.killed} kills: {report}"

    def verdict(self) -> Verdict | None:
        """What its record says; None while there is none."""
        return verify_record(self.record.read_bytes()) if self.record.exists() else None

    def kill(self, away_s: float) -> bool:
        """End its process as a power cut would; it is resumed `away_s` seconds later."""
        if self.running is None or not self.running.alive or self.running is self._doomed:
            return False
        self._doomed = self.running
        self.killed += 1
        self._away_s = away_s
        self.running.send(signal.SIGKILL)
        return True

    def dismiss(self) -> None:
        """Stop it as a person does who has seen enough."""
        self._dismissed = True
        if self.running is not None:
            self.running.send(signal.SIGTERM)

    async def stay(self) -> None:
        """Start the program again and again until it has the whole record, or is dismissed."""
        command: tuple[str | Path, ...] | None = self._first
        while command is not None and not self._dismissed:
            assert self.starts < MAX_STARTS, f"it is started for ever: {self}"
            self.starts += 1
            self.running = await self._node.start(*command)
            command = await self._next(command, await self.running.end())

    async def _next(
        self, command: tuple[str | Path, ...], code: int
    ) -> tuple[str | Path, ...] | None:
        """What to do after the program has ended with `code`; None when nothing is left."""
        assert self.running is not None
        said = str(self.running.err)
        if self._dismissed and code in (ExitCode.INTERRUPTED, -signal.SIGTERM):
            return None
        if code == -signal.SIGKILL:
            self.resumed += 1
            await asyncio.sleep(self._away_s)
            return self._again
        match code:
            case ExitCode.OK:
                verdict = self.verdict()
                if verdict is None or verdict.standing not in FINAL:
                    return self._again
                if "has not confirmed" not in said or await self._hopeless():
                    return None
                self._unheard += 1
                await asyncio.sleep(min(AGAIN_S * 2**self._unheard, AGAIN_LAST_S))
                return self._again
            case ExitCode.NO_BROKER | ExitCode.BROKER_REFUSED:
                await self._broker_back()
                return command
            case ExitCode.NAME_IN_USE:
                return self._again
            case ExitCode.NO_SUCH_GAME if "never got the seat" in said or command is self._first:
                return self._first
            case ExitCode.NO_SUCH_GAME if "No unfinished game" in said:
                if self.record.exists():
                    return None
                assert not self.spoke, f"its game is gone: {self}"
                return self._first
        raise AssertionError(f"exit status {code}: {self}")
