"""A player whose home is an old backup, on a network that says old things again."""

import asyncio
import random

import pytest

from ataxxd.rules import Position
from ataxxd.session.record import Standing, dump_record, standing_of
from ataxxd.session.state import Role
from ataxxd_protocol import SigningKey, decode
from ataxxd_protocol.messages import Sync
from tests.chaos.game import make_offer
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.chaos.network import SimBroker
from tests.chaos.players import Player
from tests.chaos.world import World

SECRET = "5e" * 16


class Relapse:
    """A game whose one player is put back to a backup while the network holds the other back.

    The network says again what either had said until the backup was made, state and syncs.
    """

    def __init__(self, seed: int) -> None:
        self.fate = fate = random.Random(seed)
        self.world = World(VirtualLoop(), fate, SimBroker(fate))
        keys = [SigningKey(fate.randbytes(32)) for _ in Role]
        offer = make_offer(Position.start("reversi/standard"), "random", keys[0], SECRET)
        both = [
            Player(self.world, role.value, key, offer, role)
            for role, key in zip(Role, keys, strict=True)
        ]
        both[0].secret = SECRET
        for player in both:
            # So that each asks now and then whether the other has moved.
            player.pace_s, player.patience, player.away_s = 3.0, 16, 2.0
        self.players = both
        fate.shuffle(both)
        self.restored, self.other = both
        self.old: list[tuple[str, bytes]] = []

    def own(self, player: Player) -> list[bytes]:
        """What a player has stored of the restored one's mailbox."""
        return [row for role, row in player.disk.rows if role == self.restored.role.value]

    def told(self) -> bool:
        """Whether the other player has said how much it has of the mailbox."""
        messages = [decode(payload) for topic, payload in self.old if topic.endswith("/out")]
        return any(
            isinstance(each, Sync) and each.author == self.other.key.node for each in messages
        )

    async def play(self) -> None:
        """From the beginning to the end."""
        lives = [asyncio.create_task(player.exist()) for player in self.players]
        self.world.broker.heard.append(self._listen)
        while not (self.told() and len(self.own(self.restored)) > 1):
            await self.world.tick()
        backup, known = len(self.restored.disk.rows), len(self.own(self.restored))
        self.world.broker.heard.clear()
        more = known + self.fate.choice([1, 2, 3])
        while not more <= len(self.own(self.restored)) == len(self.own(self.other)):
            await self.world.tick()
        self.restored.process.die()
        self.restored.disk.put_back(backup)
        self.other.machine.online = False
        for link in self.other.process.links:
            link.cut()
        repeating = asyncio.create_task(self._repeat())
        await asyncio.sleep(60)
        assert self.restored.disk.restored, "it goes on though the other was not there"
        self.other.machine.online = True
        await asyncio.wait(lives, timeout=600)
        repeating.cancel()
        assert [player.done for player in self.players] == ["finished", "finished"]

    def _listen(self, _client: str, topic: str, payload: bytes) -> None:
        if payload and topic.endswith(("/out", "/state")):
            self.old.append((topic, payload))

    async def _repeat(self) -> None:
        while True:
            await self.world.sleep(0.2)
            topic, payload = self.fate.choice(self.old)
            retain = topic.endswith("/state") and not self.other.machine.online
            self.world.broker.publish("stranger", topic, payload, retain=retain)


@pytest.mark.requirement("MP-SYNC-9", "MP-SYNC-11")
@pytest.mark.parametrize("seed", range(6))
def test_nobody_out_of_a_backup_is_made_to_contradict_itself(seed: int) -> None:
    game = Relapse(seed)
    run_virtually(game.play(), game.world.loop)
    assert game.world.broken == []
    ledgers = [player.disk.ledger() for player in game.players]
    assert dump_record(ledgers[0]) == dump_record(ledgers[1])
    assert ledgers[0].fault is None
    assert standing_of(ledgers[0]) is Standing.AGREED
