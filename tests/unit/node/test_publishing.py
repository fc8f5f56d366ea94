"""How often a growing state is published, in simulated time."""

import asyncio

import pytest

from ataxxd.node.publishing import RENEW_PAUSE_S, RENEWALS, GamePublisher, StatePace
from ataxxd.session.state import Role
from ataxxd.transport.base import Received
from ataxxd_protocol import Topics, decode
from ataxxd_protocol.messages import StatePart
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.conformance.games import HOST_KEY, Pair
from tests.events import next_of
from tests.memory_broker import MemoryBroker

TOPICS = Topics()


async def kept() -> bool:
    return True


def test_a_thousand_games_share_a_rate_but_who_asks_and_the_end_do_not_wait() -> None:
    async def story() -> None:
        now = asyncio.get_running_loop().time
        pace, broker, pair = StatePace(), MemoryBroker(), Pair.started()
        async with broker.connect() as ours, broker.connect() as onlooker:
            waits = [pace.wait_s() for _ in range(639)]
            assert waits == sorted(waits)
            ledger = pair.host.ledger
            await onlooker.subscribe(TOPICS.state(ledger.offer.name, ledger.offer.host))
            retained = GamePublisher(lambda: ledger, ours, HOST_KEY, kept, pace)
            running = asyncio.create_task(retained.run())

            async def seen_at() -> int:
                await next_of(onlooker, Received)
                return round(now())

            assert await seen_at() == 0
            pair.play("g2")
            retained.publish_soon()
            assert await seen_at() == 10
            pair.play("b1")
            retained.publish_soon()
            await asyncio.sleep(1)
            retained.renew()
            assert await seen_at() == 11
            retained.publish_soon()
            pair.carry(Role.HOST, pair.host.resign())
            retained.publish_soon()
            assert await seen_at() == 11
            running.cancel()
        await asyncio.sleep(60)
        assert pace.wait_s() == 0.25

    run_virtually(story(), VirtualLoop())


@pytest.mark.requirement("MP-STATE-6")
def test_one_answer_serves_all_who_ask_and_none_of_them_waits_long() -> None:
    async def story() -> None:
        broker, pair = MemoryBroker(), Pair.started()
        offer = pair.offer
        async with broker.connect() as ours:
            retained = GamePublisher(lambda: pair.host.ledger, ours, HOST_KEY, kept, StatePace())
            running = asyncio.create_task(retained.run())
            await asyncio.sleep(60)

            def offers() -> int:
                place = TOPICS.offer(offer.name, offer.host)
                return sum(carried.topic == place for carried in broker.log)

            before = offers()
            for _ in range(6000):
                retained.on_question()
                await asyncio.sleep(0.01)
            assert offers() - before == pytest.approx(RENEWALS + 60 / RENEW_PAUSE_S, abs=1)
            # However many asked before.
            before = offers()
            retained.on_question()
            await asyncio.sleep(RENEW_PAUSE_S)
            assert offers() > before
            running.cancel()

    run_virtually(story(), VirtualLoop())


def test_what_is_published_last_is_the_newest_whatever_began_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def story() -> None:
        broker, pair = MemoryBroker(), Pair.started()
        place = TOPICS.state(pair.offer.name, pair.offer.host)
        async with broker.connect() as ours:
            publish, taken = ours.publish, asyncio.Event()

            async def slow(topic: str, payload: bytes, *, retain: bool = False) -> None:
                if not taken.is_set():
                    await taken.wait()
                await publish(topic, payload, retain=retain)

            monkeypatch.setattr(ours, "publish", slow)
            retained = GamePublisher(lambda: pair.host.ledger, ours, HOST_KEY, kept, StatePace())
            early = asyncio.create_task(retained.publish(everything=True))
            await asyncio.sleep(1)
            pair.play("g2")
            monkeypatch.setattr(ours, "publish", publish)
            last = asyncio.create_task(retained.publish(everything=True))
            await asyncio.sleep(1)
            taken.set()
            await asyncio.gather(early, last)
            state = decode(broker.retained[place])
            assert isinstance(state, StatePart)
            assert len(state.entries) == sum(len(pair.host.ledger.log(role)) for role in Role)

    run_virtually(story(), VirtualLoop())
