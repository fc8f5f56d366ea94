"""A game over a whole network that a test scripts itself, in virtual time: no dice, no storm."""

import random
from collections.abc import Callable, Coroutine
from typing import Any

from ataxxd.rules import Position
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import SigningKey
from tests.chaos.game import make_offer
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.chaos.network import SimBroker
from tests.chaos.players import Node, Player
from tests.chaos.world import World
from tests.conformance.games import HOST_KEY, SECRET

ONE_MOVE_LEFT = Position(
    "reversi/standard", "OOOOOXXXOOOOOXXXOXOOXXOOOOXOXXOOOOOXOOOXXOXOXOXXXXOOOOXXXOOOO-XX X"
)


class Duel:
    """A host, who moves first, and whoever comes.

    Attributes:
        world: where.
        offer: what they play.
        host: who offers it.
    """

    def __init__(self, start: Position = ONE_MOVE_LEFT, seed: int = 1, **terms: Any) -> None:
        fate = random.Random(seed)
        self.world = World(VirtualLoop(), fate, SimBroker(fate))
        self.offer = make_offer(start, "first", HOST_KEY, SECRET, **terms)
        self.host = Player(self.world, "host", HOST_KEY, self.offer, Role.HOST)
        self.host.secret = SECRET
        self._guests = 0

    def guest(self) -> Player:
        """Another one who wants the seat."""
        self._guests += 1
        key = SigningKey(bytes([1 + self._guests]) * 32)
        return Player(self.world, f"guest {self._guests}", key, self.offer, Role.GUEST)

    def run(self, scenario: Coroutine[None, None, None]) -> None:
        """Run a scenario in virtual time; no law may break meanwhile."""
        run_virtually(scenario, self.world.loop)
        assert self.world.broken == []

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait, in virtual time, until something is so."""
        while not holds():
            await self.world.tick()


def phase(player: Player) -> Phase | None:
    """Where the game stands for the program that runs."""
    return None if player.session is None else player.session.ledger.phase


def on_turn(player: Player) -> bool:
    """Whether it has to move."""
    return player.session is not None and player.session.ledger.on_turn is player.role


def unplug(node: Node) -> None:
    """Take a node's network away."""
    node.machine.online = False
    for link in node.process.links:
        link.cut()
