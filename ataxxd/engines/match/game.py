"""One game of a match: two contestants, an opening, clocks, and an end in any case."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ataxxd.engines.base import seed_for
from ataxxd.engines.match.contestants import Contestant
from ataxxd.engines.match.control import Adjudication, Clocks, TimeControl
from ataxxd.errors import EngineError
from ataxxd.rules import Move, Outcome, Position, Side

FAILED, LATE = "engine-failed", "time-forfeit"
"""Ends that are a contestant's fault."""


@dataclass(frozen=True, slots=True)
class Played:
    """A game that was played.

    Attributes:
        moves: from the opening on.
        outcome: how it ended; None when it was interrupted.
        fault: what the loser did wrong, where it failed.
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
) -> Played:
    """Play a game to its end.

    Args:
        opening: where it begins; it must not be over.
        contestants: who plays which side.
        control: what each may spend. Those with limits of their own have no clock.
        adjudication: when it ends before its rules end it.
        seed: of what contestants leave to chance.
        interrupted: asked before every move; true leaves the game unfinished.
    """
    clocks = Clocks(control)
    position, moves = opening, list[Move]()
    scores = list[int | None]()
    for side, contestant in contestants.items():
        try:
            contestant.new_game()
        except EngineError as error:
            return Played((), Outcome(FAILED, side.opponent), str(error))
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
            # Whoever interrupts a match may have ended the engine.
            if interrupted():
                return Played(tuple(moves), None)
            return Played(tuple(moves), Outcome(FAILED, side.opponent), str(error))
        spent_ms = int((time.monotonic() - began) * 1000)
        if interrupted():
            return Played(tuple(moves), None)
        if limits is None and not clocks.spend(side, spent_ms):
            fault = f"{contestant.title} took {spent_ms} ms for move {len(moves) + 1}"
            return Played(tuple(moves), Outcome(LATE, side.opponent), fault)
        position = position.play(choice.move)
        moves.append(choice.move)
        scores.append(choice.score)
    return Played(tuple(moves), outcome)
