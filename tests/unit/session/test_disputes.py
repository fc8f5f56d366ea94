"""What games count as, and that no act of a player counts for more than to play on."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest

from ataxxd.rules import Side
from ataxxd.session.ledger import Ledger
from ataxxd.session.points import Points, count_points_of_all, merge_records
from ataxxd.session.state import Role
from tests.conformance.games import WITNESS_KEYS
from tests.unit.session.deviations import (
    ACTS,
    OUTAGE,
    UNHEARD,
    Case,
    cases,
)

UNSEEN = {OUTAGE, UNHEARD}
# These are to go silent, too, with a move that nobody but witnesses has heard.
MUTE = {
    "moves in a blip, repeats nothing and contests",
    "moves in a blip, repeats nothing and shows it late",
}
Counting: TypeAlias = Callable[[Sequence[Ledger]], Points | str]
Rule: TypeAlias = Callable[[Ledger, Role], Points | str]


@pytest.fixture(scope="module")
def tried() -> list[Case]:
    """Every act at every moment of the small games."""
    return list(cases())


@pytest.fixture(scope="module")
def witnessed() -> list[Case]:
    """The same before three witnesses, of whom the third lies, or not, or says nothing."""
    return list(cases([key.node for key in WITNESS_KEYS]))


def profitable(
    tried: Sequence[Case], counted: Counting = count_points_of_all
) -> list[tuple[Case, Points | str]]:
    """Whatever is worth more to its author than to play on."""
    return [
        (case, count)
        for case in tried
        for count in (case.counts if counted is count_points_of_all else map(counted, case.shown))
        if case.worth(count) > case.worth(case.played_on)
    ]


def test_no_act_is_worth_more_to_its_author_than_to_play_on(tried: list[Case]) -> None:
    paying = [(case, count) for case, count in profitable(tried) if case.act not in UNSEEN]
    assert [f"{case.name}: {count}" for case, count in paying] == []
    assert {case.act for case in tried} == ACTS
    losing = [case for case in tried if case.worth(case.played_on) == 0]
    assert {case.act for case in losing} == ACTS, "each is tried by who is about to lose, too"
    shown = sum(len(case.shown) for case in tried)
    print(f"{shown} endings of {len(tried)} cases of {len(ACTS)} acts")


def test_only_an_outage_of_the_other_before_a_move_pays_whoever_lies_about_it(
    tried: list[Case],
) -> None:
    # What would tell is when a witness heard the move (docs/design/disputes.md).
    assert {case.act for case, _ in profitable(tried)} == UNSEEN


def test_before_witnesses_no_act_pays_not_even_where_one_of_three_lies_or_says_nothing(
    witnessed: list[Case],
) -> None:
    assert [f"{case.name}: {count}" for case, count in profitable(witnessed)] == []
    assert {case.act for case in witnessed} == ACTS
    shown = [records for case in witnessed for records in case.shown]
    told = sum(any(each.statements for each in records) for records in shown)
    print(f"{len(shown)} endings, {told} with statements, of {len(witnessed)} cases")


def test_where_too_few_witnesses_say_anything_a_game_counts_as_one_without(
    witnessed: list[Case],
) -> None:
    def unheard(ledgers: Sequence[Ledger]) -> Points | str:
        return count_points_of_all([_with_one(each) for each in ledgers])

    assert {case.act for case, _ in profitable(witnessed, unheard)} == UNSEEN


def test_before_witnesses_claims_cost_whoever_keeps_the_rules_less(
    tried: list[Case], witnessed: list[Case]
) -> None:
    left = MUTE | {"keeps a claim and stops"}
    assert harmful(witnessed) == left
    assert len(harmful(tried)) > 20


def _with_one(ledger: Ledger) -> Ledger:
    """The game with what one witness says."""
    alone = ledger.copy()
    alone.statements = tuple(
        each for each in ledger.statements if each.author == WITNESS_KEYS[0].node
    )
    return alone


def harmful(tried: Sequence[Case]) -> set[str]:
    """The acts that take something from the other player."""
    return {
        case.act
        for case in tried
        for count in case.counts
        if case.worth(count, own=False) < case.worth(case.played_on, own=False)
    }


def test_only_claims_and_their_denial_take_anything_from_who_keeps_the_rules(
    tried: list[Case],
) -> None:
    found = harmful(tried)
    assert all("claim" in act or "silent" in act or act in MUTE for act in found), found
    print(sorted(found))


def won_by(side: Side | None) -> Points:
    """A game with a winner."""
    return Points(2 * (side is Side.FIRST), 2 * (side is Side.SECOND))


def contested_as(rule: Rule) -> Counting:
    """The rules, but for contested games, of which `rule` says who gets what."""

    def counted(ledgers: Sequence[Ledger]) -> Points | str:
        count = count_points_of_all(ledgers)
        if isinstance(count, str) or (count.first, count.second) != (0, 0):
            return count
        whole = merge_records(ledgers)
        assert whole.decision is not None
        return rule(whole, whole.decision)

    return counted


def unanswered_loses(game: Ledger, claimant: Role) -> Points:
    """Who claims, and is not there for the other's answer, has lost; else both have."""
    denied = any(message.type == "score" for message in game.log(claimant.other))
    return Points(0, 0) if denied else won_by(game.side_of(claimant.other))


@pytest.mark.parametrize(
    ("rule", "acts"),
    [
        (lambda _game, _claimant: "not counted", {"claims falsely", "goes silent and contests"}),
        (
            lambda game, claimant: won_by(game.side_of(claimant.other)),
            {"goes silent and contests", "goes silent and moves late"},
        ),
        (
            lambda game, claimant: won_by(game.side_of(claimant)),
            {"claims falsely", "keeps a claim and stops"},
        ),
        (unanswered_loses, {"goes silent and moves late"}),
    ],
    ids=["not counted", "won by the accused", "won by the claimant", "lost by who left"],
)
def test_every_other_rule_for_contested_games_pays_somebody_who_lies(
    tried: list[Case], rule: Rule, acts: set[str]
) -> None:
    found = {case.act for case, _ in profitable(tried, contested_as(rule))}
    missing = {act for act in acts if not any(each.startswith(act) for each in found)}
    assert not missing, sorted(found)
