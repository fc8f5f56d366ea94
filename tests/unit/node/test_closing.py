"""The end of a game: how long it is waited for, and what comes when that is over."""

import asyncio

from ataxxd.node.settlement import AWAY_GRACE, SCORE_GRACE, Settlement
from ataxxd.session.record import state_parts
from ataxxd_protocol import signed
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.conformance.clubs import short_game
from tests.conformance.games import HOST_KEY


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


def test_that_a_move_has_arrived_is_no_receipt_for_the_score_after_it() -> None:
    async def story() -> None:
        pair = short_game()
        closing = Settlement(pair.guest, nothing)
        while (role := pair.host.ledger.on_turn) is not None:
            for part in state_parts(pair.host.ledger):
                closing.on_state(signed(part, HOST_KEY))
            move = pair.host.ledger.position.legal_moves[0]
            pair.carry(role, pair.players[role].play(move, 1000))
        assert not closing.is_settled
        # What the session has received, and our score, may not be in the journal yet.
        await closing.wait()
        assert asyncio.get_running_loop().time() == SCORE_GRACE
        assert not closing.is_settled
        for part in state_parts(pair.host.ledger):
            closing.on_state(signed(part, HOST_KEY))
        assert closing.is_settled

    run_virtually(story(), VirtualLoop())
