"""Claims: a player whose opponent does not answer wins by the agreed rule, and only by it."""

from typing import Any

import pytest

from ataxxd.errors import LocalProtocolError, RemoteProtocolError
from ataxxd.rules import Outcome, Position, Side
from ataxxd.session.events import Keep, Over
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import Times
from ataxxd.session.record import Standing, dump_record, standing_of, verify_record
from ataxxd.session.state import Phase, Role
from tests.conformance.games import (
    GUEST_KEY,
    Pair,
    craft,
    forge,
    of_kind,
    of_version,
    restored,
)
from tests.conformance.scenarios import CLOCK, EACH, decision

GRACE = {"grace_ms": 60_000}


def waiting(**terms: Any) -> Pair:
    """A game in which the host waits for the guest's answer."""
    pair = Pair.started(**terms)
    pair.play("g2")
    return pair


@pytest.mark.requirement("MP-CLAIM-1", "MP-CLAIM-2", "MP-CLAIM-4")
def test_a_silence_longer_than_the_grace_may_be_claimed() -> None:
    pair = waiting(**GRACE)
    pair.carry(Role.HOST, pair.host.claim("silence", 60_000))
    for role in Role:
        ledger = pair.players[role].ledger
        assert ledger.outcome == Outcome("abandoned", Side.FIRST)
        assert ledger.phase is Phase.CLOSED
        assert of_kind(pair.effects[role], Over) == [Over(Outcome("abandoned", Side.FIRST), None)]
    verdict = verify_record(dump_record(pair.guest.ledger))
    assert verdict.standing is Standing.AGREED
    assert dump_record(pair.host.ledger) == dump_record(pair.guest.ledger)


@pytest.mark.requirement("MP-CLAIM-3", "MP-CLAIM-4", "MP-TIME-1", "MP-TIME-4")
@pytest.mark.parametrize(
    ("version", "moves", "least"),
    [
        ("1.0", ["g2"], 12_001),
        ("1.1", ["g2"], 42_001),
        ("1.1", ["g2", "b1", "b6"], 13_001),
    ],
)
def test_a_flag_may_be_claimed_when_clock_and_lag_are_used_up(
    version: str, moves: list[str], least: int
) -> None:
    with of_version(version):
        pair = Pair.started(clock=CLOCK)
        pair.play(*moves)
        with pytest.raises(LocalProtocolError, match=f"has thought for {least // 1000}"):
            pair.host.claim("flag", least - 1)
        pair.carry(Role.HOST, pair.host.claim("flag", least))
        assert pair.guest.ledger.outcome == Outcome("time", Side.FIRST)


@pytest.mark.requirement("MP-CLAIM-1")
def test_a_player_cannot_claim_on_its_own_turn() -> None:
    pair = waiting(**GRACE)
    with pytest.raises(LocalProtocolError, match="only while you wait"):
        pair.guest.claim("silence", 90_000)
    pair.host.receive(decision(pair.guest.ledger, Role.GUEST, "silence", 90_000))
    assert pair.host.ledger.fault is not None
    assert pair.host.ledger.fault.code == "claim/own-turn"


@pytest.mark.requirement("MP-CLAIM-1")
def test_who_offered_a_draw_waits_for_the_answer() -> None:
    ruleset = "checkers/cs61b-2004"
    pair = Pair.started(ruleset=ruleset, start=Position.start(ruleset).text, **GRACE)
    pair.carry(Role.HOST, pair.host.offer_draw())
    pair.carry(Role.HOST, pair.host.claim("silence", 60_000))
    assert pair.guest.ledger.outcome == Outcome("abandoned", Side.FIRST)


@pytest.mark.requirement("MP-CLAIM-2", "MP-CLAIM-3")
@pytest.mark.parametrize(
    ("terms", "reason", "waited_ms"),
    [
        (GRACE, "silence", 59_999),
        (GRACE, "flag", 10**9),
        ({"clock": CLOCK}, "silence", 10**9),
        ({"clock": CLOCK}, "flag", 42_000),
        ({}, "silence", 10**9),
    ],
)
def test_a_claim_that_was_not_agreed_on_loses(
    terms: dict[str, Any], reason: str, waited_ms: int
) -> None:
    pair = waiting(**terms)
    with pytest.raises(LocalProtocolError):
        pair.host.claim(reason, waited_ms)
    pair.guest.receive(decision(pair.host.ledger, Role.HOST, reason, waited_ms))
    assert pair.guest.ledger.fault is not None
    assert pair.guest.ledger.fault.code == "claim/too-early"
    assert pair.guest.ledger.outcome == Outcome("protocol-violation", Side.SECOND)


ENOUGH = Times(60_000, 60_000)


def claimed(times: Times | None) -> tuple[Pair, list[tuple[int, int]]]:
    """A claim that the guest answers by `times`, and what it was asked for."""
    pair, asked = waiting(**GRACE), []

    def timing(seen: int, asks: int) -> Times:
        assert times is not None
        asked.append((seen, asks))
        return times

    claim = pair.host.claim("silence", 60_000)
    pair.carry(Role.HOST, claim[:1])
    answer = pair.guest.receive(
        pair.host.ledger.log(Role.HOST)[-1], None if times is None else timing
    )
    pair.carry(Role.GUEST, answer)
    return pair, asked


@pytest.mark.requirement("MP-CLAIM-6", "MP-CLAIM-7")
@pytest.mark.parametrize(
    ("version", "times", "standing"),
    [
        ("1.2", None, Standing.AGREED),
        ("1.2", ENOUGH, Standing.AGREED),
        ("1.2", Times(30_000, 60_000), Standing.AGREED),
        ("1.2", Times(29_999, 60_000), Standing.CONTESTED),
        ("1.2", Times(58_400, 58_400), Standing.AGREED),
        ("1.2", Times(58_399, 58_399), Standing.CONTESTED),
        ("1.1", Times(58_399, 58_399), Standing.AGREED),
        ("1.1", Times(29_999, 60_000), Standing.CONTESTED),
        ("1.1", Times(60_000, 29_999), Standing.CONTESTED),
        ("1.0", Times(60_000, 29_999), Standing.CONTESTED),
    ],
)
def test_a_claim_that_the_times_of_the_accused_contradict_is_contested(
    version: str, times: Times | None, standing: Standing
) -> None:
    with of_version(version):
        pair, _ = claimed(times)
    for role in Role:
        assert standing_of(pair.players[role].ledger) is standing
    assert verify_record(dump_record(pair.host.ledger)).standing is standing


@pytest.mark.requirement("MP-CLAIM-7")
def test_the_accused_speaks_of_what_the_claim_names_and_of_what_it_was_to_answer() -> None:
    _, asked = claimed(ENOUGH)
    # The guest's join, and the host's first move.
    assert asked == [(0, 1)]


@pytest.mark.requirement("MP-CLAIM-7")
def test_a_claim_that_waited_for_the_answer_until_a_restart_is_judged_by_the_same_times() -> None:
    pair = waiting(**GRACE)
    claim = of_kind(pair.host.claim("silence", 60_000), Keep)[0]
    kept = [*of_kind(pair.effects[Role.GUEST], Keep), claim]
    again = restored(pair.guest, kept)
    (score,) = of_kind(again.complete_pending(lambda *_: Times(1, 1)), Keep)
    assert (score.message.had_ms, score.message.since_ms) == (1, 1)
    assert standing_of(again.ledger) is Standing.CONTESTED


@pytest.mark.requirement("MP-CLAIM-7", "MP-VER-4")
def test_games_of_older_versions_know_no_age() -> None:
    with of_version("1.1"):
        pair, _ = claimed(ENOUGH)
        ledger = Ledger(pair.offer)
        *before, (role, answer) = pair.guest.ledger.line
        for each in before:
            ledger.accept(*each)
        entries = ledger.entries
        with pytest.raises(RemoteProtocolError, match="has no since_ms"):
            ledger.accept(role, forge(answer, GUEST_KEY, since_ms=60_000))
        assert ledger.entries == entries


@pytest.mark.requirement("MP-SCORE-5")
def test_nobody_answers_a_claim_that_was_not_made() -> None:
    pair = waiting()
    ledger = pair.host.ledger.copy()
    ledger.accept(Role.GUEST, craft(ledger, Role.GUEST, "resign"))
    with pytest.raises(Exception, match="answers a claim nobody made"):
        ledger.accept(Role.HOST, craft(ledger, Role.HOST, "score", had_ms=1))


@pytest.mark.requirement("MP-TIME-1")
def test_what_remains_of_the_clock_is_what_the_moves_say() -> None:
    with of_version("1.0"):
        pair = Pair.started(clock=CLOCK)
        assert pair.host.ledger.remaining_ms(Role.HOST) == 10_000
        pair.play("g2", "b1")
        assert pair.guest.ledger.remaining_ms(Role.HOST) == 10_000 + 1_000 - 1_000
        each = Pair.started(clock=EACH)
        each.play("g2")
        assert each.guest.ledger.remaining_ms(Role.HOST) == 15_000
        assert Pair.started().host.ledger.remaining_ms(Role.HOST) is None


def thought(pair: Pair, text: str, elapsed_ms: int) -> None:
    """A move that took so long."""
    role = pair.host.ledger.on_turn
    assert role is not None
    move = pair.host.ledger.position.parse_move(text)
    pair.carry(role, pair.players[role].play(move, elapsed_ms))


@pytest.mark.requirement("MP-TIME-4")
def test_of_a_first_move_thirty_seconds_are_free() -> None:
    pair = Pair.started(clock=CLOCK)
    assert pair.host.ledger.remaining_ms(Role.HOST) == 40_000
    thought(pair, "g2", 12_000)
    thought(pair, "b1", 33_000)
    for ledger in (pair.host.ledger, pair.guest.ledger):
        assert ledger.remaining_ms(Role.HOST) == 10_000 + 1_000
        assert ledger.remaining_ms(Role.GUEST) == 10_000 + 1_000 - 3_000
    thought(pair, "b6", 4_000)
    assert pair.guest.ledger.remaining_ms(Role.HOST) == 10_000 + 2_000 - 4_000
    each = Pair.started(clock=EACH)
    thought(each, "g2", 45_000)
    assert each.guest.ledger.remaining_ms(Role.HOST) == 15_000
    assert each.guest.ledger.remaining_ms(Role.GUEST) == 45_000


@pytest.mark.requirement("MP-TIME-4")
def test_a_first_move_that_was_taken_back_was_the_first() -> None:
    pair = Pair.started(clock=CLOCK)
    thought(pair, "g2", 35_000)
    pair.carry(Role.HOST, pair.host.ask("takeback"))
    pair.carry(Role.GUEST, pair.guest.agree())
    assert pair.host.ledger.remaining_ms(Role.HOST) == 10_000 + 1_000 - 5_000


@pytest.mark.requirement("MP-TIME-4")
def test_a_clock_stands_until_the_first_move_or_thirty_seconds() -> None:
    pair = Pair.started(clock=CLOCK)
    ledger = pair.guest.ledger
    for thought_ms, shown in ((0, 10_000), (30_000, 10_000), (34_000, 6_000), (99_000, 0)):
        assert ledger.clock_ms(Role.HOST, thought_ms) == shown
        assert ledger.clock_ms(Role.GUEST, thought_ms) == 10_000
    pair.play("g2", "b1")
    assert pair.host.ledger.clock_ms(Role.HOST, 4_000) == 11_000 - 4_000


@pytest.mark.requirement("MP-TIME-2")
def test_the_clock_of_who_has_lost_on_time_stands_at_nothing() -> None:
    claimed = Pair.started(clock=CLOCK)
    claimed.play("g2")
    claimed.carry(Role.HOST, claimed.host.claim("flag", 42_001))
    overstepped = Pair.started(clock=CLOCK)
    overstepped.play("g2")
    thought(overstepped, "b1", 90_000)
    resigned = Pair.started(clock=CLOCK)
    resigned.play("g2")
    resigned.carry(Role.GUEST, resigned.guest.resign())
    for pair, left in ((claimed, 0), (overstepped, 0), (resigned, 10_000)):
        for role in Role:
            ledger = pair.players[role].ledger
            assert ledger.clock_ms(Role.GUEST, 3_000) == left
            assert ledger.clock_ms(Role.HOST, 3_000) == 11_000


@pytest.mark.requirement("MP-TIME-2", "MP-TIME-4")
@pytest.mark.parametrize(
    ("version", "elapsed_ms", "in_time"),
    [("1.0", 10_000, True), ("1.0", 10_001, False), ("1.1", 40_000, True), ("1.1", 40_001, False)],
)
def test_a_move_in_more_time_than_remains_loses_instead(
    version: str, elapsed_ms: int, in_time: bool
) -> None:
    with of_version(version):
        pair = Pair.started(clock=CLOCK)
        thought(pair, "g2", elapsed_ms)
    for role in Role:
        ledger = pair.players[role].ledger
        assert (ledger.outcome is None) is in_time
        assert len(ledger.moves) == in_time
        if not in_time:
            assert ledger.outcome == Outcome("time", Side.SECOND)
            assert ledger.fault is None
            assert standing_of(ledger) is Standing.AGREED
