"""How games end when the network is down at the wrong moment; found by the simulation."""

import asyncio

import pytest

from ataxxd.rules import Position
from ataxxd.session.record import Standing, dump_record, standing_of
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import decode, encode, signed
from ataxxd_protocol.messages import Score, StatePart, Unread
from tests.chaos.cheats import Cheat
from tests.chaos.duel import Duel, on_turn, phase, unplug
from tests.chaos.laws import judge
from tests.chaos.players import Onlooker
from tests.chaos.world import TOPICS
from tests.conformance.games import HOST_KEY, SECRET

TWO_MOVES_LEFT = Position(
    "reversi/standard", "OOOOOOOOOOOOOOOOOOOOOOXXXOXOOXXOXXOXOOXO-XXOXOOOOXO-OOOOXXXXXXXX X"
)


def test_who_makes_the_last_move_does_not_leave_before_the_other_side_has_it() -> None:
    # Seed 371: the host won while its network was down, and left after twenty seconds.
    duel = Duel()
    host, guest = duel.host, duel.guest()

    async def scenario() -> None:
        lives = [asyncio.create_task(player.exist()) for player in (host, guest)]
        await duel.until(lambda: on_turn(host))
        unplug(host)
        await asyncio.sleep(100)
        assert phase(host) is Phase.SCORED
        assert not host.done
        host.machine.online = True
        await asyncio.wait(lives, timeout=60)
        assert (host.done, guest.done) == ("finished", "finished")

    duel.run(scenario())
    assert dump_record(host.disk.ledger()) == dump_record(guest.disk.ledger())
    assert standing_of(host.disk.ledger()) is Standing.AGREED


@pytest.mark.requirement("MP-SYNC-8")
def test_what_a_living_connection_lost_is_asked_for_again() -> None:
    duel = Duel()
    host, guest = duel.host, duel.guest()

    async def scenario() -> None:
        lives = [asyncio.create_task(player.exist()) for player in (host, guest)]
        await duel.until(lambda: on_turn(host) and phase(guest) is Phase.PLAYING)
        for link in guest.process.links:
            link.deaf = True
        await duel.until(lambda: not on_turn(host))
        await asyncio.sleep(1)
        assert phase(guest) is Phase.PLAYING
        for link in guest.process.links:
            link.deaf = False
        await asyncio.wait(lives, timeout=60)
        assert (host.done, guest.done) == ("finished", "finished")

    duel.run(scenario())
    assert dump_record(host.disk.ledger()) == dump_record(guest.disk.ledger())


@pytest.mark.requirement("MP-SYNC-8")
@pytest.mark.parametrize("forgets", ["host", "guest"])
def test_a_subscription_that_a_living_connection_lost_is_renewed(forgets: str) -> None:
    # RabbitMQ clusters do this when a member was cut off; a bridge or a proxy may, too.
    duel = Duel()
    host, guest = duel.host, duel.guest()
    deaf = host if forgets == "host" else guest

    async def scenario() -> None:
        lives = [asyncio.create_task(player.exist()) for player in (host, guest)]
        await duel.until(lambda: on_turn(host) and phase(guest) is Phase.PLAYING)
        for link in deaf.process.links:
            link.patterns.clear()
        await asyncio.wait(lives, timeout=60)
        assert (host.done, guest.done) == ("finished", "finished")

    duel.run(scenario())
    assert dump_record(host.disk.ledger()) == dump_record(guest.disk.ledger())


@pytest.mark.requirement("MP-SYNC-8")
def test_what_an_opponent_has_left_is_found_although_the_subscription_was_lost() -> None:
    duel = Duel(TWO_MOVES_LEFT)
    host, guest = duel.host, duel.guest()

    async def scenario() -> None:
        lives = [asyncio.create_task(player.exist()) for player in (host, guest)]
        await duel.until(lambda: on_turn(host) and phase(guest) is Phase.PLAYING)
        for link in guest.process.links:
            link.patterns.clear()
        await duel.until(lambda: not on_turn(host))
        assert host.session is not None
        assert guest.session is not None
        # As the host's program does when it is left, and shows itself away.
        left = Unread(
            game=duel.offer.digest, author=HOST_KEY.node, messages=tuple(host.session.unread)
        )
        topic = TOPICS.unread(duel.offer.name, duel.offer.host, HOST_KEY.node)
        duel.world.broker.publish("host", topic, encode(signed(left, HOST_KEY)), retain=True)
        host.machine.online = False
        host.process.die()
        await asyncio.sleep(20)
        assert guest.session.ledger.moves
        for life in lives:
            life.cancel()

    duel.run(scenario())


def test_who_signed_last_goes_on_until_the_other_side_has_the_signature() -> None:
    # Real games showed it: the guest left after ten seconds and held the game for finished, and
    # no host that came back later could ever have its score.
    duel = Duel()
    host, guest = duel.host, duel.guest()
    host.away_s = guest.away_s = 1.0

    async def scenario() -> None:
        lives = [asyncio.create_task(player.exist()) for player in (host, guest)]
        await duel.until(lambda: phase(guest) is Phase.CLOSED)
        unplug(host)
        assert phase(host) is Phase.SCORED
        await asyncio.sleep(400)
        assert (host.done, guest.done) == ("", "")
        assert not host.disk.finished
        assert not guest.disk.finished
        host.machine.online = True
        await asyncio.wait(lives, timeout=60)
        assert (host.done, guest.done) == ("finished", "finished")

    duel.run(scenario())
    assert dump_record(host.disk.ledger()) == dump_record(guest.disk.ledger())
    assert standing_of(host.disk.ledger()) is Standing.AGREED


def test_who_could_not_tell_the_last_move_can_still_be_resumed() -> None:
    duel = Duel()
    host, guest = duel.host, duel.guest()
    host.away_s = 1.0

    async def scenario() -> None:
        lives = [asyncio.create_task(player.exist()) for player in (host, guest)]
        await duel.until(lambda: on_turn(host))
        unplug(host)
        await asyncio.sleep(1000)
        # The program gave up, and the person started it again.
        assert host.lives > 1
        assert not host.disk.finished
        host.machine.online = True
        await asyncio.wait(lives, timeout=60)
        assert (host.done, guest.done) == ("finished", "finished")

    duel.run(scenario())
    assert standing_of(host.disk.ledger()) is Standing.AGREED


def test_a_guest_whose_refusal_was_lost_learns_from_the_state_that_the_seat_is_taken() -> None:
    # Seed 287: the host had gone when the second guest's network came back.
    duel = Duel()
    host, first, second = duel.host, duel.guest(), duel.guest()

    async def scenario() -> None:
        hosting = asyncio.create_task(host.exist())
        await asyncio.sleep(1)
        late = asyncio.create_task(second.exist())
        await duel.until(lambda: len(second.disk.rows) == 1)
        for link in second.process.links:
            link.mute = True
        unplug(second)
        quick = asyncio.create_task(first.exist())
        await asyncio.wait([hosting, quick], timeout=60)
        assert host.done == "finished"
        second.machine.online = True
        await asyncio.wait([late], timeout=60)
        assert second.done == "refused"

    duel.run(scenario())


@pytest.mark.requirement("MP-HAND-15")
def test_a_guest_whom_no_host_answers_is_told_and_has_its_seat_when_one_does() -> None:
    duel = Duel()
    host, guest = duel.host, duel.guest()
    # Put up again by somebody who kept it; a clock that is behind takes it for open.
    duel.world.broker.retained[TOPICS.offer(duel.offer.name, duel.offer.host)] = encode(duel.offer)

    async def scenario() -> None:
        joining = asyncio.create_task(guest.exist())
        await asyncio.wait([joining], timeout=50)
        assert guest.lives == 1
        await duel.until(lambda: guest.lives == 2)
        assert "does not answer" in duel.world.trace[-1]
        assert not guest.disk.finished
        hosting = asyncio.create_task(host.exist())
        await asyncio.wait([hosting, joining], timeout=300)
        assert (host.done, guest.done) == ("finished", "finished")

    duel.run(scenario())


def test_a_host_that_goes_leaves_the_whole_game_with_the_broker_whatever_was_wiped() -> None:
    # Seed 12124: a forged state had taken the place of the last one.
    duel = Duel()
    host, guest = duel.host, duel.guest()
    broker = duel.world.broker

    async def scenario() -> None:
        lives = [asyncio.create_task(player.exist()) for player in (host, guest)]
        await duel.until(lambda: phase(host) is Phase.SCORED)
        await duel.until(lambda: any(topic.endswith("state") for topic in broker.retained))
        broker.retained.clear()
        await asyncio.wait(lives, timeout=60)

    duel.run(scenario())
    state, offer = (broker.retained[topic] for topic in sorted(broker.retained, reverse=True))
    assert decode(offer) == duel.offer
    part = decode(state)
    assert isinstance(part, StatePart)
    assert part.entries == host.disk.ledger().entries


def test_a_spectator_stays_until_the_scores_are_in() -> None:
    # Seed 448: it left with an end that a claim under way decided otherwise.
    duel = Duel()
    host, guest = duel.host, duel.guest()
    onlooker = Onlooker(duel.world, "onlooker", duel.offer)

    async def scenario() -> None:
        lives = [asyncio.create_task(node.exist()) for node in (host, guest, onlooker)]
        await duel.until(lambda: on_turn(host) and onlooker.session is not None)
        unplug(guest)
        await asyncio.sleep(100)
        assert phase(host) is Phase.SCORED
        assert onlooker.done_at == 0
        guest.machine.online = True
        await asyncio.wait(lives, timeout=60)
        assert onlooker.done == "finished"

    duel.run(scenario())
    (seen,) = onlooker.ledgers()
    assert standing_of(seen) is Standing.AGREED


@pytest.mark.requirement("MP-COUNT-3")
def test_a_claim_that_only_spectators_heard_is_not_the_result_of_who_played_on() -> None:
    # Seed 20263545: the broker lost the one copy for whom the claim is against.
    duel = Duel(TWO_MOVES_LEFT, grace_ms=60_000)
    host = Cheat(duel.world, "host", HOST_KEY, duel.offer, Role.HOST)
    host.secret, host.kind, host.behaviour = SECRET, "false-claim", "vanishes"
    guest, onlooker = duel.guest(), Onlooker(duel.world, "onlooker", duel.offer)
    guest.pace_s = 60.0
    duel.world.broker.route = lambda payload, client: client != guest.name or not _claims(payload)

    async def scenario() -> None:
        lives = [asyncio.create_task(node.exist()) for node in (host, onlooker)]
        await duel.until(lambda: onlooker.session is not None)
        playing = asyncio.create_task(guest.exist())
        await asyncio.wait([playing], timeout=1000)
        assert judge(duel.world, [host, guest], [onlooker]) == ["unconfirmed"]
        for task in (*lives, playing):
            task.cancel()
        await asyncio.wait([*lives, playing])

    duel.run(scenario())
    played, (seen,) = guest.disk.ledger(), onlooker.ledgers()
    assert (played.claim, standing_of(seen)) == (None, Standing.UNCONFIRMED)
    assert seen.claim is not None
    assert played.outcome is not None
    assert seen.outcome is not None
    assert played.outcome.score != seen.outcome.score


def _claims(payload: bytes) -> bool:
    message = decode(payload) if payload else None
    return isinstance(message, Score) and message.claim is not None
