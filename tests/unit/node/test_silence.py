"""What a player does about a silence, in simulated time: asks again, and claims."""

import asyncio
from typing import Any

import pytest

from ataxxd.node.claims import Claims, Stopwatch
from ataxxd.node.silence import LONGEST_PAUSE_S, SEAT_PAUSE_S, Retransmission
from ataxxd.session.events import MayBeClaimed, MayClaim
from ataxxd.session.state import Role
from ataxxd.times import Clock
from ataxxd.transport.base import Disconnected
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.conformance.games import Pair
from tests.conformance.scenarios import CLOCK


def now() -> float:
    return asyncio.get_running_loop().time()


def test_an_answer_is_asked_for_ever_more_seldom_until_the_game_goes_on() -> None:
    async def story() -> None:
        asked: list[float] = []

        async def ask() -> None:
            asked.append(now())

        retransmission = Retransmission(ask)
        retransmission.begin()
        running = asyncio.create_task(retransmission.run())
        await asyncio.sleep(100)
        assert asked == [2, 6, 14, 30, 60, 90]
        retransmission.on_new_message()
        await asyncio.sleep(5)
        assert asked[6:] == [102]
        # What comes in time is never asked for, however long it goes on.
        for _ in range(100):
            retransmission.on_new_message()
            await asyncio.sleep(1.5)
        assert asked[7:] == []
        await asyncio.sleep(LONGEST_PAUSE_S)
        assert asked[7] == now() - LONGEST_PAUSE_S - 1.5 + 2
        running.cancel()

    run_virtually(story(), VirtualLoop())


def test_a_seat_is_asked_for_often_at_first() -> None:
    async def story() -> None:
        asked: list[float] = []

        async def ask() -> None:
            asked.append(now())

        retransmission = Retransmission(ask)
        retransmission.begin(seated=False)
        running = asyncio.create_task(retransmission.run())
        await asyncio.sleep(100)
        assert asked[:40] == [SEAT_PAUSE_S * number for number in range(1, 41)]
        assert asked[40:] == [14, 22, 38, 68, 98]
        running.cancel()

    run_virtually(story(), VirtualLoop())


def test_a_seat_that_was_given_is_asked_for_no_more() -> None:
    async def story() -> None:
        asked: list[float] = []

        async def ask() -> None:
            asked.append(now())

        retransmission = Retransmission(ask)
        retransmission.begin(seated=False)
        running = asyncio.create_task(retransmission.run())
        await asyncio.sleep(0.6)
        retransmission.on_new_message()
        await asyncio.sleep(5)
        assert asked == [0.25, 0.5, 2.6]
        running.cancel()

    run_virtually(story(), VirtualLoop())


class Waiting:
    """A host that waits for the guest's answer, and what it claims."""

    def __init__(self, *, by_itself: bool, **terms: Any) -> None:
        self.pair = Pair.started(**terms)
        self.claimed: list[tuple[str, int]] = []
        self.told: list[float] = []
        self.warned: list[tuple[float, float]] = []
        host = self.pair.host
        self.claims = Claims(
            host, Stopwatch(Clock(now, now)), self._claim, self._tell, automatic=by_itself
        )
        self._running = asyncio.create_task(self.claims.run())

    def play(self, move: str, *, ours: bool) -> None:
        self.pair.play(move)
        self.claims.on_message(ours=ours)

    async def stop(self) -> None:
        self._running.cancel()
        await asyncio.wait({self._running})

    async def _claim(self, reason: str, waited_ms: int) -> None:
        assert waited_ms >= 0
        self.claimed.append((reason, round(now())))
        self.pair.carry(Role.HOST, self.pair.host.claim(reason, waited_ms))

    def _tell(self, event: MayClaim | MayBeClaimed) -> None:
        if isinstance(event, MayBeClaimed):
            self.warned.append((now(), event.left_s))
        else:
            self.told.append(now())


def test_a_person_is_told_of_a_silence_once_a_turn_and_a_flag_is_claimed_all_the_same() -> None:
    async def story() -> None:
        game = Waiting(by_itself=False, grace_ms=5_000, clock=CLOCK)
        game.play("g2", ours=True)
        game.play("b1", ours=False)
        game.play("b6", ours=True)
        await asyncio.sleep(6)
        assert game.told == [5]
        await asyncio.sleep(20)
        assert game.told == [5]
        assert game.claimed == [("flag", 13)]
        await game.stop()

    run_virtually(story(), VirtualLoop())


def test_who_has_decided_to_resign_claims_no_flag_but_may() -> None:
    async def story() -> None:
        game = Waiting(by_itself=True, grace_ms=15_000, clock=CLOCK)
        game.play("g2", ours=True)
        game.play("b1", ours=False)
        game.play("b6", ours=True)
        game.pair.carry(Role.HOST, game.pair.host.resign())
        game.claims.reconsider()
        await asyncio.sleep(100)
        assert not game.claimed
        assert [round(at) for at in game.told] == [13]
        assert game.claims.reason == "flag"
        game.pair.carry(Role.HOST, game.pair.host.keep_playing())
        game.claims.reconsider()
        await asyncio.sleep(1)
        assert game.claimed == [("flag", 100)]
        await game.stop()

    run_virtually(story(), VirtualLoop())


def test_each_turn_has_a_silence_of_its_own() -> None:
    async def story() -> None:
        game = Waiting(by_itself=True, grace_ms=60_000)
        game.play("g2", ours=True)
        await asyncio.sleep(50)
        game.play("b1", ours=False)
        await asyncio.sleep(50)
        # On our own turn nobody is waited for.
        await asyncio.sleep(1_000)
        game.play("f2", ours=True)
        await asyncio.sleep(59)
        assert not game.claimed
        game.claims.on_disconnected(Disconnected("gone"))
        await asyncio.sleep(100)
        assert not game.claimed
        game.claims.on_connected()
        began = now()
        await asyncio.sleep(61)
        assert game.claimed == [("silence", round(began) + 60)]
        await game.stop()

    run_virtually(story(), VirtualLoop())


@pytest.mark.parametrize(("grace_ms", "warned"), [(60_000, (45, 15)), (3_600_000, (3_480, 120))])
def test_a_person_who_thinks_for_long_is_warned_once_a_turn(
    grace_ms: int, warned: tuple[int, int]
) -> None:
    async def story() -> None:
        game = Waiting(by_itself=False, grace_ms=grace_ms)
        game.play("g2", ours=True)
        # The opponent's turn: nothing to warn of.
        await asyncio.sleep(warned[0] + 0.5)
        assert not game.warned
        game.play("b1", ours=False)
        began = now()
        await asyncio.sleep(1)
        game.claims.on_disconnected(Disconnected("gone"))
        game.claims.on_connected()
        await asyncio.sleep(10_000)
        assert [(round(at - began), round(left)) for at, left in game.warned] == [warned]
        game.play("f2", ours=True)
        game.play("a2", ours=False)
        await asyncio.sleep(10_000)
        assert len(game.warned) == 2
        await game.stop()

    run_virtually(story(), VirtualLoop())


def test_nobody_is_warned_where_an_engine_plays_or_the_clock_runs_out_first() -> None:
    async def story() -> None:
        engine = Waiting(by_itself=True, grace_ms=60_000)
        clocked = Waiting(by_itself=False, grace_ms=60_000, clock=CLOCK)
        endless = Waiting(by_itself=False, grace_ms=None)
        for game in (engine, clocked, endless):
            game.play("g2", ours=True)
            game.play("b1", ours=False)
        await asyncio.sleep(1_000)
        for game in (engine, clocked, endless):
            assert not game.warned
            await game.stop()

    run_virtually(story(), VirtualLoop())
