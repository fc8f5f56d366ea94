"""Members of a cluster that carry nothing to each other though both accept clients."""

import asyncio
from itertools import pairwise

import pytest

from ataxxd.session.record import dump_record
from ataxxd.session.state import Phase
from tests.chaos.duel import Duel, on_turn, phase


@pytest.mark.requirement("MP-SYNC-11")
@pytest.mark.parametrize("goes", ["host", "guest"])
def test_whoever_is_not_heard_at_a_split_cluster_goes_on_to_another_member(goes: str) -> None:
    # RabbitMQ's members do this after one of them was frozen: each goes on with its own clients.
    duel = Duel()
    host, guest = duel.host, duel.guest()
    host.machine.members = (0, 1) if goes == "host" else (0,)
    guest.machine.members = (1, 0) if goes == "guest" else (1,)
    went = host if goes == "host" else guest

    async def scenario() -> None:
        lives = [asyncio.create_task(player.exist()) for player in (host, guest)]
        await duel.until(lambda: on_turn(host) and phase(guest) is Phase.PLAYING)
        begun, counters = duel.world.loop.now, went.process.transports[-1].counters
        duel.world.broker.split = True
        await duel.until(lambda: counters.connections == 2)
        # The host first, so that the two do not change places.
        assert duel.world.loop.now - begun == pytest.approx(30 if goes == "host" else 60, abs=5)
        await asyncio.wait(lives, timeout=60)
        assert (host.done, guest.done) == ("finished", "finished")

    duel.run(scenario())
    assert dump_record(host.disk.ledger()) == dump_record(guest.disk.ledger())


@pytest.mark.parametrize("hears", [True, False])
def test_an_opponent_that_thinks_for_long_is_left_only_if_it_echoes_nothing(hears: bool) -> None:
    duel = Duel()
    host, guest = duel.host, duel.guest()
    host.pace_s = 1e6
    host.machine.members, guest.machine.members = (0, 1), (1, 0)

    changes: list[float] = []

    async def scenario() -> None:
        lives = [asyncio.create_task(player.exist()) for player in (host, guest)]
        await duel.until(lambda: on_turn(host) and phase(guest) is Phase.PLAYING)
        duel.world.broker.route = lambda _payload, client: hears or client != host.name
        begun, counters = duel.world.loop.now, guest.process.transports[-1].counters
        while duel.world.loop.now < begun + 2000:
            await asyncio.sleep(1)
            if counters.connections > len(changes) + 1:
                changes.append(duel.world.loop.now - begun)
        for life in lives:
            life.cancel()

    duel.run(scenario())
    if hears:
        assert changes == []
        return
    assert changes[0] == pytest.approx(60, abs=5)
    # Ever more seldom: after each of them we wait anew until we may claim the game.
    pauses = [later - earlier for earlier, later in pairwise(changes)]
    assert pauses[0] == pytest.approx(60, abs=5)
    assert len(pauses) >= 4
    assert all(later > 1.8 * earlier for earlier, later in pairwise(pauses))
