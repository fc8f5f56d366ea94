"""Ratings: Glickman's own example, which records count, and one table from any order of them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from random import Random

import pytest

from ataxxd.rules import Side
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.record import Standing, dump_record, verify_record
from ataxxd.session.state import Role
from ataxxd.tournament.ratings import (
    GatheredGames,
    Meeting,
    RatedGame,
    Rating,
    day_of,
    format_day,
    gather_games,
    rating_after_idle,
    rating_tables,
    updated_rating,
)
from ataxxd_protocol import grouped, position_digest
from tests.conformance.games import (
    AGENT,
    GUEST_KEY,
    HOST_KEY,
    NONCE,
    ONE_MOVE_LEFT,
    OTHER_KEY,
    RULESET,
    SECRET,
    SHORT_ENDGAME,
    Pair,
    craft,
    forge,
)
from tests.conformance.scenarios import (
    cheated,
    claimed,
    decision,
    denied,
    resigned,
    stated_late,
)
from tests.conformance.signatures import re_signed

DAY_MS = 86_400_000
DAYS = 20_000
TODAY = DAYS + 1_000


def played(start: str = ONE_MOVE_LEFT, choices: Sequence[int] = (), day: int = DAYS) -> bytes:
    """The record of a game from an endgame, played to its end by the choices."""
    pair = Pair.started(
        created_ms=day * DAY_MS, start=start, start_hash=position_digest(RULESET, start)
    )
    pair.play_out(choices)
    return dump_record(pair.host.ledger)


def game(first: str, second: str, score: int, day: int, number: int = 0) -> RatedGame:
    name = f"{first}{second}{score}{day}{number}"
    return RatedGame(name, RULESET, first, second, score, day * DAY_MS)


def counted(
    records: Iterable[tuple[str, bytes | Ledger]],
    day: int = TODAY,
    members: Collection[str] | None = None,
) -> GatheredGames:
    """What the records come to, on a day after all of them unless another one is said."""
    return gather_games(records, day=day, members=members)


def test_the_games_of_one_kind_have_a_digest_of_their_own() -> None:
    alone = counted([("ours", played())])
    other = replace(alone.games[0], game="f" * 64, ruleset="reversi/standard")
    both = replace(alone, games=(*alone.games, other), digest="of both")
    assert both.of_game("ataxx") == alone
    assert both.of_game("reversi").games == (other,)
    assert both.of_game("reversi").digest not in (alone.digest, both.digest)


def test_glickmans_worked_example_comes_out_as_he_prints_it() -> None:
    player = Rating(1500, 200, 0.06)
    opponents = (Rating(1400, 30), Rating(1550, 100), Rating(1700, 300))
    after = updated_rating(
        player, [Meeting(*each) for each in zip(opponents, (1, 0, 0), strict=True)]
    )
    assert after.rating == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


def test_without_games_only_the_deviation_grows_and_never_beyond_a_newcomers() -> None:
    player = Rating(1612.5, 60, 0.06)
    assert updated_rating(player, []) == rating_after_idle(player, 1)
    assert rating_after_idle(player, 1).rating == 1612.5
    assert (
        60 < rating_after_idle(player, 1).deviation < rating_after_idle(player, 30).deviation < 350
    )
    assert rating_after_idle(player, 10**9).deviation == 350


def test_a_game_that_both_signed_counts_once_however_often_it_comes() -> None:
    data = played()
    outcome = verify_record(data).ledger.outcome
    assert outcome is not None
    found = counted([("a", data), ("b", verify_record(data).ledger)])
    (only,) = found.games
    assert (only.first, only.second) == (HOST_KEY.node, GUEST_KEY.node)
    assert only.score == {"1-0": 2, "0-1": 0}[outcome.score]
    assert found.repeated == 1
    assert found.left_out == ()


def test_what_does_not_count_says_why() -> None:
    running = Pair.started()
    running.play("b6")
    aborted = Pair.started(created_ms=1)
    aborted.carry(Role.HOST, aborted.host.ask("abort"))
    found = counted(
        [
            ("unfinished", dump_record(running.host.ledger)),
            ("aborted", dump_record(aborted.host.ledger)),
            ("altered", played().replace(b'"move":"', b'"move":"a')),
            ("text", b"hello\n"),
        ]
    )
    assert found.games == ()
    reasons = {each.source: each.why for each in found.left_out}
    assert reasons["unfinished"] == "the game is not over"
    assert reasons["aborted"] == "it was aborted, so it has no result"
    assert reasons["altered"].startswith("entry ")
    assert reasons["text"].startswith("this is not a record")


def beaten() -> Ledger:
    """The rules have ended the game, and the guest, which lost, has signed no score."""
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play("-")
    ledger = pair.host.ledger.copy()
    ledger.accept(Role.GUEST, craft(ledger, Role.GUEST, "move", move="g1", elapsed_ms=1))
    return ledger


@pytest.mark.requirement("MP-COUNT-1", "MP-COUNT-2", "MP-COUNT-3")
@pytest.mark.parametrize(
    ("ledger", "scores"),
    [
        (resigned(), (2, 0)),
        (cheated(), (2, 0)),
        (stated_late(), (2, 0)),
        (denied(), (2, 0)),
        (claimed(), (2, 0)),
        (claimed(since_ms=60_000), (2, 0)),
        (claimed(since_ms=5_000), (0, 0)),
    ],
    ids=["resigned", "cheated", "overstepped", "denied", "claimed", "agreed", "contested"],
)
def test_a_loser_that_signs_nothing_or_something_else_has_lost_all_the_same(
    ledger: Ledger, scores: tuple[int, int]
) -> None:
    found = counted([("a", dump_record(ledger))])
    (only,) = found.games
    assert (only.score, only.second_score) == scores
    (table,) = rating_tables(found.games, TODAY)
    won, lost = {row.node: (row.won, row.lost) for row in table.rows}[HOST_KEY.node]
    assert (won, lost) == ((1, 0) if scores == (2, 0) else (0, 1))


@pytest.mark.requirement("MP-COUNT-1")
def test_an_end_by_the_rules_needs_no_signature() -> None:
    ledger = beaten()
    assert ledger.outcome is not None
    (only,) = counted([("a", dump_record(ledger))]).games
    assert only.score == {"1-0": 2, "0-1": 0}[ledger.outcome.score]


@pytest.mark.requirement("MP-COUNT-4")
def test_a_claim_that_only_the_claimant_shows_is_denied_by_the_game_that_went_on() -> None:
    pair = Pair.started(start=SHORT_ENDGAME, grace_ms=60_000)
    role = pair.host.ledger.on_turn
    assert role is not None
    secret = pair.host.ledger.copy()
    secret.accept(role.other, decision(secret, role.other, "silence", 60_000))
    lie = dump_record(secret)
    # Shown alone it is believed.
    assert len(counted([("lie", lie)]).games) == 1
    pair.play(pair.host.ledger.position.legal_moves[0].text)
    crossed = counted([("lie", lie), ("game", dump_record(pair.players[role].ledger))])
    assert [each.both_lost for each in crossed.games] == [True]
    pair.play_out()
    whole = counted([("game", dump_record(pair.host.ledger)), ("lie", lie)])
    (only,) = whole.games
    cheat = pair.host.ledger.side_of(role.other)
    assert (only.score, only.second_score)[cheat is Side.SECOND] == 0
    assert not only.both_lost
    assert whole.digest == counted([("lie", lie), ("g", dump_record(pair.guest.ledger))]).digest


@pytest.mark.requirement("MP-REC-8")
def test_two_results_that_both_players_signed_cancel_each_other() -> None:
    pair = Pair.started(
        created_ms=DAYS * DAY_MS,
        start=SHORT_ENDGAME,
        start_hash=position_digest(RULESET, SHORT_ENDGAME),
    )
    pair.carry(Role.HOST, pair.host.resign())
    one, other = dump_record(pair.host.ledger), played(SHORT_ENDGAME)
    ledgers = [verify_record(each).ledger for each in (one, other)]
    assert ledgers[0].game == ledgers[1].game
    for records in ([("a", one), ("b", other)], [("b", other), ("a", one), ("c", one)]):
        found = counted(records)
        assert found.games == ()
        assert {each.source for each in found.left_out} == {"a", "b"}


def test_one_result_told_in_two_ways_counts_once() -> None:
    """As its loser can by itself where it answers a claim: with another ``had_ms``."""
    one, other = played(SHORT_ENDGAME, [0, 0, 0]), played(SHORT_ENDGAME, [1, 0, 0])
    assert one != other
    found = counted([("a", one), ("b", other)])
    assert (len(found.games), found.repeated, found.left_out) == (1, 1, ())
    assert found.digest == counted([("a", one)]).digest == counted([("b", other)]).digest


@pytest.mark.requirement("MP-REC-8")
def test_a_host_that_plays_its_offer_again_with_another_guest_voids_nothing() -> None:
    lost = played(SHORT_ENDGAME, [0, 0, 0])
    offer = verify_record(lost).ledger.offer
    host = PlayerSession(Ledger(offer), Role.HOST, HOST_KEY, SECRET)
    other = PlayerSession(Ledger(offer), Role.GUEST, OTHER_KEY)
    pair = Pair(offer, {Role.HOST: host, Role.GUEST: other})
    pair.carry(Role.GUEST, other.ask_to_join(NONCE, AGENT))
    pair.play_out([1, 0, 0])
    again = dump_record(host.ledger)
    assert verify_record(again).standing is Standing.AGREED
    found = counted([("a", lost), ("b", again)])
    assert found.left_out == ()
    assert {each.second for each in found.games} == {GUEST_KEY.node, OTHER_KEY.node}
    assert len({each.game for each in found.games}) == 1


@pytest.mark.requirement("MP-FAULT-4")
@pytest.mark.parametrize("nonce", [NONCE, "0b" * 16])
def test_a_record_of_the_join_alone_changes_nothing_wherever_it_stands(nonce: str) -> None:
    """Also of another join: a guest that has lost its state may ask again."""
    whole = verify_record(played()).ledger
    assert whole.join is not None
    asked = Ledger(whole.offer)
    asked.accept(Role.GUEST, forge(whole.join, GUEST_KEY, nonce=nonce))
    one, other = dump_record(whole), dump_record(asked)
    known = counted([("a", one)])
    assert len(known.games) == 1
    for records in ([("a", one), ("b", other)], [("b", other), ("a", one)]):
        found = counted(records)
        assert (found.games, found.left_out) == (known.games, ())


@pytest.mark.requirement("MP-FAULT-4")
def test_a_host_that_starts_the_game_with_both_joins_of_a_guest_has_lost_alone() -> None:
    one = Pair.started(created_ms=DAYS * DAY_MS)
    other = Pair.make(created_ms=DAYS * DAY_MS)
    other.carry(Role.GUEST, other.guest.ask_to_join("0b" * 16, AGENT))
    one.play("b6")
    one.carry(Role.GUEST, one.guest.resign())
    stories = [("a", dump_record(one.host.ledger)), ("b", dump_record(other.host.ledger))]
    for records in (stories, stories[::-1]):
        (game,) = counted(records).games
        loser = game.second if game.score == 2 else game.first
        assert (loser, game.both_lost) == (HOST_KEY.node, False)


def test_the_order_of_the_records_changes_neither_the_table_nor_the_digest() -> None:
    records = [(str(day), played(SHORT_ENDGAME, [day], DAYS + day)) for day in range(6)]
    known = counted(records)
    for seed in range(5):
        Random(seed).shuffle(records)
        again = counted(records)
        assert (again.games, again.digest) == (known.games, known.digest)
        assert rating_tables(reversed(again.games), TODAY) == rating_tables(known.games, TODAY)
    assert counted(records[1:]).digest != known.digest


def test_a_table_counts_results_and_puts_the_stronger_first() -> None:
    games = [game("ann", "bob", 2, DAYS, number) for number in range(3)]
    games += [game("bob", "ann", 1, DAYS + 1), game("bob", "eve", 2, DAYS + 1)]
    (table,) = rating_tables(games, DAYS + 1)
    assert [row.node for row in table.rows] == ["ann", "bob", "eve"]
    assert [(row.won, row.drawn, row.lost) for row in table.rows] == [
        (3, 1, 0),
        (1, 1, 3),
        (0, 0, 1),
    ]
    assert [row.games for row in table.rows] == [4, 5, 1]
    assert table.rows[0].rating > 1500 > table.rows[2].rating
    assert table.day == table.rows[0].last_day == DAYS + 1


def test_who_has_not_played_for_long_is_rated_with_less_certainty() -> None:
    early = [game("ann", "bob", 1, DAYS, number) for number in range(9)]
    (before,), (after,) = rating_tables(early, DAYS), rating_tables(early, DAYS + 300)
    bobs = [next(row for row in table.rows if row.node == "bob") for table in (before, after)]
    assert bobs[0].rating == bobs[1].rating
    assert bobs[0].deviation < bobs[1].deviation
    assert bobs[1].last_day == DAYS


def test_a_day_is_one_period_whatever_its_hours() -> None:
    morning = game("ann", "bob", 2, DAYS)
    evening = RatedGame("x", RULESET, "bob", "ann", 0, DAYS * DAY_MS + DAY_MS - 1)
    night = RatedGame("y", RULESET, "bob", "ann", 0, DAYS * DAY_MS + DAY_MS)
    (one_day,), (two_days,) = (
        rating_tables([morning, evening], DAYS + 1),
        rating_tables([morning, night], DAYS + 1),
    )
    assert one_day.rows[0].rating != two_days.rows[0].rating


@pytest.mark.requirement("MP-REC-8")
def test_a_loser_who_signs_again_changes_nothing() -> None:
    record = played()
    for again in (re_signed(record, GUEST_KEY), re_signed(record, HOST_KEY)):
        assert again != record
        assert verify_record(again).standing is Standing.AGREED
        known, found = counted([("a", record)]), counted([("a", record), ("b", again)])
        assert found == counted([("b", again), ("a", record)])
        assert (found.games, found.left_out, found.repeated) == (known.games, (), 1)
        assert known.digest == found.digest == counted([("b", again)]).digest


@pytest.mark.requirement("MP-COUNT-5")
def test_a_record_from_the_future_does_not_count_until_its_day_has_come() -> None:
    record = played(day=DAYS + 1)
    assert counted([("a", record)], day=DAYS + 1).games
    (left,) = counted([("a", record)], day=DAYS).left_out
    assert left.why == "it is dated 2024-10-05, later than the table"
    (left,) = counted([("a", played(day=10**6))], day=DAYS).left_out
    assert left.why == "it is dated 4707-11-29, later than the table"


@pytest.mark.requirement("MP-COUNT-5")
@pytest.mark.parametrize("day", [0, DAYS - 3_000, DAYS, TODAY - 1, 2_900_000])
def test_no_game_of_two_strangers_moves_anybody_else(day: int) -> None:
    club = [game("ann", "bob", 2, DAYS), game("bob", "eve", 1, DAYS + 9)]
    (known,) = rating_tables(club, TODAY)
    games = [each for each in (*club, game("m", "n", 2, day)) if each.created_ms < TODAY * DAY_MS]
    (table,) = rating_tables(games, TODAY)
    assert [row for row in table.rows if row.node not in ("m", "n")] == [*known.rows]


def test_only_games_between_members_count_where_a_club_names_them() -> None:
    records = [("a", played())]
    both = frozenset({HOST_KEY.node, GUEST_KEY.node})
    assert counted(records, members=both) == counted(records)
    (left,) = counted(records, members=both - {GUEST_KEY.node}).left_out
    assert left.why == f"{grouped(GUEST_KEY.node)} is not a member"


def test_days_are_those_of_the_calendar() -> None:
    begin = date(1970, 1, 1)
    for day in [*range(0, 2_900_000, 97), *range(10_000, 12_000), *range(47_000, 48_000)]:
        assert format_day(day) == str(begin + timedelta(days=day))
    assert format_day(day_of(2**53)) == "287396-10-12"
