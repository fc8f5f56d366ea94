"""Attacks by claims, clocks, consents and scores: what a player can try at its opponent."""

from collections.abc import Iterator
from typing import Any

import pytest

from ataxxd.node.claims import Stopwatch
from ataxxd.session.ledger import CLAIMED, Ledger
from ataxxd.session.player import Times
from ataxxd.session.points import Points, count_points_of_all, merge_records
from ataxxd.session.record import Standing, dump_record, standing_of
from ataxxd.session.state import IN_PLAY, Phase, Role
from ataxxd.times import Clock
from ataxxd_protocol.messages import AnyLogMessage, Consent, Takeback
from tests.conformance.games import (
    AGENT,
    GUEST_KEY,
    HOST_KEY,
    NONCE,
    ONE_MOVE_LEFT,
    SHORT_ENDGAME,
    Pair,
    craft,
    forge,
)
from tests.conformance.scenarios import decision
from tests.unit.session.deviations import CLOCK, GRACE_MS, Table, claim_by, first_move

YEAR_S = 365 * 86_400.0
TERMS: dict[str, Any] = {
    "start": SHORT_ENDGAME,
    "grace_ms": GRACE_MS,
    "clock": {"base_ms": 60_000, "increment_ms": 0, "lag_ms": 1_000},
}
NOW = lambda _seen, _asked: Times(0, 0)  # noqa: E731 - all has just come


def claims_of(ledger: Ledger, role: Role) -> Iterator[AnyLogMessage]:
    """Every claim that a player may sign as the game stands, agreed or not."""
    for reason in CLAIMED:
        for waited_ms in (0, 1_000, GRACE_MS, 91_001, 10**12):
            yield decision(ledger, role, reason, waited_ms)


@pytest.mark.attack("A-1")
@pytest.mark.parametrize("cheat", Role)
def test_no_claim_at_any_moment_wins_from_who_was_there(cheat: Role) -> None:
    whole = Pair.started(**TERMS)
    whole.play_out()
    plies = len(whole.host.ledger.moves)
    for moment in range(plies + 1):
        for number, _ in enumerate(claims_of(whole.host.ledger, cheat)):
            pair = Pair.started(**TERMS)
            for _ in range(moment):
                role = pair.host.ledger.on_turn
                assert role is not None
                pair.carry(role, pair.players[role].play(first_move(pair.host.ledger), 1_000))
            victim = pair.players[cheat.other]
            before = victim.ledger.outcome
            claim = list(claims_of(pair.players[cheat].ledger, cheat))[number]
            victim.receive(claim, NOW)
            if before is not None:
                assert victim.ledger.outcome == before
                continue
            count = count_points_of_all([victim.ledger])
            assert isinstance(count, Points)
            side = victim.ledger.side_of(cheat)
            assert side is not None
            assert count.of(side) == 0, f"{claim} after {moment} plies: {count}"


@pytest.mark.attack("A-2")
@pytest.mark.parametrize("kind", ["silence", "flag"])
def test_who_waits_for_the_start_cannot_be_claimed_from(kind: str) -> None:
    pair = Pair.make(**TERMS)
    pair.guest.ask_to_join(NONCE, AGENT)
    fields = {"score": "1-0", "termination": CLAIMED[kind]}
    claim = craft(
        pair.guest.ledger, Role.HOST, "score", claim={"reason": kind, "waited_ms": 10**9}, **fields
    )
    pair.guest.receive(claim, NOW)
    assert pair.guest.ledger.phase is Phase.JOINED
    assert pair.guest.ledger.outcome is None


class Skewed(Table):
    """Two players of whom the guest's time of day is off."""

    skew_s = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        clocks = {
            Role.HOST: self.clock,
            Role.GUEST: Clock(lambda: self.now, lambda: self.now + self.skew_s),
        }
        self.watches = {role: Stopwatch(clock) for role, clock in clocks.items()}
        for watch in self.watches.values():
            watch.on_connected()


@pytest.mark.attack("A-3")
@pytest.mark.parametrize("years", [-1, 1])
def test_a_clock_that_is_a_year_off_decides_no_claim(
    years: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Skewed, "skew_s", years * YEAR_S)
    for waited_s, standing in ((0, Standing.CONTESTED), (GRACE_MS / 1000 + 1, Standing.AGREED)):
        table = Skewed.started(start=SHORT_ENDGAME, grace_ms=GRACE_MS)
        table.carry(Role.HOST, table.host.play(first_move(table.host.ledger), 0))
        table.now += waited_s
        table.say(Role.HOST, decision(table.host.ledger, Role.HOST, "silence", GRACE_MS))
        assert standing_of(table.guest.ledger) is standing


@pytest.mark.attack("A-4")
def test_a_broker_that_holds_back_the_answers_of_one_player_wins_nothing_for_the_other() -> None:
    table = Table.started(start=SHORT_ENDGAME, grace_ms=GRACE_MS)
    table.carry(Role.HOST, table.host.play(first_move(table.host.ledger), 0))
    table.now += 1
    table.deaf = Role.HOST  # what the guest says lies at the broker
    table.carry(Role.GUEST, table.guest.play(first_move(table.guest.ledger), 1_000))
    table.claims(Role.HOST)
    assert table.guest.ledger.contested
    count = count_points_of_all([table.host.ledger, table.guest.ledger])
    assert count == Points(0, 0, "the claim is contested, so both have lost")


@pytest.mark.attack("A-5")
def test_a_broker_that_holds_back_the_moves_to_one_player_wins_nothing_for_the_other() -> None:
    table = Table.started(start=SHORT_ENDGAME, grace_ms=GRACE_MS)
    table.deaf = Role.GUEST  # what the host says lies at the broker
    table.carry(Role.HOST, table.host.play(first_move(table.host.ledger), 0))
    table.claims(Role.HOST)
    table.deaf = None
    for message in table.host.ledger.log(Role.HOST)[1:]:
        table.carry(Role.GUEST, table.guest.receive(message, table.watches[Role.GUEST].times))
    assert table.guest.ledger.contested


@pytest.mark.attack("A-6")
def test_who_withholds_its_score_has_lost_all_the_same() -> None:
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play("-")
    ledger = pair.host.ledger.copy()
    ledger.accept(Role.GUEST, craft(ledger, Role.GUEST, "move", move="g1", elapsed_ms=1))
    assert ledger.outcome is not None
    scored = ledger.copy()
    scored.accept(Role.HOST, craft(scored, Role.HOST, "score"))
    counts = [count_points_of_all([each]) for each in (ledger, scored)]
    whole = Pair.started(start=ONE_MOVE_LEFT)
    whole.play("-", "g1")
    for count in counts:
        assert isinstance(count, Points)
        assert count.text == whole.host.ledger.outcome.score  # type: ignore[union-attr]


@pytest.mark.attack("A-7")
@pytest.mark.parametrize("cheat", Role)
@pytest.mark.parametrize("score", ["1-0", "0-1", "1/2-1/2", "*"])
def test_a_second_score_changes_nothing_but_its_authors_name(cheat: Role, score: str) -> None:
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play("-", "g1")
    ledger = pair.host.ledger
    n = len(ledger.log(cheat)) - 1
    second = forge(
        ledger.log(cheat)[n], {Role.HOST: HOST_KEY, Role.GUEST: GUEST_KEY}[cheat], score=score,
        termination="aborted",
    )  # fmt: skip
    victim = pair.players[cheat.other]
    before = dump_record(victim.ledger)
    victim.receive(second)
    assert dump_record(victim.ledger) == before
    other = Ledger(pair.offer)
    for role, message in ledger.line:
        told = second if message.digest == ledger.log(cheat)[n].digest else message
        if role is not cheat and message.n == len(ledger.log(role)) - 1 and cheat is Role.HOST:
            break  # the guest has never answered that one
        other.accept(role, told)
    side = ledger.side_of(cheat)
    assert side is not None
    honest, both = count_points_of_all([ledger]), count_points_of_all([ledger, other])
    assert isinstance(honest, Points)
    assert isinstance(both, Points)
    assert both.of(side) <= honest.of(side)


def consented(what: str, to: int | None = None) -> tuple[Pair, Consent]:
    """A game in which the guest agrees to something, and its consent."""
    pair = Pair.started()
    pair.play("g2", "b1")
    pair.carry(Role.GUEST, pair.guest._consent(what, to))
    consent = next(each for each in pair.wire[::-1] if isinstance(each, Consent))
    return pair, consent


@pytest.mark.attack("A-8")
def test_a_consent_is_good_for_its_moment_its_act_and_its_game_alone() -> None:
    pair, consent = consented("takeback", 1)
    ledger = pair.host.ledger
    later = ledger.copy()
    later.accept(Role.HOST, craft(later, Role.HOST, "move", move="f1", elapsed_ms=1))
    later.accept(Role.GUEST, craft(later, Role.GUEST, "move", move="a2", elapsed_ms=1))
    abort = {"what": "abort", "game": consent.game, "tip": consent.tip, "from": consent.author}
    tries: dict[str, tuple[Ledger, str, dict[str, Any]]] = {
        "later": (later, "takeback", {"to": 1, "consent": consent.fields()}),
        "for an earlier ply": (ledger, "takeback", {"to": 2, "consent": consent.fields()}),
        "for an abort": (ledger, "abort", {"consent": abort | {"sig": consent.sig}}),
    }
    for what, (at, kind, fields) in tries.items():
        after = at.copy()
        fault = after.accept(Role.HOST, craft(after, Role.HOST, kind, **fields))
        assert fault is not None, what
        assert fault.code.endswith("/no-consent"), what
    again = Pair.started(rematch_of=pair.offer.digest, created_ms=pair.offer.created_ms + 1)
    again.play("g2", "b1")
    taken = craft(again.guest.ledger, Role.HOST, "takeback", to=1, consent=consent.fields())
    assert isinstance(taken, Takeback)
    again.guest.receive(taken)
    assert again.guest.ledger.fault is not None
    assert again.guest.ledger.fault.role is Role.HOST


@pytest.mark.attack("A-9")
def test_moves_taken_back_give_no_time_back() -> None:
    pair = Pair.started(clock=TERMS["clock"])
    for _ in range(2):
        pair.play("g2", "b1")
        pair.carry(Role.HOST, pair.host.ask("takeback"))
        pair.carry(Role.GUEST, pair.guest.agree())
    used = [pair.host.ledger.remaining_ms(role) for role in Role]
    # Of the first move 30 s are free, taken back or not; the second second counts.
    assert used == [59_000, 59_000]


@pytest.mark.attack("A-10")
def test_a_proof_from_another_game_or_of_one_message_loses_for_its_author() -> None:
    pair, other = Pair.started(), Pair.started(created_ms=1_700_000_000_001)
    pair.play("g2", "b1")
    other.play("g2", "a2")
    for proof in (other.guest.ledger.log(Role.GUEST)[1], pair.guest.ledger.log(Role.GUEST)[1]):
        accused = craft(
            pair.guest.ledger, Role.HOST, "score",
            score="1-0", termination="double-dealing", proof=proof.fields(),
        )  # fmt: skip
        ledger = pair.guest.ledger.copy()
        fault = ledger.accept(Role.HOST, accused)
        assert fault is not None
        assert (fault.role, fault.code) == (Role.HOST, "score/false-proof")
        assert ledger.phase not in IN_PLAY


TIMED: list[dict[str, Any]] = [{"grace_ms": GRACE_MS}, {"clock": CLOCK}]


@pytest.mark.attack("A-43")
@pytest.mark.parametrize("timed", TIMED, ids=["grace", "flag"])
@pytest.mark.parametrize("start", [ONE_MOVE_LEFT, SHORT_ENDGAME], ids=["last move", "any move"])
def test_a_claim_hidden_from_whom_it_is_against_and_a_move_made_too_late_are_one_record(
    start: str, timed: dict[str, Any]
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
    assert dump_record(merge_records(shown)) == dump_record(merge_records(silence))
    count = count_points_of_all(shown)
    assert isinstance(count, Points)
    assert (count.first, count.second) == (0, 0)


@pytest.mark.attack("A-44")
@pytest.mark.parametrize("timed", TIMED, ids=["grace", "flag"])
@pytest.mark.parametrize("lost_s", [0, 3, 20, 50])
@pytest.mark.parametrize("after_s", [1, 10, 30])
def test_who_has_answered_loses_nothing_by_a_connection_that_is_lost_after_that(
    timed: dict[str, Any], lost_s: int, after_s: int
) -> None:
    table = Table.started(start=SHORT_ENDGAME, color="first", **timed)
    before = table.guest.ledger.copy()
    table.deaf = Role.GUEST
    table.now += 1
    table.carry(Role.HOST, table.host.play(first_move(before), 1_000))
    table.now += after_s
    if lost_s:
        table.lose(Role.HOST, lost_s)
    table.now += max(0, GRACE_MS / 1000 - after_s - lost_s)
    table.deaf = None
    table.say(Role.GUEST, claim_by(Role.GUEST, before))
    count = count_points_of_all([table.host.ledger, table.guest.ledger])
    assert isinstance(count, Points)
    assert (count.first, count.second) == (0, 0)
