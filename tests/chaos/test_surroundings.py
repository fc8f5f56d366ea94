"""The simulated clock, wires and disks promise what real ones promise, and break as they break."""

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from ataxxd.session.record import Standing, standing_of
from ataxxd.transport.base import Connected, Disconnected, Received, TransportEvent
from tests.chaos.disk import Disk
from tests.chaos.duel import Duel
from tests.chaos.loop import NothingLeftToDoError, VirtualLoop, run_virtually
from tests.chaos.network import KEEPALIVE_S, Machine, SimBroker, SimClient, SimTransport

# The clock


def test_waiting_for_days_takes_no_time_and_timers_keep_their_order() -> None:
    loop = VirtualLoop()
    woken: list[float] = []

    async def sleeper(seconds: float) -> None:
        await asyncio.sleep(seconds)
        woken.append(loop.now)

    async def main() -> None:
        await asyncio.gather(*(sleeper(86_400.0 * days) for days in (3, 1, 2)))

    run_virtually(main(), loop)
    assert woken == [86_400.0, 172_800.0, 259_200.0]


def test_a_program_that_waits_for_nothing_is_found_out() -> None:
    async def main() -> None:
        await asyncio.Event().wait()

    with pytest.raises(NothingLeftToDoError):
        run_virtually(main(), VirtualLoop())


def test_an_error_that_nobody_catches_is_kept() -> None:
    loop = VirtualLoop()

    async def main() -> None:
        loop.call_soon(lambda: 1 // 0)
        await asyncio.sleep(1)

    run_virtually(main(), loop)
    assert len(loop.faults) == 1
    assert "ZeroDivisionError" in loop.faults[0]


# The wires


class Wire:
    """Two clients of one broker."""

    def __init__(self) -> None:
        self.loop = VirtualLoop()
        self.broker = SimBroker(random.Random(1))
        self.here = SimClient(self.broker, "here", Machine())
        self.there = SimClient(self.broker, "there", Machine())

    async def listening(self, transport: SimTransport) -> AsyncIterator[TransportEvent]:
        """The events after the first connection."""
        await transport.subscribe("news")
        stream = aiter(transport)
        assert await anext(stream) == Connected(1)
        return stream


async def payloads(stream: AsyncIterator[TransportEvent], last: bytes) -> list[bytes]:
    """What arrives until `last` does."""
    found: list[bytes] = []
    while last not in found:
        event = await anext(stream)
        if isinstance(event, Received):
            found.append(event.payload)
    return found


def test_a_connection_cut_in_mid_flight_loses_nothing_and_keeps_the_order() -> None:
    wire = Wire()
    sent = [b"%d" % number for number in range(200)]

    async def main() -> list[bytes]:
        async with wire.here.transport() as here, wire.there.transport() as there:
            stream = await wire.listening(there)
            for payload in sent:
                await here.publish("news", payload)
            await asyncio.sleep(0.005)
            for link in wire.here.links:
                link.cut()
            return await payloads(stream, sent[-1])

    heard = run_virtually(main(), wire.loop)
    assert list(dict.fromkeys(heard)) == sent


def test_a_half_open_connection_is_noticed_by_its_keepalive() -> None:
    wire = Wire()

    async def main() -> None:
        async with wire.there.transport() as there:
            stream = await wire.listening(there)
            for link in wire.there.links:
                link.half_open()
            assert isinstance(await anext(stream), Disconnected)
            assert 0 < wire.loop.now <= 1.5 * KEEPALIVE_S + 1
            assert await anext(stream) == Connected(2)

    run_virtually(main(), wire.loop)


def test_a_broker_that_repeats_keeps_the_order_within_a_topic() -> None:
    wire = Wire()
    wire.broker.weather.repeat = 1.0
    wire.broker.weather.reorder_s = 5.0

    async def main() -> list[bytes]:
        async with wire.here.transport() as here, wire.there.transport() as there:
            stream = await wire.listening(there)
            for number in range(5):
                await here.publish("news", b"%d" % number)
            return await payloads(stream, b"4")

    assert run_virtually(main(), wire.loop) == [b"%d" % (n // 2) for n in range(9)]


# The disks, and the laws that rest on them


def test_a_power_cut_takes_what_was_not_synced_and_a_crash_takes_nothing() -> None:
    duel = Duel()
    host, guest = duel.host, duel.guest()

    async def scenario() -> None:
        lives = [asyncio.create_task(player.exist()) for player in (host, guest)]
        await asyncio.wait(lives, timeout=60)

    duel.run(scenario())
    rows = [*host.disk.rows]
    assert host.disk.rows == rows
    # The last word is the guest's; the host synced all before its own score.
    host.disk.lose_power()
    assert host.disk.rows == rows[:-1]
    assert standing_of(host.disk.ledger()) is Standing.UNCONFIRMED


class LyingDisk(Disk):
    """Says that everything is on it, and syncs nothing."""

    @property
    def synced(self) -> int:
        """Nothing."""
        return 0

    @synced.setter
    def synced(self, number: int) -> None:
        pass


def test_a_player_who_speaks_before_its_disk_has_it_breaks_a_law() -> None:
    duel = Duel()
    host, guest = duel.host, duel.guest()
    guest.disk = LyingDisk()

    async def scenario() -> None:
        lives = [asyncio.create_task(player.exist()) for player in (host, guest)]
        await asyncio.wait(lives, timeout=60)

    run_virtually(scenario(), duel.world.loop)
    assert "guest 1 said join 0 before it was stored" in duel.world.broken
