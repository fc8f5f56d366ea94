"""Which seeks fit, and which of two that wait gives way: by what their offers say alone."""

import itertools

import pytest

from ataxxd.errors import UsageError
from ataxxd.node.offers import Terms
from ataxxd.node.seats import parse_name
from ataxxd.node.seeking import (
    RatingRange,
    SeekTerms,
    is_seek,
    must_join_other,
    new_name,
    read_range,
)
from ataxxd.rules import Position
from ataxxd.rules.notation.game import GameRecord
from ataxxd_protocol.messages import Offer
from tests.conformance.games import GUEST_KEY, HOST_KEY, RULESET, WITNESS_KEYS, make_offer

SEEK = "seek-abcdef"
SIDES = ("first", "second", "random")


def wish(color: str = "random", **terms: object) -> SeekTerms:
    return SeekTerms(GameRecord(Position.start(RULESET)), color, Terms(**terms))  # type: ignore[arg-type]


def fits(offer: Offer) -> bool:
    return wish(grace_ms=900_000).matches(offer)


def test_a_seek_of_the_same_game_by_the_same_terms_fits() -> None:
    assert fits(make_offer(name=SEEK, grace_ms=900_000))
    assert fits(make_offer(name="seek-1200-1600-abcdef", grace_ms=900_000))


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "ourgame"},
        {"name": "seek-5-abcdef"},
        {"grace_ms": 60_000},
        {"takebacks": "never"},
        {"clock": {"base_ms": 300_000, "increment_ms": 0, "lag_ms": 2_000}},
        {"access": "invited"},
        {"access": GUEST_KEY.node},
        {"opening": ["a7-a6"]},
        {"ruleset": "ataxx/uai"},
        {"witnesses": [WITNESS_KEYS[0].node]},
    ],
    ids=str,
)
def test_anything_else_does_not(changes: dict[str, object]) -> None:
    assert not fits(make_offer(**{"name": SEEK, "grace_ms": 900_000, **changes}))


def test_two_who_want_the_same_side_do_not_fit_and_who_wants_either_fits_all() -> None:
    fitting = {
        (wanted, hosted)
        for wanted, hosted in itertools.product(SIDES, SIDES)
        if wish(wanted).matches(make_offer(name=SEEK, color=hosted))
    }
    assert fitting == {
        ("first", "second"),
        ("second", "first"),
        *(("random", hosted) for hosted in SIDES),
    }


@pytest.mark.parametrize(("one", "other"), [*itertools.product(SIDES, SIDES)])
def test_of_two_who_fit_exactly_one_gives_way_whatever_their_ages(one: str, other: str) -> None:
    for earlier in (0, 1, 2):
        ours = make_offer(HOST_KEY, name=SEEK, color=one, created_ms=1)
        theirs = make_offer(GUEST_KEY, name="seek-uvwxyz", color=other, created_ms=earlier)
        we_can, they_can = wish(one).matches(theirs), wish(other).matches(ours)
        if not (we_can or they_can):
            assert one == other != "random"
            continue
        we_do = we_can and must_join_other(ours, theirs)
        they_do = they_can and must_join_other(theirs, ours)
        assert we_do is not they_do


def test_a_name_says_the_range_and_is_one_of_a_game() -> None:
    wanted = RatingRange.parse("1200-1600")
    for name, said in ((new_name(wanted), wanted), (new_name(None), None)):
        assert parse_name(name) == name
        assert is_seek(name)
        assert read_range(name) == said
    assert read_range("ourgame-1200-1600-abcdef") is None
    assert [rating in wanted for rating in (1199, 1200, 1600, 1601)] == [False, True, True, False]


@pytest.mark.parametrize("text", ["", "1200", "1600-1200", "-100-200", "1200-20000", "a-b"])
def test_a_range_that_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--rating-range"):
        RatingRange.parse(text)
