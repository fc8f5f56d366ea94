"""An abort in an event: alone it is lost, and agreed to it is nobody's and may be played again."""

import pytest

from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, dump_record, verify_record
from ataxxd.session.state import Role
from ataxxd.tournament.tournament import is_voided, result_of
from tests.conformance.games import Pair, of_version


def aborted(*moves: str, by: Role) -> Ledger:
    """A game that a player aborted alone, verified from its record."""
    pair = Pair.started()
    pair.play(*moves)
    pair.carry(by, pair.players[by].ask("abort"))
    verdict = verify_record(dump_record(pair.host.ledger))
    assert verdict.standing is Standing.AGREED
    return verdict.ledger


@pytest.mark.requirement("MP-EVENT-13")
def test_whoever_aborts_alone_has_lost_and_takes_nothing_from_the_other() -> None:
    assert result_of(aborted(by=Role.HOST)).score == "0-1"
    assert result_of(aborted("g2", by=Role.GUEST)).score == "1-0"
    assert not is_voided(aborted(by=Role.HOST))


@pytest.mark.requirement("MP-EVENT-8", "MP-EVENT-13")
def test_an_abort_that_both_agreed_to_is_nobodys_and_makes_room_for_another_game() -> None:
    pair = Pair.started()
    pair.play("g2", "b1")
    pair.carry(Role.GUEST, pair.guest.ask("abort"))
    pair.carry(Role.HOST, pair.host.agree())
    assert result_of(pair.host.ledger).score == "*"
    assert is_voided(pair.host.ledger)


@pytest.mark.requirement("MP-EVENT-13")
def test_an_agreed_abort_of_who_has_not_moved_is_agreed_all_the_same() -> None:
    pair = Pair.started()
    pair.carry(Role.GUEST, pair.guest.ask("abort"))
    pair.carry(Role.HOST, pair.host.agree())
    assert result_of(pair.host.ledger).score == "*"


def test_an_abort_in_a_game_of_an_earlier_version_counts_as_it_did() -> None:
    with of_version("1.1"):
        ledger = aborted(by=Role.HOST)
    assert result_of(ledger).score == "*"
    assert is_voided(ledger)


def test_a_game_that_goes_on_or_has_a_result_is_not_void() -> None:
    pair = Pair.started()
    assert not is_voided(pair.host.ledger)
    pair.carry(Role.HOST, pair.host.resign())
    assert not is_voided(pair.host.ledger)
