"""What everybody in one simulated game shares: the clock, the dice, the wire, the findings."""

import asyncio
import math
import random
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from ataxxd.times import Clock
from ataxxd.transport.queues import Entry
from ataxxd_protocol import Topics
from tests.chaos.loop import VirtualLoop
from tests.chaos.network import Machine, SimBroker, SimClient

TOPICS = Topics()
# The virtual time of day at which every simulation begins.
DAWN_S = 1_700_000_000.0
# Messages that may lie in one queue at any time; a queue without a bound fills past it.
QUEUE_BOUND = 4096


@dataclass
class World:
    """One simulated game's surroundings.

    Attributes:
        loop: the virtual clock.
        fate: where all choices come from.
        broker: the only one.
        broken: laws that were broken, in words.
        trace: the last things that happened, with their times.
        calm: set when nothing goes wrong any more.
        calm_at: when that was.
        peaceful: every message arrives, and soon.
    """

    loop: VirtualLoop
    fate: random.Random
    broker: SimBroker
    broken: list[str] = field(default_factory=list)
    trace: deque[str] = field(default_factory=lambda: deque(maxlen=4000))
    calm: asyncio.Event = field(default_factory=asyncio.Event)
    calm_at: float = math.inf
    peaceful: bool = False

    def note(self, text: str) -> None:
        """Something happened that explains the rest."""
        self.trace.append(f"{self.loop.now:12.3f}  {text}")

    def breach(self, text: str) -> None:
        """A law is broken."""
        self.note(f"BROKEN: {text}")
        if text not in self.broken:
            self.broken.append(text)

    def clock(self, skew_s: float = 0.0) -> Clock:
        """The clocks of a machine whose time of day is `skew_s` off."""
        return Clock(self.loop.time, lambda: DAWN_S + self.loop.now + skew_s)

    async def sleep(self, mean_s: float) -> None:
        """Wait for a random time of this mean."""
        await asyncio.sleep(self.fate.expovariate(1 / mean_s))

    async def tick(self) -> None:
        """Let a millisecond pass."""
        await asyncio.sleep(0.001)

    async def away(self, mean_s: float) -> None:
        """Stay away for a random time of this mean; when it is calm, not for long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.fate.expovariate(1 / mean_s)):
                await self.calm.wait()
                await self.sleep(2.0)


class Process(SimClient):
    """A running program of a node, which may be killed between any two things it does.

    Attributes:
        killed: done when it has died.
        steps_left: how many effects it still lives for; None for ever.
        look_on: called with every message that leaves it, for the laws.
    """

    def __init__(self, world: World, name: str, machine: Machine) -> None:
        super().__init__(world.broker, name, machine)
        self.world = world
        self.killed: asyncio.Future[None] = world.loop.create_future()
        self.steps_left: int | None = None
        self.look_on: Callable[[Entry], None] = lambda _entry: None

    def step(self) -> bool:
        """Whether it lives to do the next thing, such as a write or a publication."""
        if self.steps_left is not None:
            self.steps_left -= 1
            if self.steps_left < 0:
                self.die()
        return self.alive

    def die(self) -> None:
        """See ``SimClient.die``."""
        if self.alive:
            self.world.note(f"{self.name} is killed")
            super().die()
            self.killed.set_result(None)

    def may_say(self, entry: Entry) -> bool:
        """See ``SimClient.may_say``."""
        if not self.step():
            return False
        self.look_on(entry)
        return True
