"""The end of a game: how long it is waited for, and what comes when that is over."""

import asyncio

from ataxxd.node.settlement import AWAY_GRACE, Settlement
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.conformance.clubs import short_game


async def nothing() -> None:
    """Nothing is to be done."""


def test_an_opponent_who_knows_the_end_is_not_waited_for_and_may_leave_then() -> None:
    async def story() -> None:
        pair = short_game()
        pair.play_out()
        closing = Settlement(pair.host, nothing)
        await closing.wait()
        assert asyncio.get_running_loop().time() == 0
        closing.on_messages_left(was_heard=False)

    run_virtually(story(), VirtualLoop())


def test_an_opponent_who_leaves_is_waited_for_a_while_longer() -> None:
    async def story() -> None:
        pair = short_game()
        pair.host.resign()
        closing = Settlement(pair.host, nothing)
        waiting = asyncio.create_task(closing.wait())
        await asyncio.sleep(0)
        closing.on_messages_left(was_heard=False)
        await waiting
        # Once for the last move, and once for the scores.
        assert asyncio.get_running_loop().time() == 2 * AWAY_GRACE

    run_virtually(story(), VirtualLoop())
