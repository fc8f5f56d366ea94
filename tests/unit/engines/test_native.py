"""The bot that searches: its levels, its limits and its promises."""

import asyncio
import threading
from typing import Any, cast

import pytest

from ataxxd.engines import DEFAULT_LEVEL, HIGHEST_LEVEL, LOWEST_LEVEL
from ataxxd.engines.native import (
    CUTOFF_MS,
    LEVELS,
    REPEATING_CUTOFF_MS,
    DrawSearch,
    EnginePool,
    NativeBot,
    PooledBot,
    Strength,
    search_at_level,
    search_for_draw,
)
from ataxxd.rules import Engine, Move, Position, SearchResult, rulesets
from ataxxd.rules.limits import Limits

RULESET = "ataxx/cs61b-2022"
START = Position.start(RULESET)
# Red has 20 pieces, Blue 17, half the board is empty.
MIDDLE = "xxx2oo/xxxo1oo/xx3oo/x1-1-2/xx3o1/xxxo1oo/xxx1ooo x 0 20"


def wins_within(position: Position, moves: int) -> bool:
    """Whether the side to move can force a win with so many moves; by plain enumeration."""
    for move in position.legal_moves:
        after = position.play(move)
        if after.outcome is not None:
            if after.outcome.winner is position.turn:
                return True
        elif moves > 1 and all(
            (reply.outcome is not None and reply.outcome.winner is position.turn)
            or (reply.outcome is None and wins_within(reply, moves - 1))
            for reply in map(after.play, after.legal_moves)
        ):
            return True
    return False


# Small arenas between blocks, where the enumeration is quick, with the moves a win takes.
ARENAS = [
    (1, "o2x---/1-1----/-------/-------/-------/-------/------- o 0 1"),
    (2, "2x1---/o2o---/-3---/-------/-------/-------/------- x 0 1"),
    (2, "-4--/o1xo1--/-------/-------/-------/-------/------- x 0 1"),
    (3, "1xxo2o/-------/-------/-------/-------/-------/------- x 0 1"),
    (3, "xx1----/1xo----/1ox----/-------/-------/-------/------- x 0 1"),
    (3, "o2x---/1xoo---/-------/-------/-------/-------/------- x 0 1"),
    (4, "1-1x1o-/o3x--/-------/-------/-------/-------/------- x 0 1"),
    (4, "x2----/o-1----/1xo----/-------/-------/-------/------- x 0 1"),
    (4, "x1o----/1xx----/1o1----/-------/-------/-------/------- x 0 1"),
]


def wins_against_everything(bot: NativeBot, position: Position, moves: int) -> bool:
    """Whether the bot wins within so many moves against each answer at each turn."""
    after = position.play(bot.choose(position, seed=3))
    if after.outcome is not None:
        return after.outcome.winner is position.turn
    return moves > 1 and all(
        reply.outcome.winner is position.turn
        if reply.outcome is not None
        else wins_against_everything(bot, reply, moves - 1)
        for reply in map(after.play, after.legal_moves)
    )


@pytest.mark.parametrize(("moves", "text"), ARENAS)
@pytest.mark.parametrize("level", [LOWEST_LEVEL, DEFAULT_LEVEL])
def test_a_win_that_can_be_forced_within_four_moves_is_never_let_go(
    moves: int, text: str, level: int
) -> None:
    position = Position.from_text(RULESET, text)
    assert wins_within(position, moves)
    assert moves == 1 or not wins_within(position, moves - 1)
    assert wins_against_everything(NativeBot(level), position, moves)


def test_the_same_seed_gives_the_same_move_whatever_was_asked_before() -> None:
    middle = Position.from_text(RULESET, MIDDLE)
    fresh = [NativeBot().choose(position, seed=5) for position in (START, middle)]
    bot = NativeBot()
    for seed in range(3):
        bot.choose(middle, seed=seed)
    assert [bot.choose(position, seed=5) for position in (START, middle)] == fresh


def test_seeds_vary_the_choice_among_good_openings() -> None:
    bot = NativeBot()
    assert len({bot.choose(START, seed=seed) for seed in range(30)}) > 1


def test_every_game_has_every_level_and_only_those_below_the_default_err() -> None:
    assert set(LEVELS) == {info.game for info in rulesets()}
    for levels in LEVELS.values():
        assert [*levels] == [*range(LOWEST_LEVEL, HIGHEST_LEVEL + 1)]
        errs = [level for level, limits in levels.items() if limits.temperature or limits.oversight]
        assert errs == [*range(LOWEST_LEVEL, DEFAULT_LEVEL)]
        assert levels[HIGHEST_LEVEL] == Limits(nodes=6_000_000)


def test_a_win_within_four_moves_is_seen_where_every_answer_is_overlooked() -> None:
    for moves, text in ARENAS:
        position = Position.from_text(RULESET, text)
        found = Engine(1).search(position, depth=1, seed=7, temperature=1_000, oversight=100)
        assert found.mate_in == moves


def test_every_level_plays() -> None:
    nearly_over = Position.from_text(
        RULESET, "xxxxxxx/xxxxxxx/xxxxxxx/ooooooo/ooooooo/oo4o/7 x 0 9"
    )
    for level in range(LOWEST_LEVEL, HIGHEST_LEVEL + 1):
        assert nearly_over.is_legal(NativeBot(level).choose(nearly_over, time_ms=50))


async def test_a_choice_under_way_can_be_stopped_from_another_thread() -> None:
    bot = NativeBot(HIGHEST_LEVEL)
    middle = Position.from_text(RULESET, MIDDLE)
    ended = threading.Event()
    choosing = asyncio.create_task(asyncio.to_thread(bot.choose, middle))
    choosing.add_done_callback(lambda _: ended.set())
    while not ended.is_set():
        bot.stop()
        await asyncio.sleep(0)
    assert middle.is_legal(await choosing)


@pytest.mark.parametrize(
    ("score", "mate_in", "nodes", "elapsed_ms", "accepts"),
    [
        (0, None, 100_000, 40, True),
        (-1, None, 100_000, 40, False),
        # It came to its end early: an only move, a position of the endgame tables.
        (0, None, 1, 5, True),
        # Time ended it.
        (300, None, 20_000, 90, False),
        (31_990, 5, 20_000, 90, True),
    ],
)
def test_a_draw_is_accepted_by_a_search_that_was_not_cut_short_and_fears_to_lose(
    score: int, mate_in: int | None, nodes: int, elapsed_ms: int, accepts: bool
) -> None:
    move = START.legal_moves[0]
    result = SearchResult(move, score, mate_in, 5, nodes, elapsed_ms, (move,))
    assert DrawSearch(result, 100).accepts is accepts


def test_an_offer_of_a_draw_is_weighed_within_its_time() -> None:
    middle = Position.from_text(RULESET, MIDDLE)
    for bot in (NativeBot(), PooledBot(DEFAULT_LEVEL, EnginePool(1))):
        assert not bot.accepts_draw(middle, time_ms=1)
    for time_ms, max_ms in ((None, CUTOFF_MS), (60_000, CUTOFF_MS), (70, 70)):
        assert search_for_draw(Engine(1), middle, time_ms).time_ms <= max_ms


class AskedEngine:
    """A real engine, and what it was asked."""

    def __init__(self) -> None:
        self._engine = Engine(1)
        self.clear = self._engine.clear
        self.limits: dict[str, object] = {}

    def search(self, position: Position, **limits: Any) -> SearchResult:
        self.limits = limits
        return self._engine.search(position, **{**limits, "nodes": 500})


@pytest.mark.parametrize("time_ms", [None, 60_000])
@pytest.mark.parametrize("level", LEVELS["ataxx"])
def test_no_choice_of_a_level_depends_on_time_unless_it_is_cut_off(
    level: int, time_ms: int | None
) -> None:
    engine = AskedEngine()
    search_at_level(level, cast("Engine", engine), START, seed=5, time_ms=time_ms)
    assert engine.limits["time_ms"] is None
    assert engine.limits["cutoff_ms"] == CUTOFF_MS
    search_for_draw(cast("Engine", engine), START, time_ms)
    assert engine.limits["time_ms"] is None


def test_a_seed_goes_before_the_time_that_a_move_may_take() -> None:
    engine = AskedEngine()
    bot = NativeBot(10)
    bot._engine = cast("Engine", engine)
    for cutoff_ms in (CUTOFF_MS, REPEATING_CUTOFF_MS):
        bot.choose(START)
        assert engine.limits["time_ms"] is None
        assert engine.limits["cutoff_ms"] == cutoff_ms
        assert not bot.was_cut_short
        bot.make_reproducible()


def test_a_clock_that_is_nearly_empty_bounds_a_choice() -> None:
    engine = AskedEngine()
    search_at_level(6, cast("Engine", engine), START, seed=5, time_ms=1_000)
    assert cast("int", engine.limits["time_ms"]) <= 1_000


def test_several_threads_are_one_where_choices_have_to_repeat() -> None:
    bot = NativeBot(Strength(level=4, threads=3))
    assert "one thread" in (bot.make_reproducible() or "")
    once = NativeBot(4)
    assert once.make_reproducible() is None
    for seed in range(1, 5):
        assert bot.choose(START, seed=seed) == once.choose(START, seed=seed)


def test_a_limit_in_time_is_told_where_choices_have_to_repeat() -> None:
    assert "500 ms" in (NativeBot(Strength(time=500)).make_reproducible() or "")


def test_a_beginner_takes_one_of_several_moves_and_the_same_one_for_the_same_seed() -> None:
    middle = Position.from_text(RULESET, MIDDLE)

    def choices() -> list[Move]:
        bot = NativeBot(LOWEST_LEVEL)
        return [bot.choose(middle, seed=seed) for seed in range(1, 40)]

    chosen = choices()
    assert len(set(chosen)) > 1
    assert choices() == chosen
