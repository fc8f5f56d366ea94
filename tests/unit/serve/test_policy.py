"""Which games a bot takes, and what it says of those that it declines."""

from typing import Any

import pytest

from ataxxd.node.offers import Terms, new_offer
from ataxxd.rules import Position
from ataxxd.rules.notation.game import GameRecord
from ataxxd.serve.plan import Load, Policy, forty_move_time_ms
from ataxxd.times import parse_clock
from ataxxd_protocol.messages import Offer
from tests.conformance.games import GUEST_KEY, HOST_KEY, WITNESS_KEYS, forge

MINUTE = 60_000


def offered(
    clock: str = "none", ruleset: str = "ataxx/uai", grace_ms: int | None = MINUTE
) -> Offer:
    """An offer of the host's."""
    fields: dict[str, Any] = {"clock": parse_clock(clock), "grace_ms": grace_ms}
    fields = {name: value for name, value in fields.items() if value is not None}
    return new_offer(
        HOST_KEY, "ourgame", GameRecord(Position.start(ruleset)), color="first", secret="ab" * 16,
        now_ms=0, lasts_ms=MINUTE, terms=Terms(**fields),
    )  # fmt: skip


HOST, GUEST = HOST_KEY.node, GUEST_KEY.node
BUSY = "challenge/busy"
CLOCK, TERMS = "challenge/clock", "challenge/terms"
DAY = 24 * 60 * MINUTE
WATCHED = forge(offered(), HOST_KEY, witnesses=[WITNESS_KEYS[0].node])


@pytest.mark.parametrize(
    ("policy", "offer", "load", "code", "reason"),
    [
        (Policy(), offered(), Load(), None, ""),
        (Policy(who=frozenset({HOST})), offered(), Load(), None, ""),
        (Policy(who=frozenset({GUEST})), offered(), Load(), "challenge/unwanted", "certain"),
        (Policy(rulesets=frozenset({"ataxx/uai"})), offered(), Load(), None, ""),
        (
            Policy(rulesets=frozenset({"loa/cs61b", "ataxx/cs61b-2022"})),
            offered(), Load(), "challenge/ruleset", "plays ataxx/cs61b-2022, loa/cs61b",
        ),
        (Policy(without_clock=False), offered(), Load(), CLOCK, "with a clock only"),
        (Policy(shortest_ms=MINUTE), offered(), Load(), None, ""),
        (Policy(shortest_ms=MINUTE), offered("59s"), Load(), CLOCK, "wants 1m or more for 40"),
        (Policy(shortest_ms=MINUTE), offered("20s+1s"), Load(), None, ""),
        (Policy(longest_ms=MINUTE), offered("1m"), Load(), None, ""),
        (Policy(longest_ms=MINUTE), offered("1m+1s"), Load(), CLOCK, "plays 1m or less for 40"),
        (Policy(longest_ms=MINUTE), offered("2s/move"), Load(), CLOCK, "1m or less"),
        (Policy(), WATCHED, Load(), TERMS, "without witnesses"),
        (Policy(), offered(grace_ms=None), Load(), TERMS, "loses within 7d: give the game a clock"),
        (Policy(), offered(grace_ms=8 * DAY), Load(), TERMS, "loses within 7d"),
        (Policy(), offered("8d/move", grace_ms=None), Load(), TERMS, "loses within 7d"),
        (Policy(), offered("3d/move", grace_ms=None), Load(), None, ""),
        (Policy(), offered("10m", grace_ms=8 * DAY), Load(), None, ""),
        (Policy(patience_ms=DAY), offered("2d/move"), Load(), None, ""),
        (Policy(patience_ms=DAY), offered("2d/move", grace_ms=None), Load(), TERMS, "within 1d"),
        (Policy(at_once=2), offered(), Load(games=1), None, ""),
        (Policy(at_once=2), offered(), Load(games=2), BUSY, "plays 2 games already"),
        (Policy(at_once=9, per_peer=2), offered(), Load(5, 1), None, ""),
        (Policy(at_once=9, per_peer=2), offered(), Load(5, 2), BUSY, "one node it plays 2"),
    ],
)  # fmt: skip
def test_a_game_is_taken_or_declined_with_the_reason(
    policy: Policy, offer: Offer, load: Load, code: str | None, reason: str
) -> None:
    declined = policy.check(offer, HOST, load)
    assert (None if declined is None else declined.code) == code
    assert declined is None or reason in declined.reason


@pytest.mark.parametrize(
    ("clock", "time_ms"),
    [("none", None), ("10m", 10 * MINUTE), ("1m+5s", 260_000), ("3s/move", 120_000)],
)
def test_a_clock_is_measured_by_forty_moves(clock: str, time_ms: int | None) -> None:
    assert forty_move_time_ms(offered(clock)) == time_ms
