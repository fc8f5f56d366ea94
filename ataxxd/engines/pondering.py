"""Our engine, thinking while the opponent does."""

import queue
from dataclasses import dataclass, field

from ataxxd.engines.base import Ponders
from ataxxd.engines.native import LEVELS, NativeBot, last_resort
from ataxxd.engines.search_thread import SearchRequest, SearchThread
from ataxxd.engines.strength import Strength
from ataxxd.rules import Move, Position, SearchResult


@dataclass(frozen=True, slots=True)
class _Thought:
    before: Position
    expected: Position
    seed: int
    answer: "queue.SimpleQueue[SearchResult]" = field(default_factory=queue.SimpleQueue)


class PonderingBot(NativeBot, Ponders):
    """A `NativeBot` that searches on after the answer which its last search expects.

    If that answer comes, the search goes on and only now its time begins to count; if not, it is
    dropped.

    Attributes:
        hits: choices that were thought about beforehand.
    """

    def __init__(self, strength: Strength) -> None:
        super().__init__(strength)
        self.hits = 0
        self._thread = SearchThread(self._engine)
        self._last: tuple[Position, SearchResult] | None = None
        self._thought: _Thought | None = None

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:
        """Choose a legal move (`ataxxd.engines.base.Bot`)."""
        thought, self._thought = self._thought, None
        if thought is not None and (thought.expected, thought.seed) == (position, seed):
            self.hits += 1
            self._thread.ponder_hit(last_resort(self._strength, time_ms, self._cutoff_ms))
            result = thought.answer.get()
        else:
            self.rest()
            result = self._search(position, seed, time_ms)
        self._note(result)
        self._last = (position, result)
        return result.move

    def repeat(self) -> str | None:
        """Choose from now on by position and seed alone; what people should know of it, or None."""
        self.rest()
        said = super().repeat()
        self._thread = SearchThread(self._engine)
        return said

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:
        """Whether to agree to a draw that the side to move offers."""
        self.rest()
        return super().accepts_draw(position, time_ms=time_ms)

    def ponder(self, position: Position, *, seed: int) -> None:
        """Begin to think about the expected answer, in the background."""
        self.rest()
        expected = self._expected(position)
        if expected is None:
            return
        thought = self._thought = _Thought(position, expected, seed)
        limits = self._strength.limits(LEVELS)
        self._thread.ask(
            SearchRequest(
                expected,
                limits,
                on_info=lambda _: None,
                on_answer=thought.answer.put,
                waits=True,
                seed=seed,
                afresh=True,
            )
        )

    def follow(self, position: Position | None) -> None:
        """Stop thinking unless the thought may still be of use where the game stands."""
        thought = self._thought
        if thought is not None and position not in (thought.before, thought.expected):
            self.rest()

    def rest(self) -> None:
        """Stop thinking; returns when nothing runs any more."""
        self._thought = None
        self._thread.stop()

    def _expected(self, position: Position) -> Position | None:
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
