"""Whole matches: pairs of games, failures, going on where one stopped."""

import collections
import shlex
import sys
from collections.abc import Collection
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from ataxxd.engines.match import Match, Plan
from ataxxd.engines.match.checkpoint import Checkpoint, CheckpointReader, Result, Standings
from ataxxd.engines.match.contestants import make_contestant
from ataxxd.engines.match.game import Adjudication, TimeControl
from ataxxd.engines.match.openings import random_openings
from ataxxd.errors import EngineError, StorageError, UsageError
from ataxxd.rules import Position, Side
from ataxxd.rules.limits import Limits
from tests.docs.pages import ROOT

START = Position.start("ataxx/uai")
ROGUE = shlex.join([sys.executable, str(ROOT / "tests" / "rogue_engine.py")])
SETTINGS = {"players": ["a", "b"]}


def match(
    first: str, second: str, games: int, *, concurrency: int = 1, done: Collection[int] = ()
) -> Match:
    plan = Plan(
        (first, second),
        games,
        concurrency,
        TimeControl(Limits(nodes=200)),
        Adjudication(most_plies=60),
        seed=3,
        hash_mb=4,
    )
    return Match(plan, random_openings(START, 4, 3), done)


def played(found: Match) -> list[Result]:
    with closing(found):
        return sorted(found.results(), key=lambda result: result.number)


def test_each_opening_is_played_twice_with_sides_changed() -> None:
    results = played(match("random", "auto", 4))
    assert [result.number for result in results] == [0, 1, 2, 3]
    assert results[0].start == results[1].start != results[2].start == results[3].start
    assert [results[0].player(side) for side in Side] == [0, 1]
    assert [results[1].player(side) for side in Side] == [1, 0]
    standings = Standings(results)
    assert standings.games == [4, 0, 0]
    assert standings.pairs == [2, 0, 0, 0, 0]


def test_the_games_are_the_same_however_many_are_played_at_a_time() -> None:
    alone = played(match("auto", "auto:nodes:400", 6))
    together = played(match("auto", "auto:nodes:400", 6, concurrency=3))
    assert [each.moves for each in alone] == [each.moves for each in together]


def test_every_move_can_be_played_again() -> None:
    for result in played(match("random", "first", 4)):
        position = Position.from_text("ataxx/uai", result.start)
        for text in result.moves:
            position = position.play(position.parse_move(text))
        if position.outcome is not None:
            assert (position.outcome.score, position.outcome.termination) == (
                result.score,
                result.termination,
            )
        else:
            assert result.termination == "max-plies"


def test_a_player_that_fails_loses_the_game_and_is_given_up_after_some() -> None:
    found = match("random", f"engine:limit=50ms {ROGUE} cheats", 20)
    lost: list[Result] = []
    with closing(found), pytest.raises(EngineError, match="the match was stopped"):
        collections.deque(map(lost.append, found.results()))
    assert len(lost) == 6
    assert {(each.termination, each.half_points) for each in lost} == {("engine-failed", 2)}
    assert all("not legal" in str(each.fault) for each in lost)


def test_of_two_players_with_one_name_it_is_told_which_has_failed() -> None:
    cheat = f"engine:limit=5s {ROGUE} cheats"
    with closing(match(cheat, cheat, 2)) as found:
        lost = {each.half_points: str(each.fault) for each in found.results()}
    assert lost[0].startswith("Rogue 5000ms (1): The engine Rogue")
    assert lost[2].startswith("Rogue 5000ms (2): The engine Rogue")


def test_a_player_that_cannot_be_started_is_said_before_the_match() -> None:
    with pytest.raises(EngineError, match="has ended with status"):
        match("random", "engine:false", 2)
    with pytest.raises(UsageError, match="There is no player"):
        match("random", "zebra", 2)


@pytest.mark.parametrize(
    ("first", "second", "titles"),
    [
        ("auto:nodes:100", "auto:nodes:400", ("ataxxd nodes:100", "ataxxd nodes:400")),
        ("auto", "auto:2s", ("ataxxd", "ataxxd 2000ms")),
        ("auto", "auto", ("ataxxd (1)", "ataxxd (2)")),
        (
            f"engine:option.Hash=8 {ROGUE} waits",
            f"engine:option.Hash=64 limit=2s {ROGUE} waits",
            ("Rogue Hash=8", "Rogue 2000ms Hash=64"),
        ),
    ],
)
def test_players_of_one_program_are_told_apart_by_what_is_set(
    first: str, second: str, titles: tuple[str, str]
) -> None:
    with closing(match(first, second, 2)) as found:
        assert found.titles == titles


def test_a_match_that_is_left_ends_its_players() -> None:
    engine = f"engine:limit=100s {ROGUE} waits"
    with closing(match("random", engine, 20, concurrency=2)) as never_begun:
        assert never_begun.titles == ("random", "Rogue 100000ms")
    with closing(match("random:1", "random:2", 20, concurrency=2)) as begun:
        next(begun.results())
    with closing(match("random", f"engine:limit=100s {ROGUE} cheats", 20)) as failing:
        next(failing.results())


def test_a_match_goes_on_where_it_stopped(tmp_path: Path) -> None:
    file = tmp_path / "match"
    whole = played(match("auto", "random", 6))
    with (
        closing(Checkpoint(file, SETTINGS)) as kept,
        closing(match("auto", "random", 6)) as begun,
    ):
        for result in islice(begun.results(), 3):
            kept.add(result)
    # The machine went down in the middle of a line.
    with file.open("ab") as broken:
        broken.write(b'{"number":3,"sta')
    with closing(Checkpoint(file, SETTINGS)) as kept:
        assert [result.number for result in kept.results] == [0, 1, 2]
        for result in played(match("auto", "random", 6, done={0, 1, 2})):
            kept.add(result)
    with closing(Checkpoint(file, SETTINGS)) as kept:
        assert [each.moves for each in kept.results] == [each.moves for each in whole]


def test_a_file_tells_whoever_watches_it_the_players_titles(tmp_path: Path) -> None:
    file = tmp_path / "match"
    settings = {"players": ["auto", "auto"]}
    with (
        closing(Checkpoint(file, settings)) as kept,
        closing(CheckpointReader(file)) as watched,
    ):
        assert watched.titles == ("auto (1)", "auto (2)")
        kept.name_players(("Rogue 1", "ataxxd"))
        kept.name_players(("Rogue 1", "ataxxd"))
        watched.read()
        assert watched.titles == ("Rogue 1", "ataxxd")
        watched.read()
        assert watched.titles == ("Rogue 1", "ataxxd")
    # It continues with another version of the engine.
    with closing(Checkpoint(file, settings)) as kept:
        assert kept.results == []
        kept.name_players(("Rogue 1", "ataxxd"))
        kept.name_players(("Rogue 2", "ataxxd"))
    assert len(file.read_text().splitlines()) == 3
    with closing(CheckpointReader(file)) as watched:
        assert watched.read() == []
        assert watched.titles == ("Rogue 2", "ataxxd")


def test_a_file_of_another_match_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "match"
    Checkpoint(file, SETTINGS).close()
    before = file.read_bytes()
    other = "engine:option.Hash=64 c"
    told = rf"differs in players \(a and b there, a and {other} here\)\."
    with pytest.raises(UsageError, match=told):
        Checkpoint(file, {"players": ["a", other]})
    assert file.read_bytes() == before
    for foreign in (b"hello", b"hello\n", b"[1]\n", b'{"match":2}\n{"number":1}\n'):
        file.write_bytes(foreign)
        with pytest.raises(UsageError, match="is not a match file"):
            Checkpoint(file, {})
        assert file.read_bytes() == foreign


def test_two_programs_cannot_play_one_match(tmp_path: Path) -> None:
    with (
        closing(Checkpoint(tmp_path / "match", SETTINGS)),
        pytest.raises(StorageError, match="another process is playing this match"),
    ):
        Checkpoint(tmp_path / "match", SETTINGS)


def test_standings_count_pairs_by_their_points() -> None:
    def result(number: int, score: str) -> Result:
        return Result(number, "", (), score, "no-moves", "2026.11.21")

    standings = Standings(
        [
            result(1, "1-0"),
            result(0, "1-0"),
            result(2, "1-0"),
            result(3, "0-1"),
            result(4, "1/2-1/2"),
        ]
    )
    assert standings.games == [1, 1, 3]
    assert standings.pairs == [0, 0, 1, 0, 1]
    assert Standings([result(0, "0-1")]).counts == [1, 0, 0]


@pytest.mark.parametrize("name", ["auto@11", "auto:soon", "alphabeta:0", "human"])
def test_a_player_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        make_contestant(name, "ataxx")
