"""What a record says of a result: it bears it out, contradicts it, or says nothing."""

import pytest

from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record
from ataxxd.session.state import Role
from ataxxd.tournament.tournament import (
    CheckedResult,
    Finding,
    Tournament,
    audit_results,
    result_of,
)
from ataxxd_protocol import signed
from ataxxd_protocol.messages import EventPlan, Result
from tests.conformance.games import GUEST_KEY, HOST_KEY, Pair, craft
from tests.conformance.scenarios import decision
from tests.conformance.tournaments import NOW_MS, make_plan

NAME = "open-r1-b1"


def game(*, over: bool = True, **changes: object) -> Pair:
    """A game of the event's first board; its first player has resigned."""
    fields = {"name": NAME, "access": GUEST_KEY.node, "created_ms": NOW_MS}
    pair = Pair.started(**fields | changes)
    if over:
        pair.carry(Role.HOST, pair.host.resign())
    else:
        pair.play("g2")
    return pair


def judged(
    result: Result, records: dict[str, bytes], plan: EventPlan | None = None
) -> CheckedResult:
    """What is found of the one result of an event."""
    tournament = Tournament(plan or make_plan(2, rounds=1))
    for results in ([], [result]):
        tournament.accept_round(signed(tournament.next_round(results, created_ms=NOW_MS), HOST_KEY))
    (checked,) = audit_results(tournament, records)
    return checked


RESIGNED = game()
RECORD = dump_record(RESIGNED.host.ledger)
TRUE = result_of(RESIGNED.host.ledger)
LIE = TRUE.model_copy(update={"score": "1-0"})


def test_a_result_with_its_record_holds() -> None:
    assert TRUE.score == "0-1"
    assert judged(TRUE, {NAME: RECORD}).finding is Finding.HOLDS


def test_a_result_that_its_own_record_contradicts_is_wrong() -> None:
    checked = judged(LIE, {NAME: RECORD})
    assert checked.finding is Finding.WRONG
    assert checked.why == "its own record gives 0-1, the host says 1-0"


@pytest.mark.parametrize(
    "result", [LIE.model_copy(update={"record": "0" * 64}), Result(score="1-0")], ids=str
)
def test_a_result_against_what_both_players_signed_is_disputed(result: Result) -> None:
    assert judged(result, {NAME: RECORD}).finding is Finding.DISPUTED


def test_a_game_that_ended_otherwise_after_all_leaves_the_same_result_standing() -> None:
    earlier = TRUE.model_copy(update={"record": "0" * 64})
    assert judged(earlier, {NAME: RECORD}).finding is Finding.HOLDS


def contested(*, answered: bool = True) -> Ledger:
    """The second player claims a silence that was none, from before the first one's move."""
    fields = {"name": NAME, "access": GUEST_KEY.node, "created_ms": NOW_MS, "grace_ms": 60_000}
    pair = Pair.started(**fields)
    lie = decision(pair.guest.ledger, Role.GUEST, "silence", 900_000)
    pair.play("g2")
    ledger = pair.host.ledger.copy()
    ledger.accept(Role.GUEST, lie)
    if answered:
        ledger.accept(Role.HOST, craft(ledger, Role.HOST, "score", had_ms=5, since_ms=9_000))
    return ledger


@pytest.mark.requirement("MP-EVENT-9", "MP-COUNT-3")
@pytest.mark.parametrize("answered", [True, False])
def test_a_false_claim_wins_nobody_a_point(answered: bool) -> None:
    ledger = contested(answered=answered)
    result, record = result_of(ledger), {NAME: dump_record(ledger)}
    assert result.score == "*"
    plan = make_plan(2, rounds=1, grace_ms=60_000)
    assert judged(result, record, plan).finding is Finding.HOLDS
    assert judged(result, record, plan).board.result == result
    drawn = result.model_copy(update={"score": "1/2-1/2"})
    assert judged(drawn, record, plan).finding is Finding.WRONG


def test_what_no_record_shows_is_unseen() -> None:
    unfinished = dump_record(game(over=False).host.ledger)
    other = dump_record(game(takebacks="never").host.ledger)
    for result, records in (
        (TRUE, {}),
        (Result(score="1-0"), {}),
        (TRUE, {NAME: b"{}\n"}),
        (TRUE, {NAME: other}),
        (TRUE, {NAME: dump_record(Pair.make(name=NAME).host.ledger)}),
        (LIE, {NAME: unfinished}),
    ):
        checked = judged(result, records)
        assert checked.finding is Finding.UNSEEN
        assert checked.why
