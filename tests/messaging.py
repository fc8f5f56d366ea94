"""Messengers for tests, at a broker in memory or a real one."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from ataxxd.node.messaging.messenger import Messenger, card_will
from ataxxd.times import SYSTEM_CLOCK, Clock
from ataxxd.transport.base import Transport, WillFactory
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.transport.shared import SharedConnection
from ataxxd_protocol import SigningKey, Topics
from tests.conformance.letters import CREATED_MS
from tests.memory_broker import MemoryBroker

TOPICS = Topics()


@dataclass
class Hand:
    """The hands of a clock that is moved by hand; it shows the time of the tests' letters."""

    seconds: float = CREATED_MS / 1000 + 1

    def __call__(self) -> float:
        return self.seconds

    @property
    def clock(self) -> Clock:
        """A clock with this hand."""
        return Clock(self, self)


@asynccontextmanager
async def open_messenger(
    broker: MemoryBroker | SharedConnection | str, key: SigningKey, clock: Clock = SYSTEM_CLOCK
) -> AsyncIterator[Messenger]:
    """A messenger that runs, at a broker in memory, over a shared connection or at an address."""
    async with _connect(broker, card_will(key.node)) as transport:
        made = Messenger(transport, key, clock=clock)
        running = asyncio.create_task(made.run(), name="messenger")
        try:
            await until(lambda: made.connected)
            yield made
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running


async def until(holds: Callable[[], bool]) -> None:
    """Give others their turns until something holds; the test's own timeout bounds it."""
    while not holds():  # noqa: ASYNC110 - whatever it is, nobody tells of it
        await asyncio.sleep(0.002)


def _connect(broker: MemoryBroker | SharedConnection | str, will: WillFactory) -> Transport:
    match broker:
        case str():
            return MqttTransport(broker, will=will)
        case SharedConnection():
            return broker.make_line()
        case MemoryBroker():
            return broker.connect(will=will)
