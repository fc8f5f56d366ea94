"""The end of a game: how long it is waited for, and what comes when that is over."""

import asyncio

from ataxxd.node.timeouts import AWAY_GRACE, Closing
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.conformance.games import Pair


async def nothing() -> None:
    """Nothing is to be done."""


def resigned() -> Pair:
    pair = Pair.started()
    pair.host.resign()
    return pair


def test_whoever_leaves_is_waited_for_a_while_and_may_leave_after_that() -> None:
    async def story() -> None:
        clock = asyncio.get_running_loop().time
        closing = Closing(resigned().host, nothing)
        waiting = asyncio.create_task(closing.wait())
        await asyncio.sleep(0)
        closing.left(was_here=False)
        await waiting
        # Once for the last move, once for the scores.
        assert clock() == 2 * AWAY_GRACE
        closing.left(was_here=True)

    run_virtually(story(), VirtualLoop())
