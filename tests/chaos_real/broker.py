"""The broker of all games of a run: it dies, forgets everything, and comes back."""

import asyncio
from pathlib import Path

from tests.brokers import Mosquitto


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
