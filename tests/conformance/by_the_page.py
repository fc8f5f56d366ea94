"""Pairings written from protocol/SPEC.md alone (MP-EVENT-4 to MP-EVENT-7), as slowly as it reads.

Shares nothing with `ataxxd.tournament`, so that a test can ask both.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count

FIRST, SECOND = "first", "second"


@dataclass
class Player:
    """A player by seat, with its sides and opponents so far."""

    seat: int
    points: int = 0
    byes: int = 0
    sides: list[str] = field(default_factory=list)
    opponents: list[int] = field(default_factory=list)

    @property
    def difference(self) -> int:
        """How often it moved first, less how often second."""
        return self.sides.count(FIRST) - self.sides.count(SECOND)

    @property
    def due(self) -> str | None:
        """The side that is due."""
        if self.difference >= 2:
            return SECOND
        if self.difference <= -2:
            return FIRST
        newest = self.sides[-2:]
        if newest == [FIRST, FIRST]:
            return SECOND
        return FIRST if newest == [SECOND, SECOND] else None

    @property
    def wish(self) -> str | None:
        """The side that it wishes."""
        if self.due or not self.sides:
            return self.due
        if self.difference:
            return SECOND if self.difference > 0 else FIRST
        return SECOND if self.sides[-1] == FIRST else FIRST


def berger(players: int, r: int, seed: int) -> tuple[list[tuple[int, int]], list[int]]:
    """The pairings and byes of a round of a round robin (MP-EVENT-4)."""
    m = players + players % 2
    c = m - 1
    i = (r - 1) % c
    p = i * m // 2 % c
    pairs = [(p, c) if i % 2 == 0 else (c, p)]
    pairs += [((p + b - 1) % c, (p - b + 1) % c) for b in range(2, m // 2 + 1)]
    if ((r - 1) // c + seed) % 2:
        pairs = [(second, first) for first, second in pairs]
    free = [sum(pair) - players for pair in pairs if players in pair]
    return [pair for pair in pairs if players not in pair], free


def swiss(players: list[Player], seed: int) -> tuple[list[tuple[int, int]], list[int]]:
    """The pairings and byes of a Swiss round (MP-EVENT-5 to MP-EVENT-7)."""
    ranked = sorted(players, key=lambda each: (-each.points, each.seat))
    for k in count():
        for with_sides in (True, False) if k == 0 else (False,):
            free = _attempt(ranked, k, with_sides=with_sides)
            if free is not None:
                left = [each for each in ranked if each.seat not in free]
                return _pair(left, k, seed, with_sides=with_sides), free
    raise AssertionError


def _may(one: Player, other: Player, k: int, *, with_sides: bool) -> bool:
    if with_sides and one.due is not None and one.due == other.due:
        return False
    return one.opponents.count(other.seat) <= k


def _possible(players: list[Player], k: int, *, with_sides: bool) -> bool:
    """Whether all can be paired."""
    by_seat = {each.seat: each for each in players}

    @lru_cache(None)
    def possible(seats: frozenset[int]) -> bool:
        if not seats:
            return True
        one = min(seats)
        return any(
            _may(by_seat[one], by_seat[other], k, with_sides=with_sides)
            and possible(seats - {one, other})
            for other in seats - {one}
        )

    return possible(frozenset(by_seat))


def _attempt(ranked: list[Player], k: int, *, with_sides: bool) -> list[int] | None:
    """Who has a bye; None when not all can be paired."""
    if len(ranked) % 2 == 0:
        return [] if _possible(ranked, k, with_sides=with_sides) else None
    fewest = min(each.byes for each in ranked)
    for lowest in reversed(ranked):
        others = [each for each in ranked if each is not lowest]
        if lowest.byes == fewest and _possible(others, k, with_sides=with_sides):
            return [lowest.seat]
    return None


def _pair(left: list[Player], k: int, seed: int, *, with_sides: bool) -> list[tuple[int, int]]:
    pairings: list[tuple[int, int]] = []
    while left:
        highest, others = left[0], left[1:]
        for other in _in_order(highest, others):
            rest = [each for each in others if each is not other]
            if _may(highest, other, k, with_sides=with_sides) and _possible(
                rest, k, with_sides=with_sides
            ):
                break
        else:
            raise AssertionError
        pairings.append(_with_sides(highest, other, len(pairings) + 1, seed))
        left = rest
    return pairings


def _in_order(highest: Player, others: list[Player]) -> list[Player]:
    order: list[Player] = []
    for points in sorted({each.points for each in others}, reverse=True):
        alike = [each for each in others if each.points == points]
        if points == highest.points:
            middle = -(-len(alike) // 2)
            alike = alike[middle - 1 :] + list(reversed(alike[: middle - 1]))
        same = [each for each in alike if highest.wish and each.wish == highest.wish]
        order += [each for each in alike if each not in same] + same
    return order


def _with_sides(high: Player, low: Player, board: int, seed: int) -> tuple[int, int]:
    """Who moves first, and who second."""
    high_first = _moves_first(high, low, board, seed)
    return (high.seat, low.seat) if high_first else (low.seat, high.seat)


def _moves_first(high: Player, low: Player, board: int, seed: int) -> bool:
    if high.wish is None and low.wish is None:
        return (board + seed) % 2 == 1
    if high.wish is None:
        return low.wish == SECOND
    if low.wish is None or high.wish != low.wish:
        return high.wish == FIRST
    # Both wish the same.
    if (high.due is None) != (low.due is None):
        granted = high if high.due else low
    elif abs(high.difference) != abs(low.difference):
        granted = high if abs(high.difference) > abs(low.difference) else low
    else:
        for mine, yours in zip(reversed(high.sides), reversed(low.sides), strict=False):
            if mine != yours:
                return mine == SECOND
        granted = high
    return (granted is high) == (high.wish == FIRST)
