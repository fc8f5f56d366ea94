"""One game of a match: clocks, adjudication and moves. It always ends."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ataxxd.engines.base import seed_for
from ataxxd.engines.match.contestants import FAILED, LATE, Contestant
from ataxxd.errors import EngineError
from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.rules.limits import Clock, Limits


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The limits of a player: time, nodes or depth.

    Attributes:
        per_move: the limits of each move.
        base_ms: time for the whole game, in milliseconds; None without such a clock.
        increment_ms: what each move adds, in milliseconds.
        margin_ms: by how many milliseconds a move may be late, as the machine may be busy.
        forgives: whether nobody loses on time, however late.
    """

    per_move: Limits = field(default_factory=Limits)
    base_ms: int | None = None
    increment_ms: int = 0
    margin_ms: int = 0
    forgives: bool = False

    @property
    def is_timed(self) -> bool:
        """Whether any limit is a time."""
        return self.base_ms is not None or self.per_move.time_ms is not None

    def scaled(self, factor: float) -> "TimeControl":
        """The same with times multiplied by `factor`, for a machine of another speed.

        The margin stays: it is for what the machine does besides searching.
        """

        def times(milliseconds: int | None) -> int | None:
            return None if milliseconds is None else max(1, round(factor * milliseconds))

        return replace(
            self,
            per_move=replace(self.per_move, time_ms=times(self.per_move.time_ms)),
            base_ms=times(self.base_ms),
            increment_ms=round(factor * self.increment_ms),
        )


class Clocks:
    """The clocks of one game."""

    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self._left = [control.base_ms or 0] * 2

    @property
    def limits(self) -> Limits:
        """The limits of the side to move, with both clocks."""
        control = self._control
        if control.base_ms is None:
            return control.per_move
        first, second = (Clock(max(1, left), control.increment_ms) for left in self._left)
        return Limits(clocks=(first, second)).within(control.per_move)

    def spend(self, side: Side, spent_ms: int) -> bool:
        """Deduct a move's time from a clock; returns False if the flag has fallen."""
        control = self._control
        if control.forgives:
            return True
        if control.per_move.time_ms is not None:
            return spent_ms <= control.per_move.time_ms + control.margin_ms
        if control.base_ms is None:
            return True
        self._left[side] -= spent_ms
        if self._left[side] < -control.margin_ms:
            return False
        self._left[side] = max(0, self._left[side]) + control.increment_ms
        return True


@dataclass(frozen=True, slots=True)
class Adjudication:
    """When a game is ended before its rules end it.

    Scores are the players' own, in hundredths of a piece for the side that moves.

    Attributes:
        most_plies: a game of so many plies is a draw.
        resign: (moves, score): a player whose scores are minus this or worse for so many moves in
            a row has lost.
        draw: (from move, moves, score): from this move on, a game is drawn if both players' scores
            are within this for so many moves in a row.
    """

    most_plies: int = 500
    resign: tuple[int, int] | None = None
    draw: tuple[int, int, int] | None = None

    def outcome(self, scores: Sequence[int | None], first: Side) -> Outcome | None:
        """The outcome by adjudication; None if the game continues.

        Args:
            scores: the scores of the moves, in order.
            first: the side that made the first of these moves.
        """
        if self.resign is not None and (loser := self._resigning_side(scores, first)) is not None:
            return Outcome("resignation", loser.opponent)
        if self.draw is not None and self._is_draw_agreed(scores):
            return Outcome("adjudication", None)
        if len(scores) >= self.most_plies:
            return Outcome("max-plies", None)
        return None

    def _resigning_side(self, scores: Sequence[int | None], first: Side) -> Side | None:
        assert self.resign is not None
        moves, score = self.resign
        own = scores[::-2][:moves]
        if len(own) < moves or not all(said is not None and said <= -score for said in own):
            return None
        return first if len(scores) % 2 else first.opponent

    def _is_draw_agreed(self, scores: Sequence[int | None]) -> bool:
        assert self.draw is not None
        begin, moves, score = self.draw
        last = scores[2 * (begin - 1) :][-2 * moves :]
        return len(last) == 2 * moves and all(
            said is not None and abs(said) <= score for said in last
        )


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game that was played.

    Attributes:
        moves: the moves after the opening.
        outcome: how it ended; None if it was interrupted.
        fault: what the loser did wrong, if it failed.
    """

    moves: tuple[Move, ...]
    outcome: Outcome | None
    fault: str | None = None


def play_game(
    opening: Position,
    contestants: Mapping[Side, Contestant],
    control: TimeControl,
    adjudication: Adjudication,
    *,
    seed: int,
    interrupted: Callable[[], bool],
) -> PlayedGame:
    """Play a game to its end.

    Args:
        opening: the position it begins from; it must not be a final one.
        contestants: the player of each side.
        control: each player's limits; a player with limits of its own has no clock.
        adjudication: when the game is ended before its rules end it.
        seed: the seed of the players' random choices.
        interrupted: called before every move; True leaves the game unfinished.
    """
    clocks = Clocks(control)
    position, moves = opening, list[Move]()
    scores = list[int | None]()
    for side, contestant in contestants.items():
        try:
            contestant.new_game()
        except EngineError as error:
            return PlayedGame((), Outcome(FAILED, side.opponent), str(error))
    while (outcome := position.outcome or adjudication.outcome(scores, opening.turn)) is None:
        side = position.turn
        contestant = contestants[side]
        limits = contestant.own_limits
        began = time.monotonic()
        try:
            choice = contestant.choose(
                position, limits or clocks.limits, seed_for(seed, len(moves))
            )
        except EngineError as error:
            # The interruption itself may have ended the engine.
            if interrupted():
                return PlayedGame(tuple(moves), None)
            return PlayedGame(tuple(moves), Outcome(FAILED, side.opponent), str(error))
        spent_ms = int((time.monotonic() - began) * 1000)
        if interrupted():
            return PlayedGame(tuple(moves), None)
        if limits is None and not clocks.spend(side, spent_ms):
            fault = f"{contestant.title} took {spent_ms} ms for move {len(moves) + 1}"
            return PlayedGame(tuple(moves), Outcome(LATE, side.opponent), fault)
        position = position.play(choice.move)
        moves.append(choice.move)
        scores.append(choice.score)
    return PlayedGame(tuple(moves), outcome)
