"""From the offer to the start: who may sit down, and who is told why not."""

import hashlib

import pytest

from ataxxd.errors import LocalProtocolError, RemoteProtocolError
from ataxxd.rules import Side
from ataxxd.session.events import Ignored, Keep, PublishState, Rejected, Send, Started
from ataxxd.session.handshake import check_join, check_offer, host_side, make_commitment
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.record import Standing, dump_record, state_parts, verify_record
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import SigningKey, node_id, position_digest, signed
from ataxxd_protocol.messages import Join, Reject, Start
from tests.conformance.games import (
    AGENT,
    GUEST_KEY,
    HOST_KEY,
    NONCE,
    ONE_MOVE_LEFT,
    OTHER_KEY,
    RULESET,
    SECRET,
    Pair,
    craft,
    forge,
    make_offer,
    of_kind,
    of_version,
    sends,
)

OVER = "xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx/ooooooo/ooooooo/ooooooo x 0 1"


def a_join(pair: Pair, owner: SigningKey = GUEST_KEY, /, **changes: str) -> Join:
    """A join to a pair's game as `owner` would write it."""
    guest = PlayerSession(Ledger(pair.offer), Role.GUEST, GUEST_KEY)
    guest.ask_to_join(NONCE, AGENT)
    join = guest.ledger.join
    assert join is not None
    return forge(join, owner, **({"from": owner.node, "key": owner.public_key} | changes))


def rejection(pair: Pair, join: Join) -> Reject:
    (answer,) = sends(pair.host.receive(join))
    assert isinstance(answer, Reject)
    return answer


def refusal(**changes: object) -> RemoteProtocolError:
    with pytest.raises(RemoteProtocolError) as caught:
        check_offer(make_offer(**changes))
    return caught.value


def test_a_join_is_answered_by_the_start_and_both_know_the_game() -> None:
    pair = Pair.started()
    join, start = pair.wire
    assert isinstance(join, Join)
    assert isinstance(start, Start)
    assert start.guest == GUEST_KEY.node
    for player in pair.players.values():
        assert player.ledger.phase is Phase.PLAYING
        assert player.ledger.on_turn is Role.HOST
    assert pair.host.side is Side.FIRST
    assert pair.guest.side is Side.SECOND
    assert pair.host.opponent == GUEST_KEY.node
    assert pair.guest.opponent == HOST_KEY.node


@pytest.mark.requirement("MP-HAND-5")
def test_the_host_keeps_join_and_start_before_it_says_anything() -> None:
    pair = Pair.make()
    effects = pair.host.receive(a_join(pair))
    kinds = [type(effect) for effect in effects]
    assert kinds == [Keep, Keep, Send, Started, PublishState]


@pytest.mark.requirement("MP-HAND-5")
def test_the_first_valid_join_wins_the_race() -> None:
    pair = Pair.make()
    first, second = a_join(pair, OTHER_KEY), a_join(pair)
    (start,) = sends(pair.host.receive(first))
    assert isinstance(start, Start)
    assert start.guest == OTHER_KEY.node
    assert start.seen == first.digest
    assert rejection(pair, second).code == "seat/taken"
    assert pair.host.opponent == OTHER_KEY.node


@pytest.mark.requirement("MP-HAND-6")
def test_a_third_node_is_told_that_the_seat_is_taken_and_by_whom() -> None:
    pair = Pair.started()
    reject = rejection(pair, a_join(pair, OTHER_KEY))
    assert reject.code == "seat/taken"
    assert reject.to == OTHER_KEY.node
    assert GUEST_KEY.node in reject.reason
    assert "watch" in reject.reason


@pytest.mark.requirement("MP-HAND-6")
def test_the_accepted_join_again_gets_the_same_start_again() -> None:
    pair = Pair.started()
    start = pair.host.ledger.log(Role.HOST)[0]
    assert sends(pair.host.receive(a_join(pair))) == [start]


@pytest.mark.requirement("MP-HAND-6")
def test_the_accepted_guest_cannot_ask_anew() -> None:
    pair = Pair.started()
    join = a_join(pair, nonce="0b" * 16)
    assert rejection(pair, join).code == "seat/taken"
    assert pair.host.ledger.fault is None


def test_a_node_cannot_join_its_own_game() -> None:
    offer = make_offer()
    session = PlayerSession(Ledger(offer), Role.GUEST, HOST_KEY)
    with pytest.raises(LocalProtocolError, match="own game") as caught:
        session.ask_to_join(NONCE, AGENT)
    assert caught.value.code == "join/self"
    assert session.ledger.phase is Phase.OPEN


@pytest.mark.requirement("MP-HAND-7")
def test_a_join_by_the_host_itself_is_ignored() -> None:
    pair = Pair.make()
    (ignored,) = pair.host.receive(a_join(pair, HOST_KEY))
    assert isinstance(ignored, Ignored)
    assert ignored.code == "join/self"


@pytest.mark.requirement("MP-HAND-7", "MP-ID-2")
def test_a_forged_join_is_ignored_and_the_seat_stays_free() -> None:
    pair = Pair.make()
    true = a_join(pair)
    forgeries = [
        true.model_copy(update={"nonce": "0b" * 16}),
        true.model_copy(update={"sig": OTHER_KEY.sign(true.signed_bytes)}),
        forge(true, OTHER_KEY, key=OTHER_KEY.public_key),
        forge(true, GUEST_KEY, **{"from": OTHER_KEY.node}),
    ]
    for forged in forgeries:
        (ignored,) = pair.host.receive(forged)
        assert isinstance(ignored, Ignored)
        assert ignored.code == "join/forged"
    assert pair.host.ledger.phase is Phase.OPEN
    assert isinstance(sends(pair.host.receive(true))[0], Start)


@pytest.mark.requirement("MP-ID-2", "MP-SIGN-3")
def test_a_key_of_small_order_can_neither_host_nor_join() -> None:
    weak = "01" + "00" * 31
    universal = "01" + "00" * 63
    offer = make_offer().model_copy(update={"key": weak, "host": node_id(weak), "sig": universal})
    with pytest.raises(RemoteProtocolError) as caught:
        check_offer(offer)
    assert caught.value.code == "offer/forged"
    pair = Pair.make()
    join = a_join(pair).model_copy(update={"key": weak, "author": node_id(weak), "sig": universal})
    (ignored,) = pair.host.receive(join)
    assert isinstance(ignored, Ignored)
    assert ignored.code == "join/forged"


@pytest.mark.requirement("MP-LOG-1")
def test_a_join_for_another_game_is_ignored() -> None:
    pair = Pair.make()
    other = Pair.make(name="theirgame")
    (ignored,) = pair.host.receive(a_join(other))
    assert isinstance(ignored, Ignored)
    assert ignored.code == "chain/other-game"


@pytest.mark.requirement("MP-LOG-8", "MP-LOG-7")
def test_a_join_that_follows_something_else_is_refused() -> None:
    for field in ("prev", "seen"):
        pair = Pair.make()
        (ignored,) = pair.host.receive(a_join(pair, **{field: "0" * 64}))
        assert isinstance(ignored, Ignored)
        assert pair.host.ledger.phase is Phase.OPEN


@pytest.mark.requirement("MP-VER-1", "MP-VER-2", "MP-HAND-2", "MP-HAND-7")
@pytest.mark.parametrize(
    ("theirs", "upgrade"),
    [("1.0", "upgrade the guest"), ("1.3", "upgrade this node"), ("1.10", "upgrade this node")],
)
def test_a_guest_of_another_version_is_told_which_side_to_upgrade(
    theirs: str, upgrade: str
) -> None:
    pair = Pair.make()
    reject = rejection(pair, a_join(pair, v=theirs))
    assert reject.code == "handshake/version"
    assert upgrade in reject.reason
    assert theirs in reject.reason
    assert pair.host.ledger.phase is Phase.OPEN


@pytest.mark.requirement("MP-VER-1", "MP-VER-2", "MP-HAND-2")
@pytest.mark.parametrize(
    ("theirs", "upgrade"), [("1.0", "upgrade the host"), ("2.0", "upgrade this node")]
)
def test_an_offer_of_another_version_says_which_side_to_upgrade(theirs: str, upgrade: str) -> None:
    error = refusal(v=theirs)
    assert error.code == "handshake/version"
    assert upgrade in str(error)
    assert AGENT in str(error)


@pytest.mark.requirement("MP-VER-3")
def test_offer_join_and_reject_have_the_fields_that_version_1_began_with() -> None:
    log = {"game", "from", "n", "prev", "seen", "sig", "type"}
    pair = Pair.started()
    assert pair.offer.fields().keys() == {
        *("type", "v", "name", "host", "key", "ruleset", "start", "start_hash", "color"),
        *("commit", "agent", "created_ms", "expires_ms", "sig"),
    }
    assert a_join(pair).fields().keys() == log | {
        *("v", "key", "ruleset", "start_hash", "nonce", "agent"),
    }
    assert rejection(pair, a_join(pair, OTHER_KEY)).fields().keys() == {
        *("type", "game", "from", "to", "join", "code", "reason", "sig"),
    }


@pytest.mark.requirement("MP-HAND-3", "MP-HAND-7")
def test_a_ruleset_mismatch_is_refused_on_both_sides() -> None:
    error = refusal(ruleset="ataxx/of-the-moon", start_hash="0" * 64)
    assert error.code == "handshake/ruleset"
    assert "ataxx/of-the-moon" in str(error)
    assert "Upgrade ataxxd on this side" in str(error)
    pair = Pair.make()
    reject = rejection(pair, a_join(pair, ruleset="ataxx/uai"))
    assert reject.code == "handshake/ruleset"
    assert "ataxx/uai" in reject.reason
    assert RULESET in reject.reason


@pytest.mark.requirement("MP-HAND-4", "MP-HAND-7")
def test_a_start_position_that_reads_differently_is_refused_on_both_sides() -> None:
    assert refusal(start_hash="0" * 64).code == "handshake/start"
    pair = Pair.make()
    reject = rejection(pair, a_join(pair, start_hash="0" * 64))
    assert reject.code == "handshake/start"
    assert "upgrade the older program" in reject.reason


@pytest.mark.requirement("MP-HAND-4")
def test_a_start_position_must_be_canonical_playable_and_one_at_all() -> None:
    loose = "x5o/7/7/7/7/7/o5x x 0 01"
    assert refusal(start=loose, start_hash=position_digest(RULESET, loose)).code.startswith(
        "handshake/"
    )
    assert refusal(start=OVER).code == "handshake/start"
    assert "already over" in str(refusal(start=OVER))
    assert refusal(start="what").code == "handshake/ruleset"


@pytest.mark.requirement("MP-HAND-1", "MP-ID-2")
def test_a_forged_offer_is_refused() -> None:
    true = make_offer()
    for forged in (
        true.model_copy(update={"name": "theirgame"}),
        true.model_copy(update={"sig": None}),
        forge(true, OTHER_KEY),
        forge(true, OTHER_KEY, key=OTHER_KEY.public_key),
    ):
        with pytest.raises(RemoteProtocolError) as caught:
            check_offer(forged)
        assert caught.value.code == "offer/forged"
        with pytest.raises(RemoteProtocolError):
            Ledger(forged)


@pytest.mark.requirement("MP-HAND-8")
def test_neither_side_can_choose_a_random_colour() -> None:
    # Whichever secret the host has committed itself to, the guest's nonces give both sides,
    # and the other way round.
    pair = Pair.make(color="random")
    nonces = [bytes([number]).hex() * 16 for number in range(64)]
    sides = [host_side(pair.offer, SECRET, a_join(pair, nonce=nonce)) for nonce in nonces]
    assert 16 < sides.count("first") < 48
    join = a_join(pair)
    sides = [host_side(pair.offer, secret, join) for secret in nonces]
    assert 16 < sides.count("first") < 48
    toss = hashlib.sha256(bytes.fromhex(SECRET + NONCE)).digest()[0]
    expected = "first" if toss % 2 == 0 else "second"
    assert host_side(pair.offer, SECRET, join) == expected
    pair.carry(Role.GUEST, pair.guest.ask_to_join(NONCE, AGENT))
    start = pair.host.ledger.log(Role.HOST)[0]
    assert isinstance(start, Start)
    assert start.host_side == expected


@pytest.mark.requirement("MP-HAND-8")
@pytest.mark.parametrize(("color", "side"), [("first", Side.FIRST), ("second", Side.SECOND)])
def test_a_colour_that_the_offer_names_is_the_hosts(color: str, side: Side) -> None:
    pair = Pair.started(color=color)
    assert pair.host.side is side
    assert pair.guest.side is side.opponent


@pytest.mark.requirement("MP-HAND-9")
@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"guest": OTHER_KEY.node}, "start/guest"),
        ({"secret": "0" * 32}, "start/secret"),
        ({"host_side": "second"}, "start/side"),
        ({"seen": "0" * 64}, "chain/unknown-seen"),
    ],
)
def test_a_start_against_the_offer_is_refused_and_the_guest_goes_on_waiting(
    changes: dict[str, str], code: str
) -> None:
    pair = Pair.make()
    pair.guest.ask_to_join(NONCE, AGENT)
    fields = {"host_side": "first", "secret": SECRET, "guest": GUEST_KEY.node}
    start = craft(pair.guest.ledger, Role.HOST, "start", **(fields | changes))
    (ignored,) = pair.guest.receive(start)
    assert isinstance(ignored, Ignored)
    assert ignored.code == code
    assert pair.guest.ledger.phase is Phase.JOINED
    true = craft(pair.guest.ledger, Role.HOST, "start", **fields)
    assert of_kind(pair.guest.receive(true), Started)


@pytest.mark.requirement("MP-HAND-9")
def test_a_start_for_the_winner_of_a_race_is_not_taken_by_the_loser() -> None:
    pair = Pair.make()
    pair.guest.ask_to_join(NONCE, AGENT)
    (start,) = sends(pair.host.receive(a_join(pair, OTHER_KEY)))
    (ignored,) = pair.guest.receive(start)
    assert isinstance(ignored, Ignored)
    assert pair.guest.ledger.phase is Phase.JOINED


@pytest.mark.requirement("MP-HAND-10")
def test_a_refused_guest_learns_the_reason() -> None:
    pair = Pair.make()
    pair.guest.ask_to_join(NONCE, AGENT)
    pair.host.receive(a_join(pair, OTHER_KEY))
    join = pair.guest.ledger.join
    assert join is not None
    (rejected,) = pair.guest.receive(rejection(pair, join))
    assert isinstance(rejected, Rejected)
    assert rejected.code == "seat/taken"
    assert OTHER_KEY.node in rejected.reason


@pytest.mark.requirement("MP-HAND-10")
def test_a_refusal_by_anyone_else_or_of_another_join_is_not_believed() -> None:
    pair = Pair.make()
    pair.guest.ask_to_join(NONCE, AGENT)
    pair.host.receive(a_join(pair, OTHER_KEY))
    join = pair.guest.ledger.join
    assert join is not None
    true = rejection(pair, join)
    for false in (
        forge(true, OTHER_KEY),
        forge(true, OTHER_KEY, **{"from": OTHER_KEY.node}),
        forge(true, HOST_KEY, to=OTHER_KEY.node),
        forge(true, HOST_KEY, join="0" * 64),
        forge(true, HOST_KEY, game="0" * 64),
    ):
        assert not of_kind(pair.guest.receive(false), Rejected)
    playing = Pair.started()
    assert playing.guest.receive(forge(true, HOST_KEY, game=playing.offer.digest)) == []


def test_only_a_guest_that_has_not_asked_asks() -> None:
    pair = Pair.started()
    for player in pair.players.values():
        with pytest.raises(LocalProtocolError, match="not asked yet"):
            player.ask_to_join(NONCE, AGENT)


def test_nobody_moves_before_the_start() -> None:
    pair = Pair.make()
    move = pair.host.ledger.position.legal_moves[0]
    for player in pair.players.values():
        with pytest.raises(LocalProtocolError, match="has not begun"):
            player.play(move, 0)
        with pytest.raises(LocalProtocolError, match="has not begun"):
            player.resign()


@pytest.mark.requirement("MP-HAND-2", "MP-HAND-3", "MP-HAND-4", "MP-REC-5")
@pytest.mark.parametrize(
    "changes",
    [
        {"v": "1.0"},
        {"ruleset": "ataxx/uai"},
        {"start_hash": "0" * 64},
        {"key": HOST_KEY.public_key},
    ],
)
def test_no_ledger_takes_a_join_that_does_not_fit_its_offer(changes: dict[str, str]) -> None:
    pair = Pair.make()
    ledger = Ledger(pair.offer)
    with pytest.raises(RemoteProtocolError):
        ledger.accept(Role.GUEST, a_join(pair, **changes))
    assert ledger.phase is Phase.OPEN


def test_a_commitment_is_to_the_bytes_of_the_secret() -> None:
    assert make_commitment(SECRET) == hashlib.sha256(bytes.fromhex(SECRET)).hexdigest()


def test_a_true_join_passes_the_check_it_was_made_for() -> None:
    pair = Pair.make(start=ONE_MOVE_LEFT)
    check_join(pair.offer, a_join(pair))
    unsigned = a_join(pair).model_copy(update={"sig": None})
    with pytest.raises(RemoteProtocolError):
        check_join(pair.offer, unsigned)
    assert signed(unsigned, GUEST_KEY) == a_join(pair)


@pytest.mark.requirement("MP-HAND-10")
def test_a_state_that_begins_with_another_join_tells_a_waiting_guest_that_the_seat_is_taken() -> (
    None
):
    pair = Pair.make()
    pair.guest.ask_to_join(NONCE, AGENT)
    pair.host.receive(a_join(pair, OTHER_KEY))
    (part,) = state_parts(pair.host.ledger)
    assert pair.guest.receive(signed(part, OTHER_KEY)) == []
    (rejected,) = pair.guest.receive(signed(part, HOST_KEY))
    assert isinstance(rejected, Rejected)
    assert rejected.code == "seat/taken"


@pytest.mark.requirement("MP-HAND-10")
def test_a_state_that_begins_with_our_join_refuses_nobody() -> None:
    pair = Pair.make()
    (join,) = sends(pair.guest.ask_to_join(NONCE, AGENT))
    pair.host.receive(join)
    (part,) = state_parts(pair.host.ledger)
    assert not of_kind(pair.guest.receive(signed(part, HOST_KEY)), Rejected)
    # The start, should it have been lost, is in there too.
    assert pair.guest.ledger.phase is Phase.PLAYING


@pytest.mark.requirement("MP-VER-4")
def test_a_game_of_an_older_version_goes_on_and_is_judged_by_its_rules() -> None:
    with of_version("1.0"):
        pair = Pair.started()
        pair.play("g2", "b1")
    pair.carry(Role.HOST, pair.host.resign())
    record = dump_record(pair.host.ledger)
    assert record == dump_record(pair.guest.ledger)
    assert b'"v":"1.1"' not in record
    assert verify_record(record).standing is Standing.AGREED
    join = pair.host.ledger.join
    assert join is not None
    assert join.v == "1.0"
