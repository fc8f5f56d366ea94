"""Ratings: Glickman's own example, which records count, and one table from any order of them."""

from collections.abc import Sequence
from random import Random

import pytest

from ataxxd.ratings.gathering import RatedGame, gathered
from ataxxd.ratings.glicko2 import Meeting, Rating, idle, updated
from ataxxd.ratings.league import tables
from ataxxd.session.record import dump_record, verify_record
from ataxxd.session.roles import Role
from ataxxd_protocol import position_digest
from tests.conformance.games import (
    GUEST_KEY,
    HOST_KEY,
    ONE_MOVE_LEFT,
    RULESET,
    SHORT_ENDGAME,
    Pair,
)

DAY_MS = 86_400_000
DAYS = 20_000


def played(start: str = ONE_MOVE_LEFT, choices: Sequence[int] = (), day: int = DAYS) -> bytes:
    """The record of a game from an endgame, played to its end by the choices."""
    pair = Pair.started(
        created_ms=day * DAY_MS, start=start, start_hash=position_digest(RULESET, start)
    )
    pair.play_out(choices)
    return dump_record(pair.host.ledger)


def game(first: str, second: str, score: int, day: int, number: int = 0) -> RatedGame:
    name = f"{first}{second}{score}{day}{number}"
    return RatedGame(name, name, "g", "ataxx/cs61b-2022", first, second, score, day * DAY_MS)


def test_glickmans_worked_example_comes_out_as_he_prints_it() -> None:
    player = Rating(1500, 200, 0.06)
    opponents = (Rating(1400, 30), Rating(1550, 100), Rating(1700, 300))
    after = updated(player, [Meeting(*each) for each in zip(opponents, (1, 0, 0), strict=True)])
    assert after.rating == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


def test_without_games_only_the_deviation_grows_and_never_beyond_a_newcomers() -> None:
    player = Rating(1612.5, 60, 0.06)
    assert updated(player, []) == idle(player, 1)
    assert idle(player, 1).rating == 1612.5
    assert 60 < idle(player, 1).deviation < idle(player, 30).deviation < 350
    assert idle(player, 10**9).deviation == 350


def test_a_game_that_both_signed_counts_once_however_often_it_comes() -> None:
    data = played()
    outcome = verify_record(data).ledger.outcome
    assert outcome is not None
    found = gathered([("a", data), ("b", verify_record(data).ledger)])
    (only,) = found.games
    assert (only.first, only.second) == (HOST_KEY.node, GUEST_KEY.node)
    assert only.score == {"1-0": 2, "0-1": 0}[outcome.score]
    assert found.repeated == 1
    assert found.left_out == ()


def test_what_does_not_count_says_why() -> None:
    running = Pair.started()
    running.play("b6")
    aborted = Pair.started()
    aborted.carry(Role.HOST, aborted.host.ask("abort"))
    unsigned = Pair.started()
    unsigned.host.resign()
    found = gathered(
        [
            ("unfinished", dump_record(running.host.ledger)),
            ("unconfirmed", dump_record(unsigned.host.ledger)),
            ("aborted", dump_record(aborted.host.ledger)),
            ("altered", played().replace(b'"move":"', b'"move":"a')),
            ("text", b"hello\n"),
        ]
    )
    assert found.games == ()
    reasons = {each.source: each.why for each in found.left_out}
    assert reasons["unfinished"] == "the game is not over"
    assert reasons["unconfirmed"] == "a player has not signed the result"
    assert reasons["aborted"] == "it has no result (aborted)"
    assert reasons["altered"].startswith("entry ")
    assert reasons["text"].startswith("this is no record")


def test_two_stories_of_one_game_cancel_each_other() -> None:
    one, other = played(SHORT_ENDGAME, [0, 0, 0]), played(SHORT_ENDGAME, [1, 0, 0])
    assert one != other
    for records in ([("a", one), ("b", other)], [("b", other), ("a", one), ("c", one)]):
        found = gathered(records)
        assert found.games == ()
        assert {each.source for each in found.left_out} == {"a", "b"}


def test_the_order_of_the_records_changes_neither_the_table_nor_the_digest() -> None:
    records = [(str(day), played(SHORT_ENDGAME, [day], DAYS + day)) for day in range(6)]
    known = gathered(records)
    for seed in range(5):
        Random(seed).shuffle(records)
        again = gathered(records)
        assert (again.games, again.digest) == (known.games, known.digest)
        assert tables(reversed(again.games)) == tables(known.games)
    assert gathered(records[1:]).digest != known.digest


def test_a_table_counts_results_and_puts_the_stronger_first() -> None:
    games = [game("ann", "bob", 2, DAYS, number) for number in range(3)]
    games += [game("bob", "ann", 1, DAYS + 1), game("bob", "eve", 2, DAYS + 1)]
    (table,) = tables(games)
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
    (before,) = tables(early)
    (after,) = tables([*early, game("ann", "eve", 1, DAYS + 300)])
    bobs = [next(row for row in table.rows if row.node == "bob") for table in (before, after)]
    assert bobs[0].rating == bobs[1].rating
    assert bobs[0].deviation < bobs[1].deviation
    assert bobs[1].last_day == DAYS


def test_a_day_is_one_period_whatever_its_hours() -> None:
    morning = game("ann", "bob", 2, DAYS)
    evening = RatedGame("x", "x", "g", RULESET, "bob", "ann", 0, DAYS * DAY_MS + DAY_MS - 1)
    night = RatedGame("y", "y", "g", RULESET, "bob", "ann", 0, DAYS * DAY_MS + DAY_MS)
    (one_day,), (two_days,) = tables([morning, evening]), tables([morning, night])
    assert one_day.rows[0].rating != two_days.rows[0].rating
