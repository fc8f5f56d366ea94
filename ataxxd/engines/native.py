"""Our own engine as a bot: how strong it is, its choice of moves, thinking ahead.

Levels are node counts, not times: the same seed gives the same move on a slow and on a
fast machine, alone or beside other work. The parameters of its search have names, by which they
are tuned, and are written as ``NAME=VALUE,...``. `PooledBot` plays the same moves with engines
that many games share.
"""

import queue
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Final, TypeAlias

from ataxxd.engines import DEFAULT_LEVEL, HIGHEST_LEVEL, OURS, read_level
from ataxxd.engines.base import Ponderer, ReproducibleBot
from ataxxd.engines.search_thread import SearchRequest, SearchThread
from ataxxd.engines.tablebases import check_table, new_engine, new_playing_engine, use_own_tables
from ataxxd.errors import UsageError
from ataxxd.rules import Engine, Move, Position, SearchResult, rulesets
from ataxxd.rules.limits import DEFAULT_HASH_MB, Limits
from ataxxd.wording import did_you_mean

_MAX = {
    "level": HIGHEST_LEVEL,
    "time": 10**9,
    "nodes": 10**15,
    "depth": 1000,
    "threads": 256,
    "hash": 65_536,
    "ponder": 1,
}


@dataclass(frozen=True, slots=True)
class Strength:
    """Settings of our engine for a game, each at least 1; None leaves the usual value.

    Attributes:
        level: 1 to 10; the usual one if nothing else limits a move.
        time: milliseconds per move; then the same seed may give another move.
        nodes: positions searched per move.
        depth: search depth in plies.
        threads: search threads; with more than one, the same seed may give another move.
        hash: size of the transposition table in mebibytes.
        ponder: 1 to think also on the opponent's time.
    """

    level: int | None = None
    time: int | None = None
    nodes: int | None = None
    depth: int | None = None
    threads: int | None = None
    hash: int | None = None
    ponder: int | None = None

    def __post_init__(self) -> None:
        for name, most in _MAX.items():
            value = getattr(self, name)
            if value is not None and not 1 <= value <= most:
                msg = f"{name}={value}: our engine takes {name} from 1 to {most}."
                raise ValueError(msg)
        if self.level is None and self.time is self.nodes is self.depth is None:
            object.__setattr__(self, "level", DEFAULT_LEVEL)

    @classmethod
    def parse(cls, text: str) -> "Strength":
        """Read a level alone, or settings such as ``time=500,threads=2``, as `str` writes them.

        Raises:
            ValueError: it is neither.
        """
        if text.isdecimal():
            return cls(int(text))
        values: dict[str, int] = {}
        for word in text.split(","):
            name, _, value = word.partition("=")
            if name not in _MAX or name in values or not (value.isascii() and value.isdecimal()):
                known = ", ".join(_MAX)
                msg = f'"{word}" means nothing to our engine; it takes {known}, as in time=500.'
                raise ValueError(msg)
            values[name] = int(value)
        return cls(**values)

    def __str__(self) -> str:
        """The level alone, if that is all."""
        if self == Strength(self.level):
            return str(self.level)
        said = ((each.name, getattr(self, each.name)) for each in fields(self))
        return ",".join(f"{name}={value}" for name, value in said if value is not None)

    def limits(self, game: str) -> Limits:
        """The limits of a move in a game: the stricter of the level's and these."""
        own = Limits(self.depth, self.nodes, self.time)
        return own if self.level is None else own.within(LEVELS[game][self.level])


# The plies and nodes of each level, how random its choice of a move is, and in what percentage of
# turns it overlooks the opponent's answers. Only levels below the default make such errors, so that
# beginners can win; every level finds forced wins within four moves, which the engine looks for
# separately. The steps are nearly even: `python -m tests.bench.bench_levels` measures them.
# If you change a level, raise `ataxxd.node.level_games.LADDER`.
# The default thinks some 20 ms a move, which keeps a whole game of two machines well below
# five seconds: scripts that close their input at once still see its end.
_STRONG_LIMITS: dict[int, Limits] = {
    8: Limits(nodes=100_000),
    9: Limits(nodes=800_000),
    10: Limits(nodes=6_000_000),
}
_MEASURED_LIMITS: dict[str, dict[int, Limits]] = {
    "ataxx": {
        1: Limits(1, 500, temperature=300, oversight=50),
        2: Limits(1, 500, temperature=150, oversight=45),
        3: Limits(1, 500, temperature=70, oversight=40),
        4: Limits(2, 2_000, temperature=32, oversight=20),
        5: Limits(3, 8_000, temperature=20, oversight=4),
        6: Limits(4, 8_000, temperature=20),
        7: Limits(nodes=40_000, temperature=5),
        **_STRONG_LIMITS,
    },
    "reversi": {
        1: Limits(1, 500, temperature=60, oversight=60),
        2: Limits(1, 500, temperature=22, oversight=24),
        3: Limits(2, 2_000, temperature=20, oversight=9),
        4: Limits(3, 8_000, temperature=12, oversight=3),
        5: Limits(4, 20_000, temperature=20),
        6: Limits(nodes=3_000, temperature=16),
        7: Limits(nodes=20_000, temperature=8),
        **_STRONG_LIMITS,
    },
    "checkers": {
        1: Limits(1, 500, temperature=60, oversight=55),
        2: Limits(1, 500, temperature=36, oversight=35),
        3: Limits(1, 500, temperature=26, oversight=16),
        4: Limits(2, 2_000, temperature=30, oversight=8),
        5: Limits(3, 8_000, temperature=25, oversight=3),
        6: Limits(4, 12_000, temperature=16),
        7: Limits(7, 30_000, temperature=10),
        **_STRONG_LIMITS,
    },
    "loa": {
        1: Limits(1, 500, temperature=180, oversight=55),
        2: Limits(1, 500, temperature=100, oversight=38),
        3: Limits(1, 500, temperature=45, oversight=18),
        4: Limits(2, 2_000, temperature=40, oversight=12),
        5: Limits(3, 8_000, temperature=25, oversight=4),
        6: Limits(5, 25_000, temperature=8),
        7: Limits(nodes=6_000, temperature=8),
        **_STRONG_LIMITS,
    },
}
LEVELS: Mapping[str, Mapping[int, Limits]] = {
    # A game without measured levels has those of Ataxx.
    info.game: _MEASURED_LIMITS.get(info.game, _MEASURED_LIMITS["ataxx"])
    for info in rulesets()
}
"""What each level may spend, by the game."""

# No move may take ten seconds. The highest level takes two or three, so time ends a search only on
# a machine that is several times slower or busier; on others, no choice depends on time. If a seed
# must repeat a game, that matters more: then only a search that hardly makes progress is stopped.
CUTOFF_MS = 9_000
REPEATING_CUTOFF_MS = 60_000
_DRAW_NODES = 100_000


def check_level(level: int) -> int:
    """Return the level if it exists.

    Raises:
        ValueError: there is no such level.
    """
    found = read_level(str(level), f"Level {level}")
    if found == 0:
        msg = "Level 0 plays any legal move: it needs no engine."
        raise ValueError(msg)
    return found


def hard_limit_ms(strength: Strength, time_ms: int | None, cutoff_ms: int) -> int | None:
    """The milliseconds after which a search is stopped in any case; None for no limit."""
    # Limits set by the user may allow more time than any level needs.
    if strength.level is None:
        return time_ms
    return cutoff_ms if time_ms is None else min(time_ms, cutoff_ms)


def search_at_level(
    level: int | Strength,
    engine: Engine,
    position: Position,
    *,
    seed: int,
    time_ms: int | None,
    cutoff_ms: int = CUTOFF_MS,
) -> SearchResult:
    """A search at a level, independent of earlier searches."""
    strength = Strength(level) if isinstance(level, int) else level
    limits = strength.limits(position.game)
    # A clock with more time than a level may take must not affect the choice, so leave it out.
    clock_ms = None if strength.level and (time_ms or 0) >= CUTOFF_MS else time_ms
    times = [each for each in (limits.time_ms, clock_ms) if each is not None]
    left_ms = _clear(engine, min(times, default=None))
    return engine.search(
        position,
        depth=limits.depth,
        nodes=limits.nodes,
        time_ms=left_ms,
        cutoff_ms=hard_limit_ms(strength, time_ms, cutoff_ms),
        seed=seed,
        temperature=limits.temperature,
        oversight=limits.oversight,
    )


@dataclass(frozen=True, slots=True)
class DrawSearch:
    """The search that answers a draw offer by the side to move.

    Attributes:
        result: its result.
        time_ms: the milliseconds it had.
    """

    result: SearchResult
    time_ms: int

    @property
    def accepts(self) -> bool:
        """Whether it had enough time, and found the offering side not worse."""
        found = self.result
        # On a machine that has stalled, a search ends well before its time is up, so half of the
        # time counts as cut short. Elapsed milliseconds are rounded down, hence the 1.
        cut_short = found.nodes < _DRAW_NODES and 2 * (found.elapsed_ms + 1) >= self.time_ms
        return found.score >= 0 and (found.mate_in is not None or not cut_short)


def search_for_draw(engine: Engine, position: Position, time_ms: int | None) -> DrawSearch:
    """A search that decides about a draw offer, independent of earlier searches."""
    clock_ms = None if time_ms is None or time_ms >= CUTOFF_MS else time_ms
    left_ms = _clear(engine, clock_ms)
    found = engine.search(position, nodes=_DRAW_NODES, time_ms=left_ms, cutoff_ms=CUTOFF_MS)
    return DrawSearch(found, CUTOFF_MS if left_ms is None else left_ms)


def _clear(engine: Engine, time_ms: int | None) -> int | None:
    """Clear an engine; returns what that leaves of `time_ms`, at least 1, or None for no limit."""
    began = time.monotonic()
    # Otherwise the answer would depend on earlier searches.
    engine.clear()
    if time_ms is None:
        return None
    # Clearing takes milliseconds; on a busy machine, as many as a move may take.
    return max(1, time_ms - int(1_000 * (time.monotonic() - began)))


class NativeBot(ReproducibleBot):
    """Plays with our own engine, at a level from 1 to 10 or within given limits."""

    def __init__(self, strength: int | Strength = DEFAULT_LEVEL) -> None:
        """Create a bot of a level or other strength.

        Raises:
            ValueError: there is no such level.
            StorageError: as for `ataxxd.engines.tablebases.use_own_tables`.
        """
        self._strength = Strength(check_level(strength)) if isinstance(strength, int) else strength
        self._engine = self._make_engine(self._strength.threads or 1)
        self._is_reproducible = False
        self._cutoff_ms = CUTOFF_MS
        self.was_cut_short = False

    def _make_engine(self, threads: int) -> Engine:
        return new_playing_engine(self._strength.hash or DEFAULT_HASH_MB, threads)

    @property
    def name(self) -> str:
        """``auto@LEVEL``, or ``auto:`` and a strength as `Strength.parse` reads it."""
        text = str(self._strength)
        return f"{OURS}@{text}" if text.isdecimal() else f"{OURS}:{text}"

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:
        """Choose a legal move (`ataxxd.engines.base.Bot`)."""
        result = self._search(position, seed, time_ms)
        self._remember(position, result)
        return result.move

    def _search(self, position: Position, seed: int, time_ms: int | None) -> SearchResult:
        if self._is_reproducible:
            # Wait for tables that are unpacked in the background: they must not affect the choice.
            Engine.prepare(position)
        return search_at_level(
            self._strength,
            self._engine,
            position,
            seed=seed,
            time_ms=time_ms,
            cutoff_ms=self._cutoff_ms,
        )

    def _remember(self, position: Position, result: SearchResult) -> None:
        nodes = self._strength.limits(position.game).nodes
        self.was_cut_short = (
            self._strength.level is not None
            and result.elapsed_ms >= self._cutoff_ms
            and (nodes is None or result.nodes < nodes)
        )

    def make_reproducible(self) -> str | None:
        """Choose by position and seed alone from now on; returns a sentence for people, or None."""
        if not self._is_reproducible and (self._strength.threads or 1) > 1:
            self._engine = self._make_engine(1)
        self._is_reproducible, self._cutoff_ms = True, REPEATING_CUTOFF_MS
        if self._strength.time is not None:
            return (
                f"A limit of {self._strength.time} ms means more or less by how fast the machine "
                "is: the same seed may give another game."
            )
        if (self._strength.threads or 1) > 1:
            return "With a seed the engine searches with one thread: several never repeat a game."
        return None

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:
        """Accept if its search finds the offering side not worse."""
        return search_for_draw(self._engine, position, time_ms).accepts

    def stop(self) -> None:
        """Make a choice under way in another thread return soon."""
        self._engine.stop()

    def __repr__(self) -> str:
        return f"NativeBot({self._strength})"


@dataclass(frozen=True, slots=True)
class _Pondering:
    before: Position
    expected: Position
    seed: int
    answer: "queue.SimpleQueue[SearchResult]" = field(default_factory=queue.SimpleQueue)


class PonderingBot(NativeBot, Ponderer):
    """A `NativeBot` that ponders the answer it expects.

    If that answer comes, the search continues and its time begins to count; if not, the search is
    dropped.

    Attributes:
        hits: how many choices were pondered beforehand.
    """

    def __init__(self, strength: Strength) -> None:
        super().__init__(strength)
        self.hits = 0
        self._thread = SearchThread(self._engine)
        self._last: tuple[Position, SearchResult] | None = None
        self._pondering: _Pondering | None = None

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:
        """Choose a legal move (`ataxxd.engines.base.Bot`)."""
        thought, self._pondering = self._pondering, None
        if thought is not None and (thought.expected, thought.seed) == (position, seed):
            self.hits += 1
            self._thread.ponder_hit(hard_limit_ms(self._strength, time_ms, self._cutoff_ms))
            result = thought.answer.get()
        else:
            self.stop_pondering()
            result = self._search(position, seed, time_ms)
        self._remember(position, result)
        self._last = (position, result)
        return result.move

    def make_reproducible(self) -> str | None:
        """Choose by position and seed alone from now on; returns a sentence for people, or None."""
        self.stop_pondering()
        said = super().make_reproducible()
        self._thread = SearchThread(self._engine)
        return said

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:
        """Whether to agree to a draw that the side to move offers."""
        self.stop_pondering()
        return super().accepts_draw(position, time_ms=time_ms)

    def ponder(self, position: Position, *, seed: int) -> None:
        """Begin to think about the expected answer, in the background."""
        self.stop_pondering()
        expected = self._expected_position(position)
        if expected is None:
            return
        thought = self._pondering = _Pondering(position, expected, seed)
        limits = self._strength.limits(position.game)
        self._thread.start(
            SearchRequest(
                expected,
                limits,
                on_info=lambda _: None,
                on_answer=thought.answer.put,
                holds_answer=True,
                seed=seed,
                clears_table=True,
            )
        )

    def stop_pondering_unless(self, position: Position | None) -> None:
        """Stop pondering unless it may still be of use in this position."""
        thought = self._pondering
        if thought is not None and position not in (thought.before, thought.expected):
            self.stop_pondering()

    def stop_pondering(self) -> None:
        """Stop pondering; returns when it has stopped."""
        self._pondering = None
        self._thread.stop()

    def _expected_position(self, position: Position) -> Position | None:
        """The position after the opponent's best answer, if we are to move in it."""
        if self._last is None:
            return None
        before, result = self._last
        if len(result.pv) < 2 or before.play(result.move) != position:
            return None
        after = position.play(result.pv[1])
        return after if after.outcome is None and after.turn is before.turn else None

    def __repr__(self) -> str:
        return f"PonderingBot({self._strength})"


Settings: TypeAlias = Mapping[str, int]
"""Search parameters that differ from a game's usual ones, by name."""

_SETTING: Final = re.compile(r"([a-z_]+)=(-?[0-9]{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class SearchParameter:
    """A parameter of the search that can be tuned for a game.

    Attributes:
        name: its name.
        value: its usual value in the game.
        least: its least value.
        most: its greatest value.
    """

    name: str
    value: int
    least: int
    most: int


def search_parameters(game: str) -> dict[str, SearchParameter]:
    """The parameters that can be tuned in a game, by name, in the engine's order."""
    return {name: SearchParameter(name, *rest) for name, *rest in Engine.parameters(game)}


def read_settings(text: str, game: str) -> dict[str, int]:
    """Read parameters as ``NAME=VALUE,...``.

    Raises:
        UsageError: it is not of this form, or the game's search has no such parameter.
    """
    settings = dict[str, int]()
    for word in text.split(","):
        found = _SETTING.fullmatch(word)
        if found is None or found[1] in settings:
            raise UsageError(
                f'"{word}" sets no number of the search: write each once, as in '
                "aspiration=60,killer=300."
            )
        settings[found[1]] = int(found[2])
    check_settings(settings, game)
    return settings


def check_settings(settings: Settings, game: str) -> None:
    """Check that a game's search has these parameters, and that they are in range.

    Raises:
        UsageError: it does not have one of them, or one is out of range.
    """
    known = search_parameters(game)
    for name, value in settings.items():
        number = check_parameter(name, known, game)
        if not number.least <= value <= number.most:
            raise UsageError(
                f"{name}={value}: {name} must be from {number.least} to {number.most}."
            )


def check_parameter(name: str, known: Mapping[str, SearchParameter], game: str) -> SearchParameter:
    """The parameter with a name.

    Raises:
        UsageError: the game's search does not have it.
    """
    if name not in known:
        raise UsageError(
            f'The search of {game} has no number "{name}".{did_you_mean(name, known)} It has '
            f"{', '.join(known)}."
        )
    return known[name]


def format_settings(settings: Settings) -> str:
    """The text that `read_settings` reads."""
    return ",".join(f"{name}={value}" for name, value in settings.items())


class EnginePool:
    """A pool of engines, each lent for one search; it grows to the number of parallel searches.

    A transposition table takes megabytes, and a bot clears it before every move anyway, so a game
    that waits for its opponent needs none.

    Attributes:
        nodes: positions searched in total.
    """

    def __init__(self, hash_mb: int) -> None:
        """Create an empty pool; each engine will have a table of `hash_mb` mebibytes.

        Raises:
            StorageError: as for `ataxxd.engines.tablebases.use_own_tables`.
            TableTooLargeError: there is not enough memory for such a table.
        """
        check_table(hash_mb)
        use_own_tables()
        self.nodes = 0
        self._hash_mb = hash_mb
        self._idle: list[Engine] = []
        self._lock = threading.Lock()

    @contextmanager
    def borrow(self) -> Iterator[Engine]:
        """Borrow an engine for one search."""
        with self._lock:
            engine = self._idle.pop() if self._idle else None
        if engine is None:
            engine = new_engine(self._hash_mb)
        try:
            yield engine
        finally:
            with self._lock:
                self._idle.append(engine)

    def count_nodes(self, result: SearchResult) -> SearchResult:
        """Add the nodes of a search to the total."""
        with self._lock:
            self.nodes += result.nodes
        return result


class PooledBot:
    """A `NativeBot` of a level that borrows engines from a pool."""

    def __init__(self, level: int, engines: EnginePool) -> None:
        """Create a bot of a level.

        Raises:
            ValueError: there is no such level.
        """
        self._level = check_level(level)
        self._engines = engines
        self._engine: Engine | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """``auto@LEVEL``."""
        return f"{OURS}@{self._level}"

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:
        """Choose a legal move (`ataxxd.engines.base.Bot`)."""
        with self._searching() as engine:
            result = search_at_level(self._level, engine, position, seed=seed, time_ms=time_ms)
        return self._engines.count_nodes(result).move

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:
        """Accept if its search finds the offering side not worse."""
        with self._searching() as engine:
            search = search_for_draw(engine, position, time_ms)
        self._engines.count_nodes(search.result)
        return search.accepts

    def search(self, position: Position, nodes: int, *, time_ms: int | None = None) -> SearchResult:
        """Search a position for so many nodes or milliseconds, whichever ends first."""
        with self._searching() as engine:
            engine.clear()
            result = engine.search(position, nodes=nodes, time_ms=time_ms)
        return self._engines.count_nodes(result)

    def stop(self) -> None:
        """Make a choice under way in another thread return soon."""
        # Under the lock: an engine that was given back may search for another game by now.
        with self._lock:
            if self._engine is not None:
                self._engine.stop()

    @contextmanager
    def _searching(self) -> Iterator[Engine]:
        with self._engines.borrow() as engine:
            with self._lock:
                self._engine = engine
            try:
                yield engine
            finally:
                with self._lock:
                    self._engine = None

    def __repr__(self) -> str:
        return f"PooledBot({self._level})"
