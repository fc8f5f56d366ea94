"""The broker of all games of a run: it dies, forgets everything, and comes back."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Role
from ataxxd.transport.base import Received
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import Topics, decode
from ataxxd_protocol.messages import AnyLogMessage, AnyMessage, StatePart, Sync
from tests.brokers import Mosquitto

# Seconds in which a broker on this machine has sent what it keeps.
_KEPT_S = 5.0


async def receipt_lies(url: str, ledger: Ledger, role: Role) -> bool:
    """Whether the broker keeps what tells a player that its last message was heard.

    Args:
        url: of the broker.
        ledger: the closed game.
        role: who wrote last.
    """
    topics, offer = Topics(), ledger.offer
    ours = ledger.log(role)
    assert ledger.join is not None
    async with MqttTransport(url) as line:
        if role is Role.HOST:
            topic = topics.unread(offer.name, offer.host, ledger.join.author)
        else:
            topic = topics.state(offer.name, offer.host)
        await line.subscribe(topic)
        with suppress(TimeoutError):
            async with asyncio.timeout(_KEPT_S):
                async for event in line:
                    if isinstance(event, Received) and event.payload:
                        return _confirms(decode(event.payload), ours)
    return False


def _confirms(message: AnyMessage, ours: Sequence[AnyLogMessage]) -> bool:
    match message:
        case Sync():
            return message.need >= len(ours)
        case StatePart():
            return any(entry.check == ours[-1].digest[:16] for entry in message.entries)
        case _:
            return False


class MortalBroker:
    """A Mosquitto without persistence that can be killed while others use it.

    Attributes:
        mosquitto: the broker.
        kills: how often it was killed.
    """

    def __init__(self, folder: Path) -> None:
        self.mosquitto = Mosquitto(folder)
        self.kills = 0
        self._back = asyncio.Event()

    def start(self) -> None:
        """Start it; returns when it listens."""
        self.mosquitto.start()
        self._back.set()

    async def back(self) -> None:
        """Wait until it runs."""
        await self._back.wait()

    async def die(self, outage_s: float) -> bool:
        """Kill it and start it again `outage_s` later; False when it is dead already."""
        if not self._back.is_set():
            return False
        self._back.clear()
        self.kills += 1
        self.mosquitto.kill()
        await asyncio.sleep(outage_s)
        self.start()
        return True
