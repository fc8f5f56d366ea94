"""Spectators: early, late and after the end; what they believe and what they wait for."""

import random
from collections.abc import Sequence

import pytest

from ataxxd.session.events import Closed, Effect, Ignored, Moved, Over, Started
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record, state_parts
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import encode, signed
from ataxxd_protocol.messages import LogMessage, StatePart
from tests.conformance.games import (
    GUEST_KEY,
    HOST_KEY,
    NONCE,
    ONE_MOVE_LEFT,
    OTHER_KEY,
    Pair,
    craft,
    forge,
    of_kind,
)

TAMPERED = "0" * 64


def spectator(pair: Pair) -> SpectatorSession:
    return SpectatorSession(Ledger(pair.offer))


def up_to_date(watching: SpectatorSession) -> bool:
    return not watching.behind


def signed_parts(pair: Pair) -> list[StatePart]:
    """The host's retained state as it is published."""
    return [signed(part, HOST_KEY) for part in state_parts(pair.host.ledger)]


def feed(watching: SpectatorSession, messages: Sequence[LogMessage | StatePart]) -> list[Effect]:
    effects: list[Effect] = []
    for message in messages:
        effects += watching.receive(message)  # type: ignore[arg-type] # log messages are all known
    return effects


def spoken(pair: Pair) -> list[LogMessage]:
    return [message for message in pair.wire if isinstance(message, LogMessage)]


def a_game(**changes: str) -> Pair:
    """A game of 225 plies."""
    pair = Pair.started(**changes)
    choices = random.Random(0)
    pair.play_out(choices.randrange(1000) for _ in range(400))
    return pair


@pytest.mark.requirement("MP-REC-2")
def test_early_and_late_spectators_have_the_players_record_byte_for_byte() -> None:
    pair = a_game()
    early, late, half = spectator(pair), spectator(pair), spectator(pair)
    feed(early, spoken(pair))
    feed(late, signed_parts(pair))
    feed(half, spoken(pair)[:50])
    feed(half, signed_parts(pair))
    record = dump_record(pair.host.ledger)
    for watching in (early, late, half):
        assert dump_record(watching.ledger) == record
        assert up_to_date(watching)


def test_a_spectator_sees_the_same_events_live_and_from_the_state() -> None:
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play("-", "g1")
    live = feed(spectator(pair), spoken(pair))
    from_state = feed(spectator(pair), signed_parts(pair))
    assert live == from_state
    kinds = [type(effect) for effect in live]
    assert kinds == [Started, Moved, Moved, Over, Closed]


@pytest.mark.requirement("MP-STATE-4")
def test_states_may_repeat_overlap_and_come_out_of_order() -> None:
    pair = a_game()
    parts = signed_parts(pair)
    assert len(parts) > 2
    watching = spectator(pair)
    for part in (*parts[:0:-1], parts[1]):
        assert watching.receive(part) == []
        assert watching.behind
        assert watching.ledger.phase is Phase.OPEN
    feed(watching, [parts[0]])
    assert up_to_date(watching)
    feed(watching, [parts[1], parts[0], *parts])
    assert dump_record(watching.ledger) == dump_record(pair.host.ledger)


def test_an_early_part_that_does_not_hold_is_left_for_one_that_does() -> None:
    pair = a_game()
    *others, last = signed_parts(pair)
    wrong = signed(last.model_copy(update={"entries": last.entries[:-1]}), HOST_KEY)
    watching = spectator(pair)
    feed(watching, [wrong, *reversed(others)])
    assert len(watching.ledger.entries) == last.first
    feed(watching, [last])
    assert dump_record(watching.ledger) == dump_record(pair.host.ledger)


@pytest.mark.requirement("MP-LOG-5")
def test_an_answer_that_overtakes_its_question_is_nobodys_fault() -> None:
    pair = Pair.started()
    pair.play("g2", "b1")
    join, start, move, answer = spoken(pair)
    watching = spectator(pair)
    feed(watching, [join, start])
    assert feed(watching, [answer]) == []
    assert watching.ledger.fault is None
    assert watching.behind
    assert of_kind(feed(watching, [move]), Moved)
    assert watching.behind
    assert of_kind(feed(watching, [answer]), Moved)
    assert up_to_date(watching)


@pytest.mark.requirement("MP-LOG-5")
def test_an_accusation_that_overtakes_its_evidence_is_no_false_proof() -> None:
    pair = Pair.started()
    second = craft(pair.guest.ledger, Role.HOST, "move", move="g2", elapsed_ms=1)
    pair.play("b6")
    pair.carry(Role.GUEST, pair.guest.receive(second))
    join, start, move, accusation, score = spoken(pair)
    watching = spectator(pair)
    assert not of_kind(feed(watching, [join, start, accusation]), Over)
    feed(watching, [move, accusation, score])
    assert dump_record(watching.ledger) == dump_record(pair.guest.ledger)


@pytest.mark.requirement("MP-LOG-2", "MP-LOG-3")
def test_gaps_are_waited_for_and_duplicates_ignored() -> None:
    pair = Pair.started()
    pair.play("g2", "b1", "f1")
    join, start, move, answer, third = spoken(pair)
    watching = spectator(pair)
    feed(watching, [join, start, join, start, third])
    assert watching.behind
    assert len(watching.ledger.entries) == 2
    feed(watching, [move, move, answer, answer])
    assert watching.behind
    feed(watching, [third, third])
    assert up_to_date(watching)
    assert len(watching.ledger.entries) == 5


def test_a_stranger_cannot_make_a_spectator_forget_that_it_is_behind() -> None:
    pair = Pair.started()
    pair.play("g2", "b1")
    join, start, move, answer = spoken(pair)
    watching = spectator(pair)
    feed(watching, [join, start, answer])
    assert watching.behind
    feed(watching, [forge(move, OTHER_KEY, **{"from": OTHER_KEY.node})])
    assert watching.behind


def test_a_start_whose_join_was_missed_is_waited_for() -> None:
    pair = Pair.started()
    pair.play("g2", "b1")
    _, start, _, answer = spoken(pair)
    for message in (start, answer):
        watching = spectator(pair)
        assert feed(watching, [message]) == []
        assert watching.behind
        feed(watching, signed_parts(pair))
        assert up_to_date(watching)


def test_joins_by_the_dozen_fill_no_memory() -> None:
    pair = Pair.started()
    join, start = spoken(pair)
    watching = spectator(pair)
    for number in range(100):
        feed(watching, [forge(join, GUEST_KEY, nonce=f"{number:032x}")])
    assert len(watching._joins) <= 32
    feed(watching, [join, start])
    assert watching.behind
    feed(watching, signed_parts(pair))
    assert watching.ledger.phase is Phase.PLAYING


@pytest.mark.requirement("MP-LOG-1", "MP-LOG-4")
def test_a_spectator_believes_no_forgery() -> None:
    pair = Pair.started()
    pair.play("g2")
    join, start, move = spoken(pair)
    watching = spectator(pair)
    forged: list[LogMessage] = [
        forge(join, OTHER_KEY),
        forge(start, OTHER_KEY),
        forge(start, GUEST_KEY, **{"from": GUEST_KEY.node}),
    ]
    for message in forged:
        feed(watching, [message])
        assert watching.ledger.entries == ()
    feed(watching, [join, start])
    (ignored,) = feed(watching, [forge(move, GUEST_KEY)])
    assert isinstance(ignored, Ignored)
    assert ignored.code == "chain/forged"
    assert feed(watching, [forge(move, HOST_KEY, game=TAMPERED)])[0] == Ignored(
        "chain/other-game", "the message belongs to another game"
    )
    assert len(watching.ledger.entries) == 2


def test_a_start_against_the_offer_starts_nothing() -> None:
    pair = Pair.started()
    join, start = spoken(pair)
    watching = spectator(pair)
    feed(watching, [join])
    (ignored,) = feed(watching, [forge(start, HOST_KEY, host_side="second")])
    assert isinstance(ignored, Ignored)
    assert ignored.code == "start/side"
    assert watching.ledger.phase is Phase.OPEN
    assert of_kind(feed(watching, [start]), Started)


@pytest.mark.requirement("MP-FAULT-1", "MP-FAULT-2")
def test_a_spectator_judges_a_breach_as_the_players_do() -> None:
    pair = Pair.started()
    bad = craft(pair.guest.ledger, Role.HOST, "move", move="d4", position=TAMPERED, elapsed_ms=1)
    watching = spectator(pair)
    feed(watching, [*spoken(pair), bad])
    pair.guest.receive(bad)
    assert watching.ledger.fault == pair.guest.ledger.fault
    assert watching.ledger.outcome == pair.guest.ledger.outcome


@pytest.mark.requirement("MP-LOG-6")
def test_a_join_in_mid_game_is_judged_alike_by_host_and_spectator() -> None:
    pair = Pair.started()
    join = craft(
        pair.host.ledger, Role.GUEST, "join", key=GUEST_KEY.public_key, nonce=NONCE, agent="x"
    )
    watching = spectator(pair)
    feed(watching, [*spoken(pair), join])
    pair.host.receive(join)
    assert pair.host.ledger.fault is not None
    assert watching.ledger.fault == pair.host.ledger.fault


def test_a_second_message_with_a_number_is_noted_and_not_taken() -> None:
    pair = Pair.started()
    second = craft(pair.guest.ledger, Role.HOST, "move", move="g2", elapsed_ms=1)
    pair.play("b6")
    watching = spectator(pair)
    feed(watching, spoken(pair))
    (ignored,) = feed(watching, [second])
    assert isinstance(ignored, Ignored)
    assert ignored.code == "chain/double-dealing"


@pytest.mark.requirement("MP-STATE-5")
def test_a_state_that_contradicts_what_was_verified_is_refused() -> None:
    told, kept = Pair.started(), Pair.started()
    told.play("g2")
    kept.play("b6", "b1")
    watching = spectator(told)
    feed(watching, spoken(told))
    before = dump_record(watching.ledger)
    (ignored,) = feed(watching, signed_parts(kept))
    assert isinstance(ignored, Ignored)
    assert ignored.code == "state/contradiction"
    assert dump_record(watching.ledger) == before


@pytest.mark.requirement("MP-STATE-3")
def test_nothing_of_a_part_is_believed_when_anything_in_it_fails() -> None:
    pair = Pair.started()
    pair.play("g2", "b1")
    (part,) = signed_parts(pair)
    others = Pair.started(color="second")
    others.play("g2")
    tampered = part.entries[2].model_copy(update={"set": part.entries[2].set | {"elapsed_ms": 7}})
    wrong = {
        "by another": forge(part, OTHER_KEY),
        "in another's name": forge(part, GUEST_KEY, **{"from": GUEST_KEY.node}),
        "of another game": forge(part, HOST_KEY, game=TAMPERED),
        "altered": part.model_copy(update={"entries": part.entries[:3]}),
        "without a signature": forge(part, HOST_KEY, sigs={"host": part.sigs.host}),
        "with another signature": forge(
            part, HOST_KEY, sigs={"host": part.sigs.guest, "guest": part.sigs.guest}
        ),
        "with an altered entry": signed(
            part.model_copy(update={"entries": (*part.entries[:2], tampered)}), HOST_KEY
        ),
        "with entries invented by the host": signed(
            part.model_copy(update={"entries": part.entries[:3]}), HOST_KEY
        ),
    }
    for what, false in wrong.items():
        watching = spectator(pair)
        effects = watching.receive(false)
        assert [type(effect) for effect in effects] == [Ignored], what
        assert watching.ledger.entries == (), what
        assert watching.ledger.phase is Phase.OPEN


@pytest.mark.requirement("MP-STATE-1", "MP-STATE-2")
def test_the_state_is_cut_into_parts_that_fit_and_join() -> None:
    pair = a_game()
    parts = signed_parts(pair)
    assert [part.part for part in parts] == list(range(len(parts)))
    end = 0
    for part in parts:
        assert part.first == end
        end += len(part.entries)
        assert len(encode(part)) <= 16_384
        for role in Role:
            count = sum(entry.by == role for entry in pair.host.ledger.entries[:end])
            newest = pair.host.ledger.log(role)[count - 1]
            assert getattr(part.sigs, role) == newest.sig
    assert end == len(pair.host.ledger.entries)


@pytest.mark.requirement("MP-STATE-1", "MP-STATE-2")
def test_before_the_start_the_state_is_one_empty_part() -> None:
    (part,) = state_parts(Pair.make().host.ledger)
    assert (part.part, part.first, part.entries) == (0, 0, ())
    assert part.sigs.fields() == {}


def test_a_spectator_of_a_part_can_go_on_live() -> None:
    pair = Pair.started()
    pair.play("g2", "b1")
    watching = spectator(pair)
    feed(watching, signed_parts(pair))
    said = len(pair.wire)
    pair.play("f1")
    assert of_kind(feed(watching, spoken(pair)[said:]), Moved)
    assert dump_record(watching.ledger) == dump_record(pair.host.ledger)


def test_notes_are_passed_over() -> None:
    pair = Pair.started()
    assert spectator(pair).receive(pair.offer) == []
