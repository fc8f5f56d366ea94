"""What a flood on a game's topics may cost, counted and not timed."""

import pytest

from ataxxd.node import receiving
from ataxxd.node.receiving import Admission, Incoming
from ataxxd.rules import Position
from ataxxd.session.events import Keep, Send
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import state_parts
from ataxxd.session.state import Role
from ataxxd_protocol import SigningKey, decode, encode, signed
from ataxxd_protocol.messages import AnyMessage, Sync, Who
from ataxxd_protocol.topics import Address
from tests.conformance.games import KEYS, OTHER_KEY, RULESET, Pair, craft, forge

FLOOD = 10_000


class Clock:
    """A clock that moves when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pair() -> Pair:
    pair = Pair.started()
    pair.play("a7b6", "a1a2")
    return pair


@pytest.fixture
def door(pair: Pair, clock: Clock) -> Admission:
    return Admission(lambda: pair.host.ledger, clock)


def out(pair: Pair, node: str) -> Address:
    return Address("out", pair.offer.name, pair.offer.host, node)


@pytest.mark.requirement("MP-NODE-3")
def test_the_next_message_of_a_player_is_let_in_whatever_came_before(
    pair: Pair, door: Admission
) -> None:
    guest = out(pair, KEYS[Role.GUEST].node)
    host = pair.players[Role.HOST]
    for number in range(FLOOD):
        far = craft(host.ledger, Role.GUEST, "resign", ply=number + 1, n=number + 50)
        door.admits(Incoming(guest, encode(far)))
    assert door.refused == FLOOD - receiving.PLAYER.burst
    pair.play("b6b5")
    true = craft(host.ledger, Role.GUEST, "resign")
    assert door.admits(Incoming(guest, encode(true)))


def test_what_fits_in_all_but_its_signature_is_never_parsed(pair: Pair, door: Admission) -> None:
    host = pair.players[Role.HOST]
    pair.play("b6b5")
    guest = out(pair, KEYS[Role.GUEST].node)
    true = craft(host.ledger, Role.GUEST, "resign")
    for number in range(100):
        forged = encode(forge(true, OTHER_KEY, ply=number + 1))
        assert not door.admits(Incoming(guest, forged))
        without = forged.replace(b'"sig":"', b'"sig":"0')
        assert not door.admits(Incoming(guest, without))
    assert door.admits(Incoming(guest, encode(true)))


def test_an_accusation_which_holds_the_signature_of_its_proof_is_let_in(
    pair: Pair, door: Admission
) -> None:
    # The guest has seen two messages of the host with one number.
    other = craft(pair.guest.ledger, Role.HOST, "resign", n=1)
    [kept, *_] = [each for each in pair.guest.receive(other) if isinstance(each, Keep)]
    payload = encode(kept.message)
    assert payload.count(b'"sig":"') == 2
    assert door.admits(Incoming(out(pair, KEYS[Role.GUEST].node), payload))


def test_in_a_flood_nothing_is_put_in_line_but_what_may_be_next_or_right_after_it(
    pair: Pair, door: Admission, clock: Clock
) -> None:
    host, node = pair.players[Role.HOST], KEYS[Role.GUEST].node
    pair.play("b6b5")
    written = len(host.ledger.log(Role.GUEST))

    def numbered(number: int) -> bytes:
        return encode(craft(host.ledger, Role.GUEST, "resign", n=number))

    def in_line() -> list[int]:
        return [n for n in range(written + 4) if door.may_be_read(node, numbered(n))]

    assert in_line() == [*range(written + 4)]
    for number in range(FLOOD):
        door.admits(Incoming(out(pair, node), numbered(number + 1000)))
    assert in_line() == [written, written + 1]
    elsewhere = numbered(written).replace(pair.offer.digest.encode(), b"0" * 64)
    assert not door.may_be_read(node, elsewhere)
    assert not door.may_be_read(OTHER_KEY.node, numbered(written))
    clock.now += 1
    assert in_line() == [*range(written + 4)]


def test_a_whole_game_at_any_speed_is_let_in(clock: Clock) -> None:
    # The clock stands still: no player can be faster.
    pair = Pair.started()
    spectator = Pair.started()
    door = Admission(lambda: spectator.guest.ledger, clock)
    count = len(pair.wire)
    pair.play_out(range(1, 500))
    for message in pair.wire[count:]:
        author = message.author  # type: ignore[union-attr] # log messages all
        assert door.admits(Incoming(out(pair, author), encode(message)))
        for player in spectator.players.values():
            player.receive(message)
    assert len(pair.wire) - count > 40
    assert door.refused == 0


def test_the_same_bytes_are_looked_at_once_a_second(
    pair: Pair, door: Admission, clock: Clock
) -> None:
    payload = encode(pair.guest.ledger.log(Role.GUEST)[-1])
    guest = out(pair, KEYS[Role.GUEST].node)
    admitted = 0
    for _ in range(FLOOD):
        clock.now += 0.001
        admitted += door.admits(Incoming(guest, payload))
    assert admitted == pytest.approx(FLOOD * 0.001 / receiving.ECHO_S, abs=1)


def join_of(pair: Pair, key: SigningKey, number: int = 0) -> bytes:
    join = pair.guest.ledger.log(Role.GUEST)[0]
    fields = {"from": key.node, "key": key.public_key, "nonce": f"{number:032x}"}
    return encode(forge(join, key, **fields))


def test_strangers_share_one_budget_and_each_has_a_small_one(pair: Pair, door: Admission) -> None:
    alone = 0
    for number in range(FLOOD // 10):
        alone += door.admits(Incoming(out(pair, OTHER_KEY.node), join_of(pair, OTHER_KEY, number)))
    assert alone == receiving.STRANGER.burst
    together = alone
    for number in range(2000):
        key = SigningKey(number.to_bytes(32))
        together += door.admits(Incoming(out(pair, key.node), join_of(pair, key)))
    assert together == receiving.STRANGERS.burst
    assert len(door._strangers or ()) <= receiving._MAX_STRANGERS
    assert len(door._echoes) <= receiving._MAX_ECHOES


def test_nothing_of_strangers_is_parsed_when_none_of_it_would_be_looked_at(
    pair: Pair, door: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = 0

    def parse(payload: bytes) -> AnyMessage:
        nonlocal parsed
        parsed += 1
        return decode(payload)

    monkeypatch.setattr(receiving, "decode", parse)
    for number in range(2000):
        key = SigningKey(number.to_bytes(32))
        door.admits(Incoming(out(pair, key.node), join_of(pair, key)))
    assert parsed == receiving.STRANGERS.burst


@pytest.mark.parametrize("phase", ["open", "playing"])
def test_what_no_stranger_can_have_sent_takes_nothing_from_others(
    pair: Pair, clock: Clock, phase: str
) -> None:
    opened = Ledger(pair.offer)
    door = Admission(lambda: opened if phase == "open" else pair.host.ledger, clock)
    join, key = join_of(pair, OTHER_KEY), SigningKey(bytes([9]) * 32)
    cut, other = join[:-1], join.replace(OTHER_KEY.public_key.encode(), key.public_key.encode())
    for number in range(FLOOD // 5):
        place = out(pair, OTHER_KEY.node)
        assert not door.admits(Incoming(place, cut + b" " * number))
        assert not door.admits(Incoming(place, other.replace(b"0" * 32, f"{number:032x}".encode())))
        assert not door.admits(Incoming(out(pair, key.node), join + b" " * number))
    assert door.admits(Incoming(out(pair, OTHER_KEY.node), join))


def test_while_a_seat_is_free_a_guest_whose_join_is_copied_without_its_signature_is_heard(
    pair: Pair, clock: Clock
) -> None:
    opened = Ledger(pair.offer)
    door = Admission(lambda: opened, clock)
    place = out(pair, OTHER_KEY.node)
    for number in range(FLOOD // 10):
        assert door.admits(Incoming(place, join_of(pair, OTHER_KEY, number + 1)))
    assert door.admits(Incoming(place, join_of(pair, OTHER_KEY)))


def test_what_was_not_looked_at_may_come_again_at_once(pair: Pair, clock: Clock) -> None:
    opened = Ledger(pair.offer)
    door = Admission(lambda: opened, clock)
    place = out(pair, OTHER_KEY.node)
    for number in range(receiving.JOINS.burst):
        assert door.admits(Incoming(place, join_of(pair, OTHER_KEY, number + 1)))
    assert not door.admits(Incoming(place, join_of(pair, OTHER_KEY)))
    clock.now += receiving.ECHO_S / 10
    assert door.admits(Incoming(place, join_of(pair, OTHER_KEY)))


def test_what_is_not_of_this_game_is_not_even_counted_against_a_budget(
    pair: Pair, door: Admission
) -> None:
    other = Pair.started(name="another")
    stale = encode(signed(state_parts(other.host.ledger)[0], KEYS[Role.HOST]))
    place = Address("state", pair.offer.name, pair.offer.host, pair.offer.host, 7)
    own = encode(signed(state_parts(pair.host.ledger)[0], KEYS[Role.HOST]))
    assert not any(door.admits(Incoming(place, stale)) for _ in range(FLOOD))
    assert not any(door.admits(Incoming(place, b"x" * size)) for size in range(200))
    assert door.admits(Incoming(place, own))
    assert all(door.admits(Incoming(place, own)) for _ in range(receiving.STATE.burst - 1))
    assert not door.admits(Incoming(place, own))


def test_a_budget_fills_up_again_with_time(pair: Pair, door: Admission, clock: Clock) -> None:
    place = Address("state", pair.offer.name, pair.offer.host, pair.offer.host, 7)
    payload = encode(signed(state_parts(pair.host.ledger)[0], KEYS[Role.HOST]))
    assert sum(door.admits(Incoming(place, payload)) for _ in range(FLOOD)) == receiving.STATE.burst
    clock.now += 2
    assert (
        sum(door.admits(Incoming(place, payload)) for _ in range(FLOOD))
        == 2 * receiving.STATE.per_s
    )
    clock.now += 3600
    assert sum(door.admits(Incoming(place, payload)) for _ in range(FLOOD)) == receiving.STATE.burst


def test_only_a_true_question_is_let_in_and_always(pair: Pair, door: Admission) -> None:
    place = Address("who", pair.offer.name)
    assert not any(
        door.admits(Incoming(place, b"{}" + b" " * (number % 9))) for number in range(FLOOD)
    )
    assert all(door.admits(Incoming(place, encode(Who()))) for _ in range(FLOOD))


def test_replayed_requests_cannot_have_a_mailbox_repeated_without_end(clock: Clock) -> None:
    pair = Pair.started(start=Position.start(RULESET).text)
    pair.play_out([3] * 60)
    door = Admission(lambda: pair.host.ledger, clock)
    sent = 0
    for number in range(200):
        ask = Sync(
            game=pair.offer.digest, author=KEYS[Role.GUEST].node, need=number % 4, head=number % 3
        )
        answer = pair.host.receive(signed(ask, KEYS[Role.GUEST]))
        sent += len(door.affordable(answer))
    assert sent == receiving.ANSWERS.burst
    assert door.unanswered > 300


def test_what_we_write_ourselves_is_always_sent(pair: Pair, clock: Clock) -> None:
    door = Admission(lambda: pair.host.ledger, clock)
    ask = Sync(game=pair.offer.digest, author=KEYS[Role.GUEST].node, need=0, head=0)
    while len(door.affordable(pair.host.receive(signed(ask, KEYS[Role.GUEST])))):
        pass
    move = pair.host.ledger.position.legal_moves[0]
    effects = door.affordable(pair.host.play(move, 1))
    assert {Keep, Send} <= {type(effect) for effect in effects}


@pytest.mark.requirement("MP-NODE-3")
def test_what_is_read_is_a_message_of_the_game_by_whom_its_topic_belongs_to(
    pair: Pair, door: Admission
) -> None:
    host, guest = (out(pair, KEYS[role].node) for role in Role)
    offer = pair.offer
    state = Address("state", offer.name, offer.host, offer.host, 0)
    part = state_parts(pair.host.ledger)[0]
    move = craft(pair.host.ledger, Role.HOST, "move", move="b6b5", elapsed_ms=5)
    assert door.read(Incoming(host, encode(move))) == move
    assert door.read(Incoming(state, encode(signed(part, KEYS[Role.HOST])))) is not None
    assert door.read(Incoming(Address("who", offer.name), encode(Who()))) == Who()
    # Under another's topic, no message at all, and a message that no game has.
    assert door.read(Incoming(guest, encode(move))) is None
    assert door.read(Incoming(host, encode(move)[:-1])) is None
    assert door.read(Incoming(host, encode(offer))) is None
