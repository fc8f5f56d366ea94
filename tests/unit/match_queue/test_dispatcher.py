"""Which games a match hands out to workers, and which results it takes."""

from collections.abc import Collection
from dataclasses import replace

import pytest

from ataxxd.engines.match import Plan, Schedule, Team
from ataxxd.engines.match.checkpoint import Result
from ataxxd.engines.match.game import Adjudication, TimeControl
from ataxxd.match_queue.items import (
    FORMAT,
    ITEMS,
    REPORTS,
    Build,
    Dispatcher,
    GameItem,
    GameReport,
    Refusal,
)
from ataxxd.rules import Position
from ataxxd.rules.limits import Limits

START = Position.start("ataxx/uai")
PLAN = Plan(
    ("random:1", "first"),
    4,
    1,
    TimeControl(Limits(nodes=100)),
    Adjudication(most_plies=20, resign=(4, 1000), draw=(30, 8, 10)),
    seed=3,
    hash_mb=4,
)
BUILD = Build("1.0", "abc", ("random:1", "first"))


def dispatcher(games: int = 4, done: Collection[int] = ()) -> Dispatcher:
    return Dispatcher(Schedule(games, iter([START] * games), done), games, BUILD, done)


def result(number: int) -> Result:
    found = Team(PLAN, "ataxx").play(number, START, lambda: False)
    assert found is not None
    return found


def sent(found: Result, build: Build = BUILD) -> bytes:
    return REPORTS.dump(GameReport(FORMAT, "worker", build, 1.0, found))


def numbers(jobs: Collection[tuple[int, Position]]) -> list[int]:
    return [number for number, _ in jobs]


def test_no_more_games_are_out_than_may_be() -> None:
    found = dispatcher()
    assert numbers(found.hand_out(3)) == [0, 1, 2]
    assert found.hand_out(3) == []
    assert found.accept_result(sent(result(1))) == result(1)
    assert numbers(found.hand_out(3)) == [3]
    assert [*found.pending] == [0, 2, 3]


def test_a_result_counts_once() -> None:
    found = dispatcher(2)
    found.hand_out(2)
    assert found.accept_result(sent(result(0))) == result(0)
    assert found.accept_result(sent(result(0))) is None
    assert not found.finished
    assert found.accept_result(sent(result(1))) == result(1)
    assert found.finished


def test_a_result_from_before_counts_and_its_game_is_not_handed_out() -> None:
    found = dispatcher(4, done={0})
    assert found.accept_result(sent(result(0))) is None
    assert found.accept_result(sent(result(2))) == result(2)
    assert numbers(found.hand_out(9)) == [1, 3]


def test_a_game_that_is_none_of_the_match_is_passed_over() -> None:
    found = dispatcher(2)
    assert found.accept_result(sent(result(2))) is None
    assert found.accept_result(sent(replace(result(0), number=-1))) is None


@pytest.mark.parametrize(
    ("build", "why"),
    [
        (replace(BUILD, version="0.9"), "it has ataxxd 0.9, where the match has 1.0"),
        (replace(BUILD, engine="abd"), "it has an engine that plays differently (abd, not abc)"),
        (
            replace(BUILD, titles=("Zataxx 2", "first")),
            "it has the players Zataxx 2 and first, not random:1 and first",
        ),
    ],
)
def test_what_another_program_played_is_refused_and_is_still_out(build: Build, why: str) -> None:
    found = dispatcher()
    found.hand_out(1)
    assert found.accept_result(sent(result(0), build)) == Refusal("worker", 0, why)
    assert [*found.pending] == [0]
    assert found.accept_result(sent(result(0))) == result(0)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"start": "x5o/7/7/7/7/7/o5x o 0 1"}, "its game 1 has another opening"),
        ({"moves": ("a7-g1",)}, "its game 1 breaks the rules"),
        ({"score": "2-0"}, "its game 1 has no result"),
    ],
)
def test_a_game_that_cannot_have_been_played_is_refused(
    changed: dict[str, object], why: str
) -> None:
    refusal = dispatcher().accept_result(sent(replace(result(0), **changed)))  # type: ignore[arg-type]
    assert isinstance(refusal, Refusal)
    assert refusal.number == 0
    assert refusal.why.startswith(why)


def test_a_game_that_is_over_by_the_rules_has_their_result() -> None:
    whole = replace(PLAN, adjudication=Adjudication(most_plies=500))
    played = Team(whole, "ataxx").play(0, START, lambda: False)
    assert played is not None
    other = "0-1" if played.score == "1-0" else "1-0"
    refusal = dispatcher().accept_result(sent(replace(played, score=other)))
    assert isinstance(refusal, Refusal)
    assert refusal.why == "its game 1 has another result by the rules"
    assert dispatcher().accept_result(sent(played)) == played


@pytest.mark.parametrize(
    "data", [b"", b"{}", REPORTS.dump(GameReport(FORMAT + 1, "worker", BUILD, 1.0, result(0)))]
)
def test_what_is_not_understood_is_refused(data: bytes) -> None:
    refusal = dispatcher().accept_result(data)
    assert isinstance(refusal, Refusal)
    assert refusal.number is None


def test_an_item_says_all_that_its_game_depends_on() -> None:
    item = GameItem(FORMAT, "m", 3, START.ruleset, START.text, PLAN, 1.5e6)
    assert ITEMS.load(ITEMS.dump(item)) == item
