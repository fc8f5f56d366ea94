"""What games count as, and that no act of a player counts for more than to play on."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest

from ataxxd.rules import Side
from ataxxd.session.counting import Count, count_of_all, merged
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record
from ataxxd.session.roles import Role
from tests.conformance.games import ONE_MOVE_LEFT, SHORT_ENDGAME
from tests.unit.session.deviations import (
    ACTS,
    CLOCK,
    GRACE_MS,
    Case,
    Table,
    cases,
    first_move,
)

Counting: TypeAlias = Callable[[Sequence[Ledger]], Count | str]
Rule: TypeAlias = Callable[[Ledger, Role], Count | str]


@pytest.fixture(scope="module")
def tried() -> list[Case]:
    """Every act at every moment of the small games."""
    return list(cases())


def profitable(
    tried: Sequence[Case], counted: Counting = count_of_all
) -> list[tuple[Case, Count | str]]:
    """Whatever is worth more to its author than to play on."""
    return [
        (case, count)
        for case in tried
        for count in map(counted, case.shown)
        if case.worth(count) > case.worth(case.played_on)
    ]


def test_no_act_is_worth_more_to_its_author_than_to_play_on(tried: list[Case]) -> None:
    assert [f"{case.name}: {count}" for case, count in profitable(tried)] == []
    assert {case.act for case in tried} == ACTS
    losing = [case for case in tried if case.worth(case.played_on) == 0]
    assert {case.act for case in losing} == ACTS, "each is tried by who is about to lose, too"
    shown = sum(len(case.shown) for case in tried)
    print(f"{shown} endings of {len(tried)} cases of {len(ACTS)} acts")


def test_only_claims_and_their_denial_take_anything_from_who_keeps_the_rules(
    tried: list[Case],
) -> None:
    harmful = {
        case.act
        for case in tried
        for count in map(count_of_all, case.shown)
        if case.worth(count, own=False) < case.worth(case.played_on, own=False)
    }
    assert all("claim" in act or act.startswith("goes silent") for act in harmful), harmful
    print(sorted(harmful))


def won_by(side: Side | None) -> Count:
    """A game with a winner."""
    return Count(2 * (side is Side.FIRST), 2 * (side is Side.SECOND))


def contested_as(rule: Rule) -> Counting:
    """The rules, but for contested games, of which `rule` says who gets what."""

    def counted(ledgers: Sequence[Ledger]) -> Count | str:
        count = count_of_all(ledgers)
        if isinstance(count, str) or (count.first, count.second) != (0, 0):
            return count
        whole = merged(ledgers)
        assert whole.decision is not None
        return rule(whole, whole.decision)

    return counted


def unanswered_loses(game: Ledger, claimant: Role) -> Count:
    """Who claims, and is not there for the other's answer, has lost; else both have."""
    denied = any(message.type == "score" for message in game.log(claimant.other))
    return Count(0, 0) if denied else won_by(game.side_of(claimant.other))


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


@pytest.mark.parametrize("timed", [{"grace_ms": GRACE_MS}, {"clock": CLOCK}], ids=["grace", "flag"])
@pytest.mark.parametrize("start", [ONE_MOVE_LEFT, SHORT_ENDGAME], ids=["last move", "any move"])
def test_a_claim_hidden_from_whom_it_is_against_and_a_move_made_too_late_are_one_record(
    start: str, timed: dict[str, object]
) -> None:
    # So no rule can let the first of these win without letting the second win, too.
    terms = {"start": start, "color": "first", **timed}

    silent = Table.started(**terms)
    move = first_move(silent.host.ledger)
    silent.deaf = Role.HOST
    silent.claims(Role.GUEST)
    (claim,) = silent.guest.ledger.log(Role.GUEST)[-1:]
    silent.deaf = Role.GUEST
    silent.carry(Role.HOST, silent.host.play(move, 1_000))

    lied_to = Table.started(**terms)
    hidden = lied_to.guest.ledger.copy()
    hidden.accept(Role.GUEST, claim)
    lied_to.deaf = Role.GUEST
    lied_to.now += 1
    lied_to.carry(Role.HOST, lied_to.host.play(move, 1_000))

    shown = [hidden, lied_to.host.ledger]
    silence = [silent.guest.ledger, silent.host.ledger]
    assert dump_record(merged(shown)) == dump_record(merged(silence))
    count = count_of_all(shown)
    assert isinstance(count, Count)
    assert (count.first, count.second) == (0, 0)
