"""Attacks on who looks on and on what the broker keeps: other stories, old states, forged wills."""

from pathlib import Path

import pytest

from ataxxd.session.events import Ignored, Started
from ataxxd.session.ledger import Ledger
from ataxxd.session.points import Points, count_points_of_all
from ataxxd.session.record import Standing, dump_record, standing_of, state_parts
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import SigningKey, decode, encode, signed
from ataxxd_protocol.messages import LogMessage, StatePart, Status, Who
from tests.conformance.games import (
    HOST_KEY,
    ONE_MOVE_LEFT,
    SHORT_ENDGAME,
    Pair,
    craft,
    forge,
    make_offer,
)
from tests.conformance.nodes import TOPICS, hall, playing
from tests.conformance.scenarios import decision
from tests.messaging import until


def told(ledger: Ledger) -> list[StatePart]:
    """The state that a host publishes."""
    return [signed(part, HOST_KEY) for part in state_parts(ledger)]


def watching(pair: Pair, *heard: LogMessage | StatePart) -> SpectatorSession:
    """A spectator that has heard something."""
    session = SpectatorSession(Ledger(pair.offer))
    for message in heard:
        session.receive(message)  # type: ignore[arg-type]
    return session


def spoken(pair: Pair) -> list[LogMessage]:
    return [each for each in pair.wire if isinstance(each, LogMessage)]


@pytest.mark.attack("A-20")
@pytest.mark.requirement("MP-STATE-5")
def test_a_host_that_has_lost_cannot_show_a_claim_of_long_ago() -> None:
    pair = Pair.started(start=SHORT_ENDGAME, color="second", grace_ms=1_000)
    pair.play_out([1, 0, 1, 0, 1, 0])
    whole = pair.host.ledger
    assert whole.phase is Phase.CLOSED
    for place in range(2, len(whole.line)):
        early = Ledger(pair.offer)
        for role, message in whole.line[:place]:
            early.accept(role, message)
        if early.on_turn is not Role.GUEST:
            continue
        early.accept(Role.HOST, decision(early, Role.HOST, "silence", 1_000))
        session = watching(pair, *spoken(pair))
        before = dump_record(session.ledger)
        (ignored,) = [each for part in told(early) for each in session.receive(part)]
        assert isinstance(ignored, Ignored)
        assert ignored.code == "state/contradiction"
        assert dump_record(session.ledger) == before


@pytest.mark.attack("A-21")
@pytest.mark.parametrize("cheat", Role)
def test_who_shows_two_stories_has_lost_by_both_together(cheat: Role) -> None:
    one, other = Pair.started(start=SHORT_ENDGAME), Pair.started(start=SHORT_ENDGAME)
    if cheat is Role.GUEST:
        begun = one.host.ledger.position.legal_moves[0].text
        for pair in (one, other):
            pair.play(begun)
    moves = one.host.ledger.position.legal_moves
    one.play(moves[0].text)
    other.play(moves[-1].text)
    sessions = [watching(pair, *spoken(pair)) for pair in (one, other)]
    for session, pair in zip(sessions, (other, one), strict=True):
        before = dump_record(session.ledger)
        for message in (*spoken(pair), *told(pair.host.ledger)):
            session.receive(message)  # type: ignore[arg-type]
        assert dump_record(session.ledger) == before
    count = count_points_of_all([session.ledger for session in sessions])
    side = one.host.ledger.side_of(cheat)
    assert side is not None
    assert isinstance(count, Points)
    assert count.of(side) == 0


@pytest.mark.attack("A-22")
def test_an_old_state_takes_nothing_back() -> None:
    pair = Pair.started(start=ONE_MOVE_LEFT)
    old = told(pair.host.ledger)
    pair.play("-", "g1")
    new = told(pair.host.ledger)
    session = watching(pair, *new)
    before = dump_record(session.ledger)
    for part in old:
        session.receive(part)
    assert dump_record(session.ledger) == before
    late = watching(pair, *old)
    assert standing_of(late.ledger) is Standing.UNFINISHED
    for part in new:
        late.receive(part)
    assert dump_record(late.ledger) == before


@pytest.mark.attack("A-23")
def test_a_host_cannot_put_words_into_its_guests_mouth() -> None:
    pair = Pair.started(start=SHORT_ENDGAME)
    pair.play(pair.host.ledger.position.legal_moves[0].text)
    invented = pair.host.ledger.copy()
    resignation = craft(invented, Role.GUEST, "resign")
    # Everything but the guest's signature, which the host puts in as it can.
    for sig in (HOST_KEY.sign(resignation.signed_bytes), invented.log(Role.GUEST)[0].sig):
        ledger = invented.copy()
        ledger.accept(Role.GUEST, resignation.model_copy(update={"sig": sig}))
        session = watching(pair, *told(ledger))
        assert session.ledger.outcome is None
        assert session.ledger.entries == ()


@pytest.mark.attack("A-24")
def test_strangers_who_ask_for_the_seat_hide_no_game_from_who_looks_on() -> None:
    pair = Pair.make()
    asking = Pair.started()
    join = next(each for each in asking.wire if each.type == "join")
    session = watching(pair)
    for number in range(1, 200):
        key = SigningKey(number.to_bytes(32, "big"))
        stranger = {"from": key.node, "key": key.public_key}
        session.receive(forge(join, key, **stranger))
    for message in asking.wire:
        session.receive(message)
    assert session.behind, "it asks for the state"
    for part in told(asking.host.ledger):
        session.receive(part)
    assert session.ledger.phase is Phase.PLAYING
    assert not session.behind


@pytest.mark.attack("A-25")
async def test_a_will_that_the_broker_publishes_early_or_again_ends_nothing(tmp_path: Path) -> None:
    offer = make_offer(start=SHORT_ENDGAME, expires_ms=2**52)
    async with hall(tmp_path, offer) as here, playing(here.host, here.guest):
        await here.guest.until(Started)
        will = here.broker._links[0].will
        assert will is not None
        lost = decode(will.payload)
        assert isinstance(lost, Status)
        for _ in range(3):
            here.broker.inject(will.topic, will.payload)
        host, guest = here.host.runtime, here.guest.runtime
        for player in (host, guest):
            await player.play(player.session.ledger.position.legal_moves[0])
            await until(lambda: host.session.ledger.moves == guest.session.ledger.moves)
        assert guest.session.ledger.outcome is None


@pytest.mark.attack("A-26")
async def test_what_is_retained_of_a_game_may_be_wiped_or_replaced_and_comes_back(
    tmp_path: Path,
) -> None:
    offer = make_offer(expires_ms=2**52)
    topics = {
        TOPICS.offer(offer.name, offer.host): encode(make_offer(name="other")),
        TOPICS.state(offer.name, offer.host): encode(offer),
    }
    async with hall(tmp_path, offer) as here, playing(here.host, here.guest):
        await here.guest.until(Started)
        host, guest = here.host.runtime, here.guest.runtime

        def as_it_is() -> bool:
            told = [here.broker.retained.get(topic, b"") for topic in topics]
            if not all(told) or decode(told[0]) != offer:
                return False
            late = SpectatorSession(Ledger(offer))
            late.receive(decode(told[1]))
            return late.ledger.moves == host.session.ledger.moves

        for wrong in (dict.fromkeys(topics, b""), topics):
            for topic, payload in wrong.items():
                here.broker.inject(topic, payload, retain=True)
            here.broker.inject(TOPICS.who(offer.name), encode(Who()))
            for player in (host, guest):
                await player.play(player.session.ledger.position.legal_moves[0])
                await until(lambda: host.session.ledger.moves == guest.session.ledger.moves)
            await until(as_it_is)
