"""Somebody who floods a live game's topics with all that a stranger can do to it.

It follows the game as a spectator, so that its forgeries are the best there are: they fit the
mailbox they pretend to continue in everything but the signature.

As a program (``python -m tests.e2e.attacker URL NAME [RATE [KIND]]``) it floods until it is ended,
and prints every second how many messages it sent in it. A RATE of 0 is as fast as it can. Of KIND
``unsigned`` it pours out what needs no signature, so the seat stays free; ``mailbox``, all of that
where the host writes its moves, which the guest has to read; ``forged``, there as well, what the
host could write next but for the signature. ``guest-mailbox`` and ``guest-forged`` are the same
where the guest writes.
"""

import asyncio
import itertools
import random
import sys
from collections.abc import Callable, Iterator
from functools import partial

from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.record import state_parts
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Role
from ataxxd.transport.base import Received
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.transport.packets import connect, publish
from ataxxd_protocol import MalformedMessage, SigningKey, Topics, decode, encode, signed
from ataxxd_protocol.messages import Join, Offer, Resign, Who
from tests.conformance.games import AGENT

TOPICS = Topics()
# Messages between two waits for the broker; its own outbox would be full otherwise.
BATCH = 250
# As many different strangers as a node remembers, and more.
_STRANGERS = [SigningKey(number.to_bytes(32)) for number in range(1, 1001)]

Message = tuple[str, bytes, bool]


class Attacker:
    """One hostile client at one game.

    Attributes:
        sent: how many messages the broker has taken.
        game: the game as the attacker sees it; None before it found the offer.
    """

    def __init__(self, transport: MqttTransport, name: str, *, joins: bool = True) -> None:
        """Attack the game `name`; with `joins` also by asking for its seat."""
        self.sent = 0
        self.game: SpectatorSession | None = None
        self._transport = transport
        self._name = name
        self._choices = random.Random(1)
        self._heard: list[tuple[str, bytes]] = []
        self._found = asyncio.Event()
        self._taken = asyncio.Event()
        self._numbers = itertools.count()
        self._template = (-1, b"")
        self._kinds = [
            *[self._forgery, self._replay] * 2,
            *[self._garbage, self._state, self._question, self._junk_question, self._false_join],
            *([self._join] if joins else []),
        ]

    async def follow(self) -> None:
        """Listen to everything about the game until cancelled."""
        await self._transport.subscribe(f"{TOPICS.base}/{self._name}/#")
        async for event in self._transport:
            if isinstance(event, Received) and event.payload:
                self._hear(event.topic, event.payload)

    async def flood(self, count: int | None = None, rate: float | None = None) -> None:
        """Send `count` messages, or go on until cancelled; at most `rate` a second."""
        await self._found.wait()
        clock = asyncio.get_running_loop().time
        began, sent = clock(), 0
        batch = BATCH if rate is None else max(1, int(rate / 100))
        while count is None or sent < count:
            for topic, payload, retain in self._mix(batch):
                await self._transport.publish(topic, payload, retain=retain)
            await self._transport.drain()
            self.sent += batch
            sent += batch
            if rate is not None:
                await asyncio.sleep(max(0.0, began + sent / rate - clock()))

    async def pour(self, port: int, kind: str = "unsigned") -> None:
        """Send what costs nothing to make, over and over, and wait for no acknowledgement.

        Nothing of it is signed, so the seat stays free. See above for the kinds.
        """
        await (self._taken if kind.startswith("guest-") else self._found).wait()
        batches = self._batches(kind)
        # From another address than the players', as a stranger's would be.
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, local_addr=("127.0.0.2", 0)
        )
        acknowledged = asyncio.create_task(_read_all(reader))
        try:
            writer.write(connect("poured", keepalive=0, user=None, password=None, will=None))
            for batch in batches:
                writer.write(batch)
                await writer.drain()
                # The kernel takes more than the broker has read.
                await asyncio.sleep(0)
                self.sent += BATCH
        finally:
            acknowledged.cancel()
            writer.transport.abort()

    def _batches(self, kind: str) -> Iterator[bytes]:
        """Packets without end; forgeries are made anew whenever the host has written."""
        assert self.game is not None
        ledger = self.game.ledger
        kinds_of: dict[str, list[Callable[[Ledger], Message]]] = {
            "unsigned": [self._garbage, self._junk_question, self._false_join, self._false_join],
            "mailbox": [partial(self._false_move, Role.HOST)],
            "forged": [partial(self._false_next, Role.HOST)],
            "guest-mailbox": [partial(self._false_move, Role.GUEST)],
            "guest-forged": [partial(self._false_next, Role.GUEST)],
        }
        kinds = kinds_of[kind]
        writer = Role.GUEST if kind.startswith("guest-") else Role.HOST
        while True:
            written = len(ledger.log(writer))
            made = [kinds[number % len(kinds)](ledger) for number in range(2000)]
            packets = [
                publish(topic, payload, number % 1000 + 1, retain=False)
                for number, (topic, payload, _) in enumerate(made)
            ]
            batches = [b"".join(packets[at : at + BATCH]) for at in range(0, len(packets), BATCH)]
            for batch in itertools.cycle(batches):
                yield batch
                if kind.endswith("forged") and len(ledger.log(writer)) > written:
                    break

    def _false_next(self, role: Role, ledger: Ledger) -> Message:
        written, writer = len(ledger.log(role)), _writer(ledger, role)
        if self._template[0] != written:
            fields = ledger.predict(role, "resign") | {"from": writer, "ply": 1}
            false = Resign.model_validate(fields | {"sig": "0" * 128})
            self._template = (written, encode(false))
        ply = b'"ply":%d,' % (next(self._numbers) % 99_999 + 1)
        payload = self._template[1].replace(b'"ply":1,', ply)
        return TOPICS.out(self._name, ledger.offer.host, writer), payload, False

    def _hear(self, topic: str, payload: bytes) -> None:
        try:
            message = decode(payload)
        except MalformedMessage:
            return
        if isinstance(message, Offer) and self.game is None:
            self.game = SpectatorSession(Ledger(message))
            self._found.set()
        elif self.game is not None and not isinstance(message, Offer):
            self.game.receive(message)
            if self.game.ledger.join is not None:
                self._taken.set()
        if len(self._heard) < 2000 and (topic, payload) not in self._heard:
            self._heard.append((topic, payload))

    def _mix(self, count: int) -> Iterator[Message]:
        assert self.game is not None
        for _ in range(count):
            yield self._choices.choice(self._kinds)(self.game.ledger)

    def _forgery(self, ledger: Ledger) -> Message:
        role = self._choices.choice([*Role])
        node = ledger.offer.host if ledger.join is None else ledger.join.author
        if role is Role.HOST:
            node = ledger.offer.host
        fields = ledger.predict(role, "resign") | {
            "from": node,
            "ply": next(self._numbers) % 99_999 + 1,
        }
        message = signed(Resign.model_validate(fields), self._choices.choice(_STRANGERS))
        return TOPICS.out(self._name, ledger.offer.host, node), encode(message), False

    def _replay(self, _ledger: Ledger) -> Message:
        topic, payload = self._choices.choice(self._heard)
        return topic, payload, False

    def _join(self, ledger: Ledger) -> Message:
        key = self._choices.choice(_STRANGERS)
        guest = PlayerSession(Ledger(ledger.offer), Role.GUEST, key)
        guest.ask_to_join(f"{next(self._numbers):032x}", AGENT)
        topic = TOPICS.out(self._name, ledger.offer.host, key.node)
        return topic, encode(guest.ledger.log(Role.GUEST)[0]), False

    def _false_join(self, ledger: Ledger) -> Message:
        # As it should be in all but the signature, which costs who makes it nothing.
        topic, payload, retain = self._join(ledger)
        join = decode(payload)
        assert isinstance(join, Join)
        return topic, encode(join.model_copy(update={"sig": "0" * 128})), retain

    def _junk_question(self, _ledger: Ledger) -> Message:
        return self._choices.choice([TOPICS.who(), TOPICS.who(self._name)]), b"{}", False

    def _false_move(self, role: Role, ledger: Ledger) -> Message:
        mark = f'{{"game":"{ledger.game}"{next(self._numbers)}'.encode()
        return TOPICS.out(self._name, ledger.offer.host, _writer(ledger, role)), mark, False

    def _garbage(self, ledger: Ledger) -> Message:
        topic, _ = self._choices.choice(self._heard)
        size = self._choices.choice([0, 1, 100, 1000, 17_000])
        mark = f'{{"game":"{ledger.game}"'.encode()
        return topic, mark + self._choices.randbytes(size), False

    def _state(self, ledger: Ledger) -> Message:
        part = state_parts(ledger)[0].model_copy(update={"part": next(self._numbers) % 1000})
        payload = encode(signed(part, self._choices.choice(_STRANGERS)))
        # The first part and the offer: forged, or wiped.
        if next(self._numbers) % 10 == 0:
            wiped = self._choice_of_retained(ledger)
            return wiped, b"" if part.part % 2 else payload, True
        return TOPICS.state(self._name, ledger.offer.host, part.part), payload, True

    def _choice_of_retained(self, ledger: Ledger) -> str:
        place = (self._name, ledger.offer.host)
        return self._choices.choice([TOPICS.offer(*place), TOPICS.state(*place)])

    def _question(self, _ledger: Ledger) -> Message:
        return self._choices.choice([TOPICS.who(), TOPICS.who(self._name)]), encode(Who()), False


def _writer(ledger: Ledger, role: Role) -> str:
    """Whose mailbox it is; the guest's only of a game that has one."""
    if role is Role.HOST:
        return ledger.offer.host
    assert ledger.join is not None
    return ledger.join.author


async def _read_all(reader: asyncio.StreamReader) -> None:
    while await reader.read(65536):
        pass


async def main(url: str, name: str, rate: float | None = None, pours: str = "") -> None:
    """Flood until ended; a line a second says how many messages that was."""
    async with MqttTransport(url, max_payload=2**20) as transport:
        attacker = Attacker(transport, name)
        async with asyncio.TaskGroup() as group:
            group.create_task(attacker.follow(), name="follow")
            port = transport.addresses[0].port
            flood = attacker.pour(port, pours) if pours else attacker.flood(rate=rate)
            group.create_task(flood, name="flood")
            before = 0
            while True:
                await asyncio.sleep(1)
                print(attacker.sent - before, flush=True)
                before = attacker.sent


if __name__ == "__main__":
    speed = float(sys.argv[3]) if len(sys.argv) > 3 else 0
    asyncio.run(main(sys.argv[1], sys.argv[2], speed or None, "".join(sys.argv[4:5])))
