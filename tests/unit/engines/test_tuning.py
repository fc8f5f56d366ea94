"""Numbers of the search: which there are, what setting them does, and a match that tunes them."""

import re
from collections.abc import Generator
from contextlib import closing

import pytest

from ataxxd.engines.match import Match, Plan, Team
from ataxxd.engines.match.contestants import make_contestant
from ataxxd.engines.match.game import Adjudication, TimeControl
from ataxxd.engines.match.openings import random_openings
from ataxxd.engines.native import format_settings, read_settings, search_parameters
from ataxxd.engines.tuning import Parameter, Spsa, Tuner
from ataxxd.errors import UsageError
from ataxxd.rules import Engine, Position
from ataxxd.rules.limits import Limits

START = Position.start("ataxx/uai")
RULESETS = ("ataxx/uai", "reversi/standard", "checkers/acf", "loa/cs61b")


def plan(games: int, players: tuple[str, str] = ("auto", "auto"), concurrency: int = 1) -> Plan:
    control = TimeControl(Limits(nodes=1000))
    return Plan(players, games, concurrency, control, Adjudication(), seed=3, hash_mb=1)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_game_lists_its_numbers_and_its_own_values_change_nothing(ruleset: str) -> None:
    position = Position.start(ruleset)
    numbers = search_parameters(position.game)
    engine = Engine(1)
    usual = engine.search(position, depth=7)
    engine.clear()
    engine.tune({name: each.value for name, each in numbers.items()})
    same = engine.search(position, depth=7)
    assert (same.nodes, same.move, same.score) == (usual.nodes, usual.move, usual.score)
    engine.clear()
    engine.tune({"reduction": 200, "reduction_divisor": 50, "late_move_count": 2000})
    assert engine.search(position, depth=7).nodes != usual.nodes
    engine.clear()
    engine.tune({})
    assert engine.search(position, depth=7).nodes == usual.nodes


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("end", ["least", "most"])
def test_a_search_works_at_every_end_of_every_range(ruleset: str, end: str) -> None:
    engine = Engine(1, threads=2)
    numbers = search_parameters(Position.start(ruleset).game)
    openings = random_openings(Position.start(ruleset), 12, 5)
    for changed in [*({name} for name in numbers), {*numbers}]:
        engine.clear()
        engine.tune({name: getattr(numbers[name], end) for name in changed})
        position = next(openings)
        assert position.is_legal(engine.search(position, nodes=2_000).move)


def test_a_short_win_is_played_whatever_the_numbers() -> None:
    won = Position.from_text("ataxx/uai", "7/7/7/7/7/xo5/x6 x 0 1")
    engine = Engine(1)
    for end in ("least", "most"):
        engine.tune({name: getattr(each, end) for name, each in search_parameters("ataxx").items()})
        assert engine.search(won, depth=1).mate_in == 1


@pytest.mark.parametrize(
    ("tuning", "why"),
    [
        ({"win_horizon": 3}, 'The search has no parameter "win_horizon"; it has win_share, '),
        ({"killer": -1}, "killer is -1; it must be from 0 to 2000."),
        ({"killer": 2**40}, f"{2**40} is too large."),
        ({"reduction": -(2**40)}, f"-{2**40} is too small."),
    ],
)
def test_the_engine_says_which_numbers_there_are(tuning: dict[str, int], why: str) -> None:
    engine = Engine(1)
    with pytest.raises(ValueError, match=re.escape(why)):
        engine.tune(tuning)
    usual = Engine(1).search(START, depth=6).nodes
    assert engine.search(START, depth=6).nodes == usual


def test_there_are_no_numbers_of_a_game_that_there_is_not() -> None:
    with pytest.raises(ValueError, match='There is no game "chess"'):
        Engine.parameters("chess")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("killer", '"killer" sets no number of the search: write each once'),
        ("killer=1,killer=2", '"killer=2" sets no number'),
        ("killer=1.5", '"killer=1.5" sets no number'),
        ("kilerr=1", 'has no number "kilerr". Did you mean "killer"?'),
        ("quiet_moves=3", 'The search of loa has no number "quiet_moves".'),
        ("killer=2001", "killer=2001: killer must be from 0 to 2000."),
    ],
)
def test_what_sets_no_number_is_explained(text: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_settings(text, "loa")
    assert why in str(caught.value)


def test_settings_are_read_as_they_are_written() -> None:
    settings = {"killer": 300, "reduction": -5}
    assert read_settings(format_settings(settings), "reversi") == settings


def test_a_player_with_other_numbers_searches_with_them_and_is_called_by_them() -> None:
    tuned = make_contestant("auto:nodes:900+killer=0,gain_weight=200", "ataxx", 1)
    assert tuned.title == "ataxxd nodes:900 killer=0 gain_weight=200"
    assert tuned.own_limits == Limits(nodes=900)
    engine = Engine(1)
    engine.tune({"killer": 0, "gain_weight": 200})
    chosen = tuned.choose(START, Limits(nodes=900), 0)
    found = engine.search(START, nodes=900)
    assert (chosen.move, chosen.score) == (found.move, found.score)
    many = make_contestant("auto+killer=0,gain_weight=9,aspiration=9,reduction=9", "ataxx", 1)
    assert many.title.startswith("ataxxd tuned (")


@pytest.mark.parametrize("name", ["auto@7+killer=3", "auto:threads=2+killer=3"])
def test_a_level_has_no_other_numbers(name: str) -> None:
    with pytest.raises(UsageError, match="numbers of the search are for auto and auto:LIMIT"):
        make_contestant(name, "ataxx")


def test_only_our_search_has_numbers_that_a_match_can_set() -> None:
    team = Team(plan(2, ("auto", "random")), "ataxx")
    with closing(team), pytest.raises(UsageError, match="random has no numbers of the search"):
        team.tune(({"killer": 3}, {}))


def tuned(pairs: int, concurrency: int, window: int) -> Generator[Spsa]:
    """A tuning after each of its games."""
    games = 12
    parameters = [
        Parameter("late_move_slope", 150, 10, 1000, 100.0, 0.2),
        Parameter("futility_slope", 60, 5, 300, 40.0, 0.2),
        Parameter("gain_weight", 32, 1, 256, 20.0, 0.2),
    ]
    tuner = Tuner(Spsa(parameters, games // (2 * pairs), window, 11), pairs)
    openings = random_openings(Position.start("reversi/standard"), 4, 3)
    match = Match(plan(games, concurrency=concurrency), openings, guide=tuner)
    with closing(match):
        for result in match.results():
            tuner.add(result)
            yield tuner.spsa


@pytest.mark.parametrize(("pairs", "window"), [(1, 1), (1, 3), (2, 2)])
def test_a_tuning_is_the_same_however_many_games_are_played_at_once(
    pairs: int, window: int
) -> None:
    (*_, alone) = tuned(pairs, 1, window)
    (*_, together) = tuned(pairs, 4, window)
    assert alone.counted == together.counted == 12 // (2 * pairs)
    assert alone.values == together.values
    assert alone.settings != {each.name: each.start for each in alone.parameters}


def test_a_tuning_that_is_left_while_players_wait_for_a_result_ends() -> None:
    run = tuned(1, 4, 1)
    assert next(run).counted <= 1
    run.close()
