"""A game between two automatic players whose processes are killed again and again, and go on."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ataxxd.errors import ExitCode
from ataxxd.session.record import Standing, verify_record
from tests.e2e.nodes import Nodes, Running

# Games of the engine are over too soon to be disturbed, and so are some without a seed.
AUTO = ("--player", "random", "--seed", "1")
ROLES = ("host", "guest")


@dataclass
class RoughGame:
    """Two automatic players at one game; either may be killed at any moment and is resumed.

    Attributes:
        nodes: where the processes come from.
        name: of the game.
        options: of the host, beyond those that make it automatic.
        running: the process that has each role now.
        resumed: how often a process was started again.
    """

    nodes: Nodes
    name: str = "ourgame"
    options: Sequence[str] = ()
    running: dict[str, Running] = field(default_factory=dict)
    resumed: int = 0

    def record(self, role: str) -> Path:
        """Where the player in `role` writes its record."""
        return self.nodes.folder / f"{role}.json"

    async def open(self, prefix: Sequence[str] = ()) -> None:
        """Host, and wait until guests may come; `prefix` is what runs the program."""
        self.running["host"] = await self.nodes.node("host").host(
            self.name,
            *AUTO,
            "--transcript",
            self.record("host"),
            *self.options,
            prefix=prefix,
        )

    async def join(self, prefix: Sequence[str] = ()) -> None:
        """Send the guest to the game."""
        self.running["guest"] = await self.nodes.node("guest").start(
            "join",
            self.name,
            *AUTO,
            "--seed",
            "2",
            "--transcript",
            self.record("guest"),
            prefix=prefix,
        )

    async def resume(self, role: str) -> None:
        """Start the player in `role` again."""
        self.resumed += 1
        self.running[role] = await self.nodes.node(role).start("resume", self.name)

    async def kill(self, *roles: str) -> None:
        """End the processes of `roles` at once, without a word."""
        await asyncio.gather(*(self.running[role].kill() for role in roles))

    async def finish(self) -> None:
        """Let both play to the end, and check that both kept the same whole record.

        Who was killed when nothing was left to do, or before its join was kept, is told so
        and has to act accordingly.
        """
        await asyncio.gather(*(self._finish(role) for role in ROLES))
        records = [self.record(role).read_bytes() for role in ROLES]
        assert records[0] == records[1]
        assert verify_record(records[0]).standing is Standing.AGREED

    async def _finish(self, role: str) -> None:
        running = self.running[role]
        code = await running.ends(ExitCode.OK, ExitCode.NO_SUCH_GAME)
        if code == ExitCode.NO_SUCH_GAME:
            if "join" in str(running.err) and not self.record(role).exists():
                await self.join()
                await self.running[role].ends()
            else:
                assert "No unfinished game" in str(running.err), running.report()
