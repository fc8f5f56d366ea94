"""Decisions that cross other messages: whoever hears what first, all come to one record."""

import itertools
from typing import Any

import pytest

from ataxxd.errors import RemoteProtocolError
from ataxxd.rules import Outcome, Side
from ataxxd.session.events import TakenBack
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record, state_parts, verify_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import signed
from ataxxd_protocol.messages import AnyLogMessage
from tests.conformance.games import HOST_KEY, ONE_MOVE_LEFT, Pair, craft, of_kind, sends
from tests.conformance.scenarios import decision

GRACE = {"grace_ms": 60_000}
Told = tuple[Role, AnyLogMessage]


def orders(told: list[Told]) -> list[list[Told]]:
    """Every order in which the mailboxes can be mixed; each stays in its own order."""
    found = []
    for order in itertools.permutations(range(len(told))):
        per = [[i for i in order if told[i][0] is role] for role in Role]
        if all(indices == sorted(indices) for indices in per):
            found.append([told[i] for i in order])
    return found


def told_in_every_order(ledger: Ledger, told: list[Told]) -> Ledger:
    """The ledger after all of `told`, the same for every order, also as a record says."""
    records, ends = set(), []
    for order in orders(told):
        end, waiting = ledger.copy(), list(order)
        while waiting:
            role, message = next(
                (r, m) for r, m in waiting if end.count_up_to(r.other, m.seen) is not None
            )
            waiting.remove((role, message))
            end.accept(role, message)
        records.add(dump_record(end))
        ends.append(end)
    assert len(records) == 1
    again = verify_record(records.pop()).ledger
    assert (again.outcome, again.phase) == (ends[0].outcome, ends[0].phase)
    return ends[0]


def after(ledger: Ledger, *told: Told) -> Ledger:
    changed = ledger.copy()
    for role, message in told:
        changed.accept(role, message)
    return changed


def waiting(**terms: Any) -> Ledger:
    """The host waits for the guest's answer to its first move."""
    pair = Pair.started(**GRACE | terms)
    pair.play("g2" if "start" not in terms else "-")
    return pair.host.ledger


@pytest.mark.requirement("MP-CROSS-1", "MP-CROSS-2")
def test_a_move_that_crosses_a_claim_is_set_aside() -> None:
    ledger = waiting()
    claim = (Role.HOST, decision(ledger, Role.HOST, "silence", 60_000))
    move = (Role.GUEST, craft(ledger, Role.GUEST, "move", move="b1", elapsed_ms=1))
    end = told_in_every_order(ledger, [claim, move])
    assert end.outcome == Outcome("abandoned", Side.FIRST)
    assert len(end.moves) == 1
    assert end.scorer is Role.GUEST
    score = craft(end, Role.GUEST, "score")
    closed = told_in_every_order(ledger, [claim, move, (Role.GUEST, score)])
    assert closed.phase is Phase.CLOSED


@pytest.mark.requirement("MP-CROSS-2")
def test_even_a_winning_move_and_its_score_are_set_aside() -> None:
    pair = Pair.started(start=ONE_MOVE_LEFT, color="second", **GRACE)
    pair.play("-")
    ledger = pair.host.ledger
    move = (Role.HOST, craft(ledger, Role.HOST, "move", move="g1", elapsed_ms=1))
    over = after(ledger, move)
    assert over.phase is Phase.OVER
    score = (Role.HOST, craft(over, Role.HOST, "score"))
    claim = (Role.GUEST, decision(ledger, Role.GUEST, "silence", 60_000))
    end = told_in_every_order(ledger, [move, score, claim])
    assert end.outcome == Outcome("abandoned", Side.FIRST)
    answer = (Role.HOST, craft(end, Role.HOST, "score"))
    assert told_in_every_order(ledger, [move, score, claim, answer]).phase is Phase.CLOSED


@pytest.mark.requirement("MP-CROSS-3")
def test_of_two_claims_the_earlier_stands() -> None:
    ledger = waiting()
    early = (Role.HOST, decision(ledger, Role.HOST, "silence", 60_000))
    move = (Role.GUEST, craft(ledger, Role.GUEST, "move", move="b1", elapsed_ms=1))
    late = (Role.GUEST, decision(after(ledger, move), Role.GUEST, "silence", 60_000))
    end = told_in_every_order(ledger, [early, move, late])
    assert end.outcome == Outcome("abandoned", Side.FIRST)


@pytest.mark.requirement("MP-CROSS-3")
@pytest.mark.parametrize("accuser", Role)
def test_a_proof_goes_before_a_claim_at_the_same_place(accuser: Role) -> None:
    pair = Pair.started(**GRACE)
    pair.play("g2")
    if accuser is Role.HOST:
        pair.play("b1")
    ledger = pair.host.ledger
    # The cheat waits for the other, and has signed a second message meanwhile.
    cheat = accuser.other
    base = Pair.started(**GRACE)
    if accuser is Role.HOST:
        base.play("g2")
    second = craft(
        base.host.ledger,
        cheat,
        "move",
        move="b6" if cheat is Role.HOST else "f7",
        elapsed_ms=5,
    )
    accusation = craft(
        ledger,
        accuser,
        "score",
        score="1-0" if accuser is Role.HOST else "0-1",
        termination="double-dealing",
        proof=second.fields(),
    )
    claim = decision(ledger, cheat, "silence", 60_000)
    end = told_in_every_order(ledger, [(accuser, accusation), (cheat, claim)])
    assert end.outcome is not None
    assert end.outcome.termination == "double-dealing"
    assert end.outcome.winner is end.side_of(accuser)


@pytest.mark.requirement("MP-CROSS-1")
def test_a_decision_by_somebody_who_has_answered_since_is_a_fault() -> None:
    pair = Pair.started(**GRACE)
    pair.play("g2", "b1", "b6")
    ledger = pair.guest.ledger
    old = ledger.log(Role.GUEST)[0].digest
    bogus = craft(
        ledger,
        Role.HOST,
        "score",
        score="1-0",
        termination="abandoned",
        claim={"reason": "silence", "waited_ms": 60_000},
        seen=old,
    )
    fault = ledger.copy().accept(Role.HOST, bogus)
    assert fault is not None
    assert fault.code == "chain/wrong-seen"


@pytest.mark.requirement("MP-CROSS-2")
def test_no_more_than_two_messages_are_set_aside() -> None:
    ledger = waiting()
    decided = after(ledger, (Role.HOST, decision(ledger, Role.HOST, "silence", 60_000)))
    old = ledger.head(Role.HOST)
    for _ in range(2):
        decided.accept(Role.GUEST, craft(decided, Role.GUEST, "resign", seen=old))
    before = dump_record(decided)
    with pytest.raises(RemoteProtocolError, match="wrote on"):
        decided.accept(Role.GUEST, craft(decided, Role.GUEST, "resign", seen=old))
    assert dump_record(decided) == before


@pytest.mark.requirement("MP-CROSS-2")
def test_a_player_learns_that_its_move_was_set_aside_and_signs_the_result() -> None:
    pair = Pair.started(**GRACE)
    pair.play("g2")
    claim = pair.host.claim("silence", 60_000)
    pair.carry(Role.GUEST, pair.guest.play(pair.guest.ledger.position.parse_move("b1"), 5))
    pair.carry(Role.HOST, claim)
    assert [move.text for move in of_kind(pair.effects[Role.GUEST], TakenBack)[0].moves] == ["b1"]
    assert {pair.players[role].ledger.phase for role in Role} == {Phase.CLOSED}
    assert dump_record(pair.host.ledger) == dump_record(pair.guest.ledger)


@pytest.mark.requirement("MP-STATE-5", "MP-CROSS-2")
def test_a_spectator_follows_a_decision_that_it_hears_of_last() -> None:
    pair = Pair.started(**GRACE)
    pair.play("g2")
    spectator = SpectatorSession(Ledger(pair.offer))
    for message in pair.wire:
        spectator.receive(message)
    claim = pair.host.claim("silence", 60_000)
    move = sends(pair.guest.play(pair.guest.ledger.position.parse_move("b1"), 5))[0]
    spectator.receive(move)
    pair.host.receive(move)
    assert len(spectator.ledger.moves) == 2
    assert sends(claim)
    (part,) = state_parts(pair.host.ledger)
    effects = spectator.receive(signed(part, HOST_KEY))
    assert of_kind(effects, TakenBack)
    assert dump_record(spectator.ledger) == dump_record(pair.host.ledger)
