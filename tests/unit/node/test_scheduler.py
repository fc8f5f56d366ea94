"""The scheduler of a serving node: how many search, who goes first, for how long."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from ataxxd.engines.base import FirstBot
from ataxxd.engines.native import EnginePool, NativeBot, PooledBot
from ataxxd.node.thinking import Budget, SearchScheduler, fair_ms
from ataxxd.rules import Position

START = Position.start("ataxx/cs61b-2022")


class Searches:
    """Searches that end when they are told to, and note when they begin."""

    def __init__(self, scheduler: SearchScheduler) -> None:
        self.scheduler = scheduler
        self.begun: list[str] = []
        self.given: dict[str, int | None] = {}
        self._ends: dict[str, threading.Event] = {}
        self._news = asyncio.Event()
        self.tasks: dict[str, asyncio.Task[str]] = {}

    async def begin(self, name: str, left_ms: int | None = None) -> None:
        """Ask for a search, and let everything happen that can."""
        self._ends[name] = threading.Event()
        loop = asyncio.get_running_loop()

        def search(ms: int | None) -> str:
            loop.call_soon_threadsafe(self._note, name, ms)
            self._ends[name].wait()
            return name

        budget = Budget(None if left_ms is None else left_ms // 25, left_ms)
        bot = PooledBot(1, EnginePool(1))
        self.tasks[name] = asyncio.create_task(self.scheduler.think(bot, search, lambda: budget))
        before = self.scheduler.searching + self.scheduler.waiting
        await self._until(lambda: self.scheduler.searching + self.scheduler.waiting > before)

    async def have_begun(self, *names: str) -> None:
        """Wait until exactly these have begun, in this order."""
        await self._until(lambda: len(self.begun) >= len(names))
        assert self.begun == list(names)

    def end(self, name: str) -> None:
        """Let a search find its move."""
        self._ends[name].set()

    async def close(self) -> None:
        """Let all end."""
        for event in self._ends.values():
            event.set()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)

    def _note(self, name: str, ms: int | None) -> None:
        self.begun.append(name)
        self.given[name] = ms

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():  # noqa: ASYNC110 - many things may make it hold
            await asyncio.sleep(0)


@pytest.fixture
async def two() -> Searches:
    return Searches(SearchScheduler(2, now=lambda: 0.0))


async def test_only_so_many_search_at_once_and_the_rest_wait(two: Searches) -> None:
    for name in "abc":
        await two.begin(name)
    await two.have_begun("a", "b")
    assert (two.scheduler.searching, two.scheduler.waiting) == (2, 1)
    two.end("a")
    await two.have_begun("a", "b", "c")
    assert await two.tasks["a"] == "a"
    await two.close()
    assert (two.scheduler.searching, two.scheduler.waiting) == (0, 0)


async def test_who_has_least_time_goes_first_and_who_has_no_clock_last(two: Searches) -> None:
    await two.begin("a")
    await two.begin("b")
    await two.begin("no clock")
    await two.begin("a minute", 60_000)
    await two.begin("a second", 1_000)
    await two.begin("a second too", 1_000)
    two.end("a")
    await two.have_begun("a", "b", "a second")
    for name in ("a second", "b"):
        two.end(name)
    await two._until(lambda: len(two.begun) == 5)
    assert set(two.begun[3:]) == {"a second too", "a minute"}
    await two.close()
    assert two.begun[-1] == "no clock"


async def test_a_search_that_waits_and_is_not_wanted_any_more_takes_no_core(two: Searches) -> None:
    for name in "abc":
        await two.begin(name)
    two.tasks["c"].cancel()
    await asyncio.wait({two.tasks["c"]})
    await two.begin("d")
    two.end("a")
    await two.have_begun("a", "b", "d")
    await two.close()
    assert two.scheduler.searching == 0


async def test_a_search_that_begins_while_another_waits_is_cut_short(two: Searches) -> None:
    await two.begin("a")
    await two.begin("b")
    await two.begin("c", 10_000)
    await two.begin("d", 4_000)
    two.end("a")
    await two.begin("e", 20_000)
    two.end("d")
    await two.have_begun("a", "b", "d", "c")
    # For d, which would take 160 ms, nobody hurried; e would spend 800 ms, and c half of that.
    assert (two.given["d"], two.given["c"]) == (160, 400)
    await two.begin("f", 5_000)
    two.end("b")
    await two.have_begun("a", "b", "d", "c", "f")
    assert two.given["f"] == 200
    await two.close()


async def test_a_bot_that_answers_at_once_waits_for_nobody(two: Searches) -> None:
    for name in "ab":
        await two.begin(name)
    assert await two.scheduler.think(FirstBot(), lambda _: "at once", Budget) == "at once"
    await two.close()


@pytest.mark.parametrize(
    ("budget", "waiting", "cores", "allowed"),
    [
        (Budget(), [], 1, None),
        (Budget(), [None, None], 1, None),
        (Budget(400, 10_000), [], 1, 400),
        (Budget(900, 1_000), [], 1, 500),
        (Budget(400, 10_000), [300], 1, 300),
        (Budget(), [300], 1, 300),
        (Budget(400, 10_000), [None, 300], 1, 150),
        (Budget(400, 10_000), [600, 900, 600], 1, 200),
        (Budget(400, 10_000), [600, 900, 600], 2, 300),
        (Budget(400, 10_000), [0], 2, 1),
    ],
)
def test_waiting_takes_no_more_than_the_move_itself_would(
    budget: Budget, waiting: list[int | None], cores: int, allowed: int | None
) -> None:
    assert fair_ms(budget, waiting, cores) == allowed


@pytest.mark.parametrize("games", [1, 10, 100])
def test_games_that_always_think_keep_their_clocks_on_one_core(games: int) -> None:
    """Each move takes 2 ms beside its search, and every opponent answers at once."""
    now, wanted, left = 0, 400, [60_000] * games
    asked, moves = [0] * games, [0] * games
    while min(moves) < 60:
        # As `SearchScheduler` does: whose flag falls first begins.
        order = sorted(range(games), key=lambda game: (asked[game] + left[game], asked[game]))
        game, *others = order
        left_now = left[game] - (now - asked[game])
        given = fair_ms(
            Budget(left_now // 25, left_now), [left[other] // 25 for other in others], 1
        )
        assert given is not None
        now += min(wanted, given) + 2
        left[game] -= now - asked[game]
        asked[game] = now
        moves[game] += 1
    assert min(left) > 0


def test_a_lent_engine_chooses_as_one_of_its_own_does() -> None:
    engines = EnginePool(hash_mb=16)
    position = START
    for seed in range(6):
        move = PooledBot(3, engines).choose(position, seed=seed)
        assert move == NativeBot(3).choose(position, seed=seed)
        position = position.play(move)
    assert engines.nodes > 0


def test_bots_that_think_one_after_the_other_need_one_engine() -> None:
    engines = EnginePool(hash_mb=1)
    for bot in [PooledBot(1, engines) for _ in range(50)]:
        bot.choose(START)
        bot.stop()
    assert len(engines._idle) == 1


def test_a_level_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="Level 11: there is no such level"):
        PooledBot(11, EnginePool(1))
