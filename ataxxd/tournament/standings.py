"""How an event stands: points, and what decides between players who have the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ataxxd.tournament.pairing import Entrant


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's line; all figures in halves of a point but `sonneborn_berger`.

    Attributes:
        seat: the player, by its place in the plan from 0.
        points: what it has.
        buchholz: the points of its opponents together.
        sonneborn_berger: the points of those it beat, and half of those it drew with; in
            quarters of a point.
        direct: its points against those with the same figures so far, where they all met.
        won: pairings won; byes are none.
        drawn: pairings drawn.
        lost: pairings lost.
        byes: how often it was free.
    """

    seat: int
    points: int
    buchholz: int
    sonneborn_berger: int
    direct: int
    won: int
    drawn: int
    lost: int
    byes: int

    @property
    def rank_key(self) -> tuple[int, int, int]:
        """What comes before the direct encounter."""
        return (-self.points, -self.buchholz, -self.sonneborn_berger)


def standings(entrants: Sequence[Entrant]) -> list[Standing]:
    """The table, the best first.

    It is ordered by points, Buchholz, Sonneborn-Berger, direct encounter and place in the plan.

    Args:
        entrants: everybody, also who has withdrawn; every opponent is among them.
    """
    by_seat = {each.seat: each for each in entrants}
    lines = sorted((_line(each, by_seat) for each in entrants), key=_order)
    ordered: list[Standing] = []
    for _, alike in groupby(lines, key=lambda line: line.rank_key):
        tied = list(alike)
        seats = {line.seat for line in tied}
        direct = [_with_direct(line, by_seat[line.seat], seats) for line in tied]
        ordered += sorted(direct, key=lambda line: (-line.direct, line.seat))
    return ordered


def _order(line: Standing) -> tuple[tuple[int, int, int], int]:
    return line.rank_key, line.seat


def _line(entrant: Entrant, by_seat: Mapping[int, Entrant]) -> Standing:
    results = [each.points for each in entrant.met]
    return Standing(
        seat=entrant.seat,
        points=entrant.points,
        buchholz=sum(by_seat[each.opponent].points for each in entrant.met),
        sonneborn_berger=sum(each.points * by_seat[each.opponent].points for each in entrant.met),
        direct=0,
        won=results.count(2),
        drawn=results.count(1),
        lost=results.count(0),
        byes=entrant.byes,
    )


def _with_direct(line: Standing, entrant: Entrant, seats: set[int]) -> Standing:
    """The line with its points against those who stand alike; 0 where somebody was not met."""
    among = [each for each in entrant.met if each.opponent in seats]
    complete = {each.opponent for each in among} == seats - {line.seat}
    direct = sum(each.points for each in among) if complete else 0
    return Standing(
        line.seat, line.points, line.buchholz, line.sonneborn_berger, direct,
        line.won, line.drawn, line.lost, line.byes,
    )  # fmt: skip
