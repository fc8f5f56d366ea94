"""Events: everybody comes to the same pairings and the same table, and names what is wrong."""

import json
from typing import Any

import pytest

from ataxxd.errors import RemoteProtocolError
from ataxxd.session.record import dump_record
from ataxxd.session.state import Role
from ataxxd.tournament.tournament import (
    Board,
    Tournament,
    check_offer_fits,
    forfeit_result,
    game_name,
    result_of,
)
from ataxxd_protocol import decode, position_digest, signed
from ataxxd_protocol.messages import EventPlan, EventRound, Offer, Pairing
from ataxxd_protocol.signing import digest
from tests.conformance.games import (
    GUEST_KEY,
    HOST_KEY,
    OTHER_KEY,
    RULESET,
    SHORT_ENDGAME,
    Pair,
    forge,
    make_offer,
)
from tests.conformance.make_vectors import FOLDER
from tests.conformance.tournaments import NODES, make_plan, one_more, table_of, wrong_rounds

VECTORS: dict[str, Any] = json.loads((FOLDER / "events.json").read_bytes())
BERGER_6 = ("1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1")
BOARD = Pairing(first=HOST_KEY.node, second=GUEST_KEY.node)


def course_of(case: dict[str, Any]) -> Tournament:
    plan = decode(case["plan"].encode())
    assert isinstance(plan, EventPlan)
    tournament = Tournament(plan)
    for payload in case["rounds"]:
        following = decode(payload.encode())
        assert isinstance(following, EventRound)
        tournament.accept_round(following)
    return tournament


def in_numbers(tournament: Tournament) -> list[str]:
    """The pairings of every round by places in the plan, from 1."""
    number = {node: str(seat) for seat, node in enumerate(tournament.plan.players, 1)}
    return [
        " ".join(f"{number[each.first]}-{number[each.second]}" for each in one.pairings)
        for one in tournament.rounds
    ]


@pytest.mark.requirement("MP-EVENT-10")
@pytest.mark.parametrize("case", VECTORS["valid"], ids=lambda case: str(case["name"]))
def test_whole_events_hold_and_end_in_their_table(case: dict[str, Any]) -> None:
    tournament = course_of(case)
    assert tournament.over
    assert table_of(tournament) == case["table"]


@pytest.mark.requirement("MP-EVENT-2", "MP-EVENT-3")
@pytest.mark.parametrize("case", VECTORS["wrong"], ids=lambda case: str(case["reason"]))
def test_a_round_that_does_not_follow_is_named_and_changes_nothing(case: dict[str, Any]) -> None:
    tournament = course_of(case)
    before = list(tournament.rounds)
    following = decode(case["round"].encode())
    assert isinstance(following, EventRound)
    with pytest.raises(RemoteProtocolError) as caught:
        tournament.accept_round(following)
    assert caught.value.code == case["code"]
    assert tournament.rounds == before


def test_every_wrong_round_is_a_vector() -> None:
    assert len(VECTORS["wrong"]) == len(wrong_rounds())


def test_a_wrong_pairing_is_told_with_the_right_one() -> None:
    _, tournament, following = next(each for each in wrong_rounds() if each[0] == "sides changed")
    with pytest.raises(RemoteProtocolError, match=r"round 2, board 1: .* against .* give .*"):
        tournament.accept_round(following)


@pytest.mark.requirement("MP-EVENT-1")
def test_a_plan_that_is_forged_or_not_understood_is_refused() -> None:
    plan = make_plan()
    for wrong, code in (
        (plan.model_copy(update={"rounds": 4}), "event/forged"),
        (forge(plan, OTHER_KEY), "event/forged"),
        (forge(plan, HOST_KEY, host=OTHER_KEY.node), "event/forged"),
        (forge(plan, HOST_KEY, v="1.99"), "event/version"),
        (forge(plan, HOST_KEY, ruleset="chess/fide"), "event/ruleset"),
    ):
        with pytest.raises(RemoteProtocolError) as caught:
            Tournament(wrong)
        assert caught.value.code == code


@pytest.mark.requirement("MP-EVENT-4")
def test_a_round_robin_has_bergers_pairings_and_changes_sides_the_second_time() -> None:
    tournament = Tournament(make_plan(6, system="round-robin", rounds=10))
    for _ in range(10):
        one_more(tournament)
    again = [
        " ".join("-".join(reversed(each.split("-"))) for each in line.split()) for line in BERGER_6
    ]
    assert in_numbers(tournament) == [*BERGER_6, *again]


@pytest.mark.requirement("MP-EVENT-4")
def test_who_was_to_meet_a_withdrawn_player_is_free() -> None:
    tournament = Tournament(make_plan(6, system="round-robin", rounds=5))
    one_more(tournament)
    second = one_more(tournament, withdrawn=[NODES[4]])
    assert in_numbers(tournament)[1] == "6-4 1-2"
    assert second.byes == (NODES[2],)
    third = one_more(tournament)
    assert in_numbers(tournament)[2] == "2-6 3-1"
    assert third.byes == (NODES[3],)


@pytest.mark.requirement("MP-EVENT-10")
def test_a_bye_is_worth_a_win_in_a_swiss_system_and_nothing_in_a_round_robin() -> None:
    for system, bye in (("round-robin", 0), ("swiss", 2)):
        tournament = Tournament(make_plan(3, system=system, rounds=3))
        for _ in range(4):
            one_more(tournament, ["1-0"])
        table = [line for _, line in tournament.standings()]
        assert [line.byes for line in table] == [1, 1, 1]
        assert all(line.points == 2 * line.won + bye for line in table)


@pytest.mark.requirement("MP-EVENT-10")
def test_who_was_to_meet_a_withdrawn_player_has_won_and_who_is_free_by_the_table_has_not() -> None:
    tournament = Tournament(make_plan(5, system="round-robin", rounds=2))
    one_more(tournament, withdrawn=[NODES[4]])
    # 1 was to meet nobody, 2 the player who has withdrawn.
    assert tournament.rounds[0].byes == (NODES[0], NODES[1])
    one_more(tournament, ["1/2-1/2"])
    points = {node: line.points for node, line in tournament.standings()}
    assert [points[node] for node in NODES[:5]] == [0, 2, 1, 1, 0]


@pytest.mark.requirement("MP-EVENT-5", "MP-EVENT-6", "MP-EVENT-7")
def test_a_swiss_round_pairs_the_upper_half_with_the_lower_and_winners_with_winners() -> None:
    tournament = Tournament(make_plan(8, rounds=3))
    one_more(tournament)
    assert in_numbers(tournament)[0] == "1-5 6-2 3-7 8-4"
    one_more(tournament, ["1-0", "0-1", "1-0", "0-1"])
    # 1 to 4 have won; 1 and 3 moved first, and so meet 4 and 2, who did not.
    assert in_numbers(tournament)[1] == "4-1 2-3 5-8 7-6"
    one_more(tournament, ["0-1", "0-1", "1-0", "1-0"])
    # 1 and 3 had the same sides; so had all others who stand alike.
    assert in_numbers(tournament)[2] == "1-3 5-2 7-4 6-8"


@pytest.mark.requirement("MP-EVENT-5")
def test_the_lowest_who_had_no_bye_yet_has_it() -> None:
    tournament = Tournament(make_plan(5, rounds=3))
    free = [one_more(tournament, ["1-0", "0-1"]).byes for _ in range(3)]
    assert len({node for (node,) in free}) == 3
    assert free[0] == (NODES[4],)


def event_offer(**changes: Any) -> Offer:
    return make_offer(
        HOST_KEY, name="open-r2-b1", access=GUEST_KEY.node, created_ms=1_700_000_000_001, **changes
    )


@pytest.mark.requirement("MP-EVENT-8")
def test_only_the_game_that_the_plan_says_is_the_pairings() -> None:
    plan = make_plan()
    board = Board(2, 1, game_name(plan, 2, 1), BOARD, None)
    assert board.name == "open-r2-b1"
    check_offer_fits(plan, board, event_offer())
    hashed = {"start": SHORT_ENDGAME, "start_hash": position_digest(RULESET, SHORT_ENDGAME)}
    for field, wrong in (
        ("name", make_offer(name="open-r2-b2", access=GUEST_KEY.node)),
        ("host", make_offer(OTHER_KEY, name="open-r2-b1", access=GUEST_KEY.node)),
        ("access", make_offer(name="open-r2-b1")),
        ("color", event_offer(color="second")),
        ("start", event_offer(**hashed)),
        ("opening", event_offer(opening=("b6",))),
        ("grace_ms", event_offer(grace_ms=1)),
        ("takebacks", event_offer(takebacks="never")),
        ("witnesses", event_offer(witnesses=[OTHER_KEY.node])),
        ("rematch_of", event_offer(rematch_of="0" * 64)),
        ("before", forge(event_offer(), HOST_KEY, created_ms=1)),
    ):
        with pytest.raises(RemoteProtocolError, match=field):
            check_offer_fits(plan, board, wrong)


@pytest.mark.requirement("MP-EVENT-9")
def test_a_result_is_what_its_record_gives_and_who_had_to_act_has_lost() -> None:
    over = Pair.started()
    over.carry(Role.HOST, over.host.resign())
    for pair, score in ((over, "0-1"), (played("g2"), "1-0"), (played("g2", "b1"), "0-1")):
        ledger = pair.host.ledger
        result = result_of(ledger)
        assert result.score == score
        assert result.game == ledger.game
        assert result.record == digest(dump_record(ledger))
    assert forfeit_result(offered=True).score == "1-0"
    assert forfeit_result(offered=False).score == "0-1"


def played(*moves: str) -> Pair:
    pair = Pair.started()
    pair.play(*moves)
    return pair


def test_a_node_says_which_round_it_took_for_its_own() -> None:
    tournament = Tournament(make_plan(4))
    first = one_more(tournament)
    assert first.prev == tournament.plan.digest
    second = one_more(tournament)
    assert second.prev == first.digest
    assert [board.number for board in tournament.boards] == [1, 1, 2, 2]
    assert [board.result is None for board in tournament.boards] == [False, False, True, True]


def test_what_one_host_signed_another_cannot_go_on_with() -> None:
    tournament = Tournament(make_plan(4))
    made = tournament.next_round([], created_ms=1_700_000_000_000)
    with pytest.raises(RemoteProtocolError, match="not signed"):
        tournament.accept_round(signed(made, OTHER_KEY))
