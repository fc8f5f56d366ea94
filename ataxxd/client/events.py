"""What happens at a board, for a program to match.

The events are those of every client (`ataxxd.node.control`), and one more: it is your turn.
"""

from dataclasses import dataclass
from typing import TypeAlias

from ataxxd.node.control import (
    Asked,
    Begun,
    DrawAsked,
    DrawRefused,
    MayClaim,
    Moved,
    Named,
    Notice,
    Over,
    Overheard,
    RematchAsked,
    Said,
    TableEvent,
    TakenBack,
)
from ataxxd.rules import Position


@dataclass(frozen=True, slots=True)
class YourTurn:
    """A move of ours is wanted.

    Attributes:
        position: where; our side is on turn in it, and has at least one legal move.
        ply: the number that our move will have, from 1.
    """

    position: Position
    ply: int


GameEvent: TypeAlias = YourTurn | TableEvent
"""Anything that happens at a board where we have a seat."""

__all__ = [
    "Asked",
    "Begun",
    "DrawAsked",
    "DrawRefused",
    "GameEvent",
    "MayClaim",
    "Moved",
    "Named",
    "Notice",
    "Over",
    "Overheard",
    "RematchAsked",
    "Said",
    "TableEvent",
    "TakenBack",
    "YourTurn",
]
