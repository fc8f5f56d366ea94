"""Looking back through a game that goes on: which of its positions is shown.

Pure; knows no widgets and no table.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ataxxd.rules import Move, Position


@dataclass(frozen=True, slots=True)
class Played:
    """One move of the game that is looked at.

    Attributes:
        ply: its number, from 1.
        move: the move.
        before: where it was played.
        after: where it led.
    """

    ply: int
    move: Move
    before: Position
    after: Position


class Browser:
    """The moves of a game, and how far back one looks.

    Attributes:
        played: the moves in order.
    """

    def __init__(self, start: Position, moves: Sequence[Move] = ()) -> None:
        self._start = start
        self.played: list[Played] = []
        self._shown: int | None = None
        self.follow(start, moves)

    def follow(self, start: Position, moves: Sequence[Move]) -> None:
        """Take over the moves of the game as it is now; one who looks back goes on doing so."""
        if start != self._start:
            self._start, self.played, self._shown = start, [], None
        same = 0
        for known, move in zip(self.played, moves, strict=False):
            if known.move != move:
                break
            same += 1
        del self.played[same:]
        for move in moves[same:]:
            before = self.live
            self.played.append(Played(len(self.played) + 1, move, before, before.play(move)))
        if self._shown is not None and self._shown >= len(self.played):
            self._shown = None

    @property
    def live(self) -> Position:
        """The newest position."""
        return self.played[-1].after if self.played else self._start

    @property
    def ply(self) -> int:
        """How many moves led to the position that is shown."""
        return len(self.played) if self._shown is None else self._shown

    @property
    def is_live(self) -> bool:
        """Whether the newest position is shown."""
        return self._shown is None

    @property
    def position(self) -> Position:
        """The position that is shown."""
        return self.last.after if self.last is not None else self._start

    @property
    def last(self) -> Played | None:
        """The move that led to it; None at the start."""
        return self.played[self.ply - 1] if self.ply else None

    def go(self, ply: int) -> None:
        """Show the position after so many moves; the nearest there is."""
        ply = max(ply, 0)
        self._shown = None if ply >= len(self.played) else ply
