"""Attacks on records and on what is counted: mixed, altered, and shown twice."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from ataxxd.errors import RemoteProtocolError, VerificationError
from ataxxd.session.ledger import Ledger
from ataxxd.session.points import count_points_of_all
from ataxxd.session.record import dump_record, verify_record
from ataxxd.session.state import Role
from ataxxd.tournament.tournament import Tournament
from ataxxd_protocol.messages import EventRound
from ataxxd_protocol.signing import canonical_json
from tests.conformance.games import HOST_KEY, ONE_MOVE_LEFT, OTHER_KEY, Pair, forge
from tests.conformance.signatures import re_signed
from tests.conformance.tournaments import NODES, make_plan, one_more
from tests.explore.terms import STARTS


def played(**changes: Any) -> dict[str, Any]:
    """The record of a game, as JSON."""
    pair = Pair.started(**{"start": ONE_MOVE_LEFT} | changes)
    pair.play_out()
    record: dict[str, Any] = json.loads(dump_record(pair.host.ledger))
    return record


def other_offer(record: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return record | {"offer": other["offer"]}


def other_entries(record: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return record | {"entries": other["entries"], "sigs": other["sigs"]}


def last_entries(record: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return record | {"entries": [*record["entries"][:3], *other["entries"][3:]]}


def other_sigs(record: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return record | {"sigs": other["sigs"]}


def one_sig(record: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return record | {"sigs": record["sigs"] | {"guest": other["sigs"]["guest"]}}


def entries_twice(record: dict[str, Any], _: dict[str, Any]) -> dict[str, Any]:
    return record | {"entries": [*record["entries"], *record["entries"][2:]]}


@pytest.mark.attack("A-27")
@pytest.mark.parametrize(
    "mix", [other_offer, other_entries, last_entries, other_sigs, one_sig, entries_twice]
)
def test_a_record_mixed_of_two_games_does_not_hold(
    mix: Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]],
) -> None:
    one, other = played(), played(created_ms=1_700_000_000_001)
    mixed = canonical_json(mix(one, other)) + b"\n"
    with pytest.raises(VerificationError):
        verify_record(mixed)


@pytest.mark.attack("A-28")
def test_entries_of_another_ruleset_do_not_hold() -> None:
    ataxx = played()
    ruleset, start = STARTS["reversi"]
    reversi = played(ruleset=ruleset, start=start)
    for one, other in ((ataxx, reversi), (reversi, ataxx)):
        with pytest.raises(VerificationError):
            verify_record(canonical_json(one | {"entries": other["entries"]}) + b"\n")
        with pytest.raises(VerificationError):
            verify_record(canonical_json(other_entries(one, other)) + b"\n")
    uai = ataxx | {"offer": ataxx["offer"] | {"ruleset": "ataxx/uai"}}
    with pytest.raises(VerificationError, match="does not hold"):
        verify_record(canonical_json(uai) + b"\n")


@pytest.mark.attack("A-29")
@pytest.mark.parametrize("by", Role)
def test_a_record_cut_before_a_loss_hides_nothing_from_who_has_the_rest(by: Role) -> None:
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play_out()
    whole = pair.host.ledger
    honest = count_points_of_all([whole])
    for place in range(len(whole.line)):
        cut = Ledger(pair.offer)
        for role, message in whole.line[:place]:
            cut.accept(role, message)
        both = [cut, whole] if by is Role.HOST else [whole, cut]
        assert count_points_of_all(both) == honest


@pytest.mark.attack("A-30")
def test_a_record_that_is_signed_again_is_the_same_game() -> None:
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play_out()
    record = dump_record(pair.host.ledger)
    again = re_signed(record, HOST_KEY)
    assert again != record
    one, other = verify_record(record).ledger, verify_record(again).ledger
    assert [m.digest for _, m in one.line] == [m.digest for _, m in other.line]
    assert count_points_of_all([one, other]) == count_points_of_all([one])


@pytest.mark.attack("A-31")
def test_rounds_of_another_event_and_rounds_said_twice_change_no_table() -> None:
    ours, theirs = make_plan(4), make_plan(4, created_ms=1_700_000_000_001)
    event, other = Tournament(ours), Tournament(theirs)
    first, foreign = one_more(event), one_more(other)
    second = one_more(event, ["1-0"])
    before = list(event.rounds)
    wrong: list[EventRound] = [
        foreign,
        first,
        forge(second, HOST_KEY, results=[{"score": "0-1"}, {"score": "0-1"}]),
        forge(second, OTHER_KEY),
        forge(second, HOST_KEY, withdrawn=[NODES[0]]),
        second.model_copy(update={"byes": (NODES[0],)}),
    ]
    for each in wrong:
        with pytest.raises(RemoteProtocolError):
            event.accept_round(each)
        assert event.rounds == before


@pytest.mark.attack("A-32")
def test_a_game_of_an_older_version_is_not_begun_and_its_record_not_relabelled() -> None:
    record = played()
    for version in ("1.0", "1.1", "1.3", "2.0"):
        for changed in (
            record | {"v": version},
            record | {"v": version, "offer": record["offer"] | {"v": version}},
        ):
            with pytest.raises(VerificationError):
                verify_record(canonical_json(changed) + b"\n")


@pytest.mark.attack("A-33")
@pytest.mark.parametrize("by", Role)
def test_nobody_is_blamed_for_what_is_left_out_of_a_record(by: Role) -> None:
    pair = Pair.started()
    pair.play("g2", "b1", "f1")
    whole = pair.host.ledger
    # The accuser leaves a message of its own out, so that the other seems to write out of turn.
    kept = [each for each in whole.line if each != whole.line[4 if by is Role.HOST else 3]]
    ledger = Ledger(pair.offer)
    for role, message in kept:
        try:
            ledger.accept(role, message)
        except RemoteProtocolError:
            break
    assert ledger.fault is None or ledger.fault.role is by
