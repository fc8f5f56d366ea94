"""What a node out of a backup believes about how far its game had come."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from ataxxd.node.journal import StoredGame
from ataxxd.node.recovery import Recovery
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.record import state_parts
from ataxxd.session.state import Role
from ataxxd.transport.base import Transport
from ataxxd_protocol import decode, encode, signed
from ataxxd_protocol.messages import AnyMessage, Sync
from tests.conformance.games import HOST_KEY, KEYS, Pair, forge, of_version, sends
from tests.conformance.nodes import TOPICS, announcer
from tests.memory_broker import MemoryBroker

NONCE, OTHER_NONCE = "5a" * 16, "a5" * 16


@dataclass
class Restored:
    """A game of two in which one is put back to an earlier moment, and who replays that moment.

    Attributes:
        pair: the game, which goes on after the backup.
        role: who is restored.
        ledger: what the backup has.
        sync: the other player's request of that time.
    """

    pair: Pair
    role: Role
    broker: MemoryBroker = field(default_factory=MemoryBroker)

    def __post_init__(self) -> None:
        self.pair.play("g2", "b1")
        self.ledger: Ledger = self.pair.players[self.role].ledger.copy()
        state = signed(state_parts(self.pair.host.ledger)[0], HOST_KEY)
        self.broker.retained[TOPICS.state("ourgame", HOST_KEY.node)] = encode(state)
        sync = sends(self.other.on_connected())[-1]
        assert isinstance(sync, Sync)
        self.sync = sync
        self.pair.play("b6")
        self.pair.play(self.pair.host.ledger.position.legal_moves[0].text)

    @property
    def other(self) -> PlayerSession:
        """Who was there all the time."""
        return self.pair.players[self.role.other]

    @asynccontextmanager
    async def learning(self) -> AsyncIterator[tuple["asyncio.Task[Ledger]", Transport]]:
        """The node learns, and somebody else has a connection, on which nothing was said."""
        speaker = announcer(self.pair.offer, self.role)
        stored = StoredGame(1, self.role, self.pair.offer, {}, finished=False, restored=True)
        recovery = Recovery(stored, self.ledger, speaker, NONCE)
        async with self.broker.connect() as line, self.broker.connect() as elsewhere:
            await elsewhere.subscribe(self._out(self.role))
            task = asyncio.create_task(recovery.recover_ledger(line, 600))
            try:
                yield task, elsewhere
            finally:
                task.cancel()
                await asyncio.wait([task])

    def _out(self, role: Role) -> str:
        return TOPICS.out("ourgame", HOST_KEY.node, KEYS[role].node)

    async def say(self, line: Transport, messages: Sequence[AnyMessage]) -> None:
        """Publish what the other player says, or said."""
        for message in messages:
            await line.publish(self._out(self.role.other), encode(message))

    async def asked(self, line: Transport) -> Sync:
        """The node's request."""
        async for event in line:
            payload = getattr(event, "payload", b"")
            message = decode(payload) if payload else None
            if isinstance(message, Sync):
                return message
        raise AssertionError("it asks nothing")


@pytest.mark.requirement("MP-SYNC-9", "MP-SYNC-11")
@pytest.mark.parametrize("role", Role)
async def test_an_old_request_of_the_opponent_does_not_show_that_nothing_is_missing(
    role: Role,
) -> None:
    game = Restored(Pair.started(), role)
    async with game.learning() as (learning, line):
        request = await game.asked(line)
        assert request.nonce == NONCE
        # The broker holds the opponent back, and says again what it said before: to us, and in
        # answer to what we asked when we had lost our memory another time.
        earlier = forge(game.sync, KEYS[role.other], echo=OTHER_NONCE)
        await game.say(line, [game.sync, earlier])
        await game.say(line, sends(game.other.receive(request)))
        learnt = await learning
    assert learnt.line == game.other.ledger.line


@pytest.mark.requirement("MP-SYNC-9")
@pytest.mark.parametrize("version", ["1.0", "1.1"])
async def test_in_a_game_of_an_earlier_version_any_request_of_the_opponent_is_believed(
    version: str,
) -> None:
    with of_version(version):
        game = Restored(Pair.started(), Role.HOST)
    async with game.learning() as (learning, line):
        request = await game.asked(line)
        assert request.nonce is None
        await game.say(line, sends(game.other.on_connected())[-1:])
        await game.say(line, sends(game.other.receive(request)))
        learnt = await learning
    assert learnt.line == game.other.ledger.line


@pytest.mark.requirement("MP-SYNC-11")
async def test_a_node_that_is_itself_out_of_a_backup_echoes_the_other_one() -> None:
    game = Restored(Pair.started(), Role.HOST)
    async with game.learning() as (_, line):
        request = await game.asked(line)
        asking = forge(game.sync, KEYS[Role.GUEST], nonce=OTHER_NONCE)
        await game.say(line, [asking])
        echo = await game.asked(line)
    assert (echo.nonce, echo.echo) == (None, OTHER_NONCE)
    assert (echo.need, echo.head) == (request.need, request.head)


@pytest.mark.requirement("MP-SYNC-9")
async def test_what_the_opponent_knew_once_counts_though_it_is_out_of_a_backup_too() -> None:
    game = Restored(Pair.started(), Role.HOST)
    async with game.learning() as (learning, line):
        request = await game.asked(line)
        forgotten = forge(game.sync, KEYS[Role.GUEST], echo=request.nonce)
        await game.say(line, sends(game.other.on_connected())[-1:])
        await game.say(line, [forgotten])
        await game.say(line, sends(game.other.receive(request)))
        learnt = await learning
    assert learnt.line == game.other.ledger.line
