"""What games count as, and that no act of a player counts for more than to play on."""

import pytest

from tests.unit.session.deviations import ACTS, Case, cases


@pytest.fixture(scope="module")
def tried() -> list[Case]:
    """Every act at every moment of the small games."""
    return list(cases())


def test_no_act_is_worth_more_to_its_author_than_to_play_on(tried: list[Case]) -> None:
    profitable = [
        f"{case.name}: {count}"
        for case in tried
        for count in case.shown
        if case.worth(count) > case.worth(case.played_on)
    ]
    assert not profitable, "\n".join(profitable)
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
        for count in case.shown
        if case.worth(count, own=False) < case.worth(case.played_on, own=False)
    }
    assert all("claim" in act or act.startswith("goes silent") for act in harmful), harmful
    print(sorted(harmful))
