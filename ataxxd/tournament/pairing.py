"""What a round is made of: who plays whom, who is free, and who a player is to a pairing."""

from dataclasses import dataclass

FIRST, SECOND = 0, 1
"""The sides, by who moves first."""


@dataclass(frozen=True, slots=True)
class PairedRound:
    """The pairings of a round; players by their place in the plan, from 0.

    Attributes:
        pairings: who moves first and who second, board by board.
        byes: who has no opponent, in the order of the plan.
    """

    pairings: tuple[tuple[int, int], ...]
    byes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Met:
    """One pairing of a player.

    Attributes:
        opponent: the other player.
        side: the player's.
        points: what the player got, in halves of a point.
    """

    opponent: int
    side: int
    points: int


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player as the rounds so far left it.

    Attributes:
        seat: its place in the plan, from 0.
        met: its pairings, in order.
        byes: how often it was free.
        bye_points: what it got for that, in halves of a point.
    """

    seat: int
    met: tuple[Met, ...] = ()
    byes: int = 0
    bye_points: int = 0

    @property
    def points(self) -> int:
        """What it has, in halves of a point."""
        return self.bye_points + sum(each.points for each in self.met)

    def times_met(self, other: int) -> int:
        """How often it was paired with another."""
        return sum(each.opponent == other for each in self.met)

    @property
    def surplus(self) -> int:
        """How much more often it moved first than second."""
        return sum(1 if each.side == FIRST else -1 for each in self.met)

    @property
    def due(self) -> int | None:
        """The side that it must have next: one more of the other would be one too many.

        Nobody should move first, or second, twice more than the other, or three times in a row.
        """
        if abs(self.surplus) >= 2:
            return SECOND if self.surplus > 0 else FIRST
        if len(self.met) >= 2 and self.met[-1].side == self.met[-2].side:
            return 1 - self.met[-1].side
        return None

    @property
    def wish(self) -> int | None:
        """The side that it should have next; None for one that was never paired."""
        if self.due is not None:
            return self.due
        if self.surplus:
            return SECOND if self.surplus > 0 else FIRST
        return 1 - self.met[-1].side if self.met else None
