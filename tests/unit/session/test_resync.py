"""Lost, repeated and late messages between two players, and restarts."""

import random

import pytest

from ataxxd.session.events import Effect, Ignored, Keep, Moved, Send, Started
from ataxxd.session.player import RESEND_LIMIT, PlayerSession
from ataxxd.session.record import dump_record, state_parts
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import MalformedMessage, decode, encode, signed
from ataxxd_protocol.messages import Join, Move, Recall, Status, Sync
from ataxxd_protocol.signing import canonical_json
from tests.conformance.games import (
    AGENT,
    GUEST_KEY,
    HOST_KEY,
    KEYS,
    NONCE,
    ONE_MOVE_LEFT,
    OTHER_KEY,
    Pair,
    craft,
    forge,
    of_kind,
    of_version,
    restored,
    sends,
)


def lose_a_move(pair: Pair) -> list[Effect]:
    """The host moves, and nothing of it arrives."""
    return pair.host.play(pair.host.ledger.position.legal_moves[0], 0)


def a_sync(pair: Pair, role: Role) -> Sync:
    (sync,) = [
        message for message in sends(pair.players[role].on_connected()) if isinstance(message, Sync)
    ]
    return sync


@pytest.mark.requirement("MP-SYNC-1", "MP-LOG-2")
def test_a_gap_is_asked_for_and_not_jumped() -> None:
    pair = Pair.started()
    lose_a_move(pair)
    later = craft(pair.host.ledger, Role.HOST, "resign")
    assert later.n == 2
    (sync,) = sends(pair.guest.receive(later))
    assert isinstance(sync, Sync)
    assert (sync.need, sync.head) == (1, 1)
    assert len(pair.guest.ledger.log(Role.HOST)) == 1


@pytest.mark.requirement("MP-SYNC-1")
def test_a_gap_is_asked_for_once_until_there_is_a_new_connection() -> None:
    pair = Pair.started()
    lose_a_move(pair)
    later = craft(pair.host.ledger, Role.HOST, "resign")
    assert len(sends(pair.guest.receive(later))) == 1
    assert pair.guest.receive(later) == []
    assert len(sends(pair.guest.on_connected())) == 2
    assert pair.guest.receive(later) == []


@pytest.mark.requirement("MP-SYNC-1", "MP-SYNC-3")
def test_two_nodes_that_cannot_agree_fall_silent() -> None:
    # The host holds a message that the guest's program denies having written.
    pair = Pair.started()
    denied = craft(pair.host.ledger, Role.GUEST, "score", score="0-1", termination="no-moves")
    pair.carry(Role.HOST, pair.host.receive(denied))
    pair.carry(Role.HOST, pair.host.on_connected())
    pair.carry(Role.GUEST, pair.guest.on_connected())
    assert len(pair.wire) < 30
    assert pair.guest.ledger.fault is None


@pytest.mark.requirement("MP-SYNC-2")
def test_what_was_lost_comes_again_byte_for_byte() -> None:
    pair = Pair.started()
    lost = [encode(message) for message in sends(lose_a_move(pair))]
    again = sends(pair.host.receive(a_sync(pair, Role.GUEST)))
    assert [encode(message) for message in again] == lost
    pair.guest.receive(again[0])
    assert dump_record(pair.guest.ledger) == dump_record(pair.host.ledger)


@pytest.mark.requirement("MP-SYNC-2")
def test_one_request_is_answered_in_order_and_within_bounds() -> None:
    pair = Pair.started()
    choices = random.Random(0)
    pair.play_out(choices.randrange(1000) for _ in range(400))
    whole = pair.host.ledger.log(Role.HOST)
    assert len(whole) > RESEND_LIMIT
    sync = forge(a_sync(pair, Role.GUEST), GUEST_KEY, need=0)
    assert sends(pair.host.receive(sync)) == list(whole[:RESEND_LIMIT])
    sync = forge(sync, GUEST_KEY, need=len(whole) - 1)
    assert sends(pair.host.receive(sync)) == [whole[-1]]
    sync = forge(sync, GUEST_KEY, need=99_999)
    assert sends(pair.host.receive(sync)) == []


@pytest.mark.requirement("MP-SYNC-3")
def test_whoever_learns_that_the_other_is_ahead_asks_in_turn() -> None:
    pair = Pair.started()
    lose_a_move(pair)
    (sync,) = sends(pair.guest.receive(a_sync(pair, Role.HOST)))
    assert isinstance(sync, Sync)
    assert sync.need == 1


@pytest.mark.requirement("MP-SYNC-10")
def test_whoever_has_lost_its_own_messages_is_given_them_back_as_they_were_signed() -> None:
    pair = Pair.started()
    pair.play_out([0] * 6)
    said = pair.host.ledger.log(Role.HOST)
    knows = forge(a_sync(pair, Role.HOST), HOST_KEY, head=1)
    given = [each for each in sends(pair.guest.receive(knows)) if isinstance(each, Recall)]
    assert [encode(each.message) for each in given] == [encode(each) for each in said[1:]]
    # Who lacks nothing takes nothing from it.
    before = dump_record(pair.host.ledger)
    assert all(pair.host.receive(each) == [] for each in given)
    assert dump_record(pair.host.ledger) == before


@pytest.mark.requirement("MP-SYNC-10")
def test_what_is_given_back_is_bounded_and_for_the_author_alone() -> None:
    pair = Pair.started()
    choices = random.Random(0)
    pair.play_out(choices.randrange(1000) for _ in range(400))
    knows = forge(a_sync(pair, Role.HOST), HOST_KEY, head=0)
    given = [each for each in sends(pair.guest.receive(knows)) if isinstance(each, Recall)]
    assert len(given) == RESEND_LIMIT
    assert not sends(pair.guest.receive(forge(knows, OTHER_KEY)))


@pytest.mark.requirement("MP-SYNC-11")
@pytest.mark.parametrize("role", Role)
def test_a_request_with_a_nonce_is_echoed_behind_what_it_lacks(role: Role) -> None:
    pair = Pair.started()
    pair.play_out([0] * 6)
    behind = forge(a_sync(pair, role), KEYS[role], need=1, head=1, nonce=NONCE)
    *given, echo = sends(pair.players[role.other].receive(behind))
    assert {type(each) for each in given[:-1]} >= {Move}
    assert isinstance(given[-1], Recall)
    assert isinstance(echo, Sync)
    ledger = pair.host.ledger
    assert (echo.need, echo.head) == (len(ledger.log(role)), len(ledger.log(role.other)))
    assert (echo.nonce, echo.echo) == (None, NONCE)
    # An echo is answered by none, or two nodes would echo each other without end.
    assert not sends(pair.players[role].receive(echo))


@pytest.mark.requirement("MP-SYNC-11")
def test_a_request_with_a_nonce_that_knows_more_is_asked_back_by_its_echo_alone() -> None:
    pair = Pair.started()
    lose_a_move(pair)
    (echo,) = sends(pair.guest.receive(forge(a_sync(pair, Role.HOST), HOST_KEY, nonce=NONCE)))
    assert isinstance(echo, Sync)
    assert (echo.need, echo.echo) == (1, NONCE)


@pytest.mark.requirement("MP-SYNC-11")
@pytest.mark.parametrize("field", ["nonce", "echo"])
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_games_of_earlier_versions_know_no_echo(version: str, field: str) -> None:
    with of_version(version):
        pair = Pair.started()
        pair.play("g2")
    plain = forge(a_sync(pair, Role.GUEST), GUEST_KEY, need=0)
    (ignored,) = pair.host.receive(forge(plain, GUEST_KEY, **{field: NONCE}))
    assert isinstance(ignored, Ignored)
    assert ignored.code == "sync/version"
    assert len(sends(pair.host.receive(plain))) == 2


def test_no_request_asks_for_an_echo_and_is_one() -> None:
    pair = Pair.started()
    fields = a_sync(pair, Role.GUEST).fields() | {"nonce": NONCE, "echo": NONCE}
    with pytest.raises(MalformedMessage, match="cannot ask for an echo and be one"):
        decode(canonical_json(fields))


@pytest.mark.requirement("MP-SYNC-4")
def test_requests_of_others_are_not_answered() -> None:
    pair = Pair.started()
    pair.play("g2")
    true = forge(a_sync(pair, Role.GUEST), GUEST_KEY, need=0)
    for false in (
        forge(true, OTHER_KEY),
        forge(true, OTHER_KEY, **{"from": OTHER_KEY.node}),
        forge(true, GUEST_KEY, game="0" * 64),
        forge(true, HOST_KEY, **{"from": HOST_KEY.node}),
        true.model_copy(update={"head": 99}),
    ):
        assert [type(effect) for effect in pair.host.receive(false)] == [Ignored]
    assert len(sends(pair.host.receive(true))) == 2


def test_before_there_is_a_guest_nobody_can_ask_the_host() -> None:
    pair = Pair.make()
    sync = forge(Sync(game=pair.offer.digest, author=GUEST_KEY.node, need=0, head=0), GUEST_KEY)
    assert [type(effect) for effect in pair.host.receive(sync)] == [Ignored]


@pytest.mark.requirement("MP-SYNC-5")
def test_a_guest_that_waits_repeats_its_join_when_it_is_connected_again() -> None:
    pair = Pair.make()
    (first,) = sends(pair.guest.ask_to_join(NONCE, AGENT))
    (again,) = sends(pair.guest.on_connected())
    assert isinstance(first, Join)
    assert encode(again) == encode(first)


@pytest.mark.requirement("MP-SYNC-5")
def test_a_player_that_is_connected_again_repeats_its_newest_message_and_asks() -> None:
    pair = Pair.started()
    pair.play("g2")
    newest, sync = sends(pair.host.on_connected())
    assert newest == pair.host.ledger.log(Role.HOST)[-1]
    assert isinstance(sync, Sync)
    assert (sync.need, sync.head) == (1, 2)


def test_a_host_without_a_guest_has_nothing_to_say_on_a_new_connection() -> None:
    pair = Pair.make()
    assert pair.host.on_connected() == []
    assert pair.host.complete_pending() == []


@pytest.mark.requirement("MP-LOG-3")
def test_a_duplicate_has_no_effect_wherever_the_game_is() -> None:
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play_out()
    for role in Role:
        before = dump_record(pair.players[role].ledger)
        for message in pair.players[role.other].ledger.log(role.other):
            effects = pair.players[role].receive(message)
            assert not of_kind(effects, Keep)
        assert dump_record(pair.players[role].ledger) == before


@pytest.mark.requirement("MP-NODE-2")
def test_a_restart_at_any_kept_message_goes_on_with_the_same_game() -> None:
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play_out()
    for role in Role:
        kept = of_kind(pair.effects[role], Keep)
        said = [encode(message) for message in pair.players[role].ledger.log(role)]
        for count in range(1, len(kept) + 1):
            session = restored(pair.players[role], kept[:count])
            assert session.ledger.entries == pair.players[role].ledger.entries[:count]
            for message in sends([*session.on_connected(), *session.complete_pending()]):
                if not isinstance(message, Sync):
                    assert encode(message) in said


@pytest.mark.requirement("MP-NODE-2")
def test_a_host_that_stopped_between_join_and_start_starts_now() -> None:
    pair = Pair.make()
    (join, *_) = of_kind(pair.host.receive(sends(pair.guest.ask_to_join(NONCE, AGENT))[0]), Keep)
    again = restored(pair.host, [join])
    assert again.ledger.phase is Phase.JOINED
    effects = again.complete_pending()
    assert of_kind(effects, Started)
    assert sends(effects) == [pair.host.ledger.log(Role.HOST)[0]]


@pytest.mark.requirement("MP-NODE-2")
def test_a_player_that_stopped_before_its_score_writes_it_now() -> None:
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play_out()
    kept = of_kind(pair.effects[Role.HOST], Keep)[:-2]
    again = restored(pair.host, kept)
    assert again.ledger.phase is Phase.OVER
    assert sends(again.complete_pending()) == [pair.host.ledger.log(Role.HOST)[-1]]
    assert again.complete_pending() == []


def test_a_missing_score_is_got_by_asking() -> None:
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play("-")
    move = pair.guest.ledger.position.parse_move("g1")
    pair.host.receive(sends(pair.guest.play(move, 0))[0])
    assert pair.host.ledger.phase is Phase.SCORED
    pair.carry(Role.GUEST, pair.guest.on_connected())
    for player in pair.players.values():
        assert player.ledger.phase is Phase.CLOSED


@pytest.mark.requirement("MP-PRES-1")
def test_a_status_changes_no_game() -> None:
    pair = Pair.started()
    before = dump_record(pair.host.ledger)
    for state in ("online", "left", "lost"):
        status = Status.model_validate(
            {"game": pair.offer.digest, "from": GUEST_KEY.node, "epoch": 2**50, "state": state}
        )
        assert pair.host.receive(forge(status, GUEST_KEY)) == []
    assert dump_record(pair.host.ledger) == before


def test_only_the_opponent_can_vouch_for_a_note() -> None:
    pair = Pair.started()
    sync = a_sync(pair, Role.GUEST)
    assert pair.host.is_signed_by_opponent(sync)
    assert not pair.guest.is_signed_by_opponent(sync)
    assert not pair.host.is_signed_by_opponent(forge(sync, OTHER_KEY))
    assert not PlayerSession(Pair.make().host.ledger, Role.HOST, HOST_KEY).is_signed_by_opponent(
        sync
    )


def test_notes_that_are_not_for_players_are_passed_over() -> None:
    pair = Pair.started()
    assert pair.host.receive(pair.offer) == []


def test_sending_is_all_that_a_repeat_does() -> None:
    pair = Pair.started()
    pair.play("g2")
    effects = pair.host.receive(a_sync(pair, Role.GUEST))
    assert {type(effect) for effect in effects} <= {Send}


@pytest.mark.requirement("MP-SYNC-6")
def test_a_guest_takes_the_newest_message_from_the_state_of_a_host_that_is_gone() -> None:
    pair = Pair.started()
    move = pair.host.ledger.position.parse_move("g2")
    (message,) = sends(pair.host.play(move, 5))
    (part,) = state_parts(pair.host.ledger)
    for forged in (signed(part, OTHER_KEY), forge(part, HOST_KEY, game="0" * 64)):
        pair.guest.receive(forged)
        assert pair.guest.ledger.moves == ()
    effects = pair.guest.receive(signed(part, HOST_KEY))
    assert [played.move for played in of_kind(effects, Moved)] == [move]
    assert pair.guest.ledger.log(Role.HOST)[-1] == message
    assert not pair.guest.receive(signed(part, HOST_KEY))


@pytest.mark.requirement("MP-SYNC-7")
def test_a_guest_confirms_the_last_word_of_the_host() -> None:
    pair = Pair.started(grace_ms=60_000)
    claim = pair.guest.claim("silence", 60_000)
    pair.carry(Role.GUEST, claim)
    assert pair.guest.ledger.phase is Phase.CLOSED
    confirmation = pair.wire[-1]
    assert isinstance(confirmation, Sync)
    assert confirmation.author == GUEST_KEY.node
    assert confirmation.need == len(pair.host.ledger.log(Role.HOST))
