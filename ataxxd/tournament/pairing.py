"""Who plays whom in a round: everybody against everybody, or a Swiss system.

Everybody against everybody is by Berger's tables (FIDE Handbook, C.05 annex 1; players are numbers
from 0 here, from 1 there).

The rules of the Swiss system are those of protocol/SPEC.md, MP-EVENT-5 to MP-EVENT-7. They are
simpler than FIDE's Dutch system and leave nothing open, so that everybody comes to the same
pairings. Whether everybody can be paired at all is a perfect matching in a graph: Jack Edmonds,
"Paths, trees, and flowers" (1965); the search from one free node that shrinks odd cycles to their
base, in O(n³) for the whole graph.
"""

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

FIRST, SECOND = 0, 1
"""The sides, by who moves first."""


@dataclass(frozen=True, slots=True)
class PairedRound:
    """The pairings of a round; players by their place in the plan, from 0.

    Attributes:
        pairings: for each board, the player who moves first and the one who moves second.
        byes: the players without an opponent, in the order of the plan.
    """

    pairings: tuple[tuple[int, int], ...]
    byes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Encounter:
    """One pairing of a player.

    Attributes:
        opponent: the opponent.
        side: the player's side.
        points: the player's half points.
    """

    opponent: int
    side: int
    points: int


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player with the results of the rounds so far.

    Attributes:
        seat: its place in the plan, from 0.
        encounters: its pairings, in order.
        byes: how many byes it had.
        bye_points: the half points for them.
    """

    seat: int
    encounters: tuple[Encounter, ...] = ()
    byes: int = 0
    bye_points: int = 0

    @property
    def points(self) -> int:
        """Its total in half points."""
        return self.bye_points + sum(each.points for each in self.encounters)

    def times_met(self, other: int) -> int:
        """How often it was paired with another player."""
        return sum(each.opponent == other for each in self.encounters)

    @property
    def side_balance(self) -> int:
        """How much more often it moved first than second."""
        return sum(1 if each.side == FIRST else -1 for each in self.encounters)

    @property
    def required_side(self) -> int | None:
        """The side that it must have next: one more of the other would be one too many.

        Nobody should move first, or second, twice more than the other, or three times in a row.
        """
        if abs(self.side_balance) >= 2:
            return SECOND if self.side_balance > 0 else FIRST
        if len(self.encounters) >= 2 and self.encounters[-1].side == self.encounters[-2].side:
            return 1 - self.encounters[-1].side
        return None

    @property
    def preferred_side(self) -> int | None:
        """The side that it should have next; None if it was never paired."""
        if self.required_side is not None:
            return self.required_side
        if self.side_balance:
            return SECOND if self.side_balance > 0 else FIRST
        return 1 - self.encounters[-1].side if self.encounters else None


def round_robin(count: int, number: int, seed: int) -> PairedRound:
    """The pairings of a round of a round robin.

    Once all have met, the table is repeated with sides swapped.

    Args:
        count: the number of players, at least 2; if it is odd, one has a bye in each round.
        number: the number of the round, from 1.
        seed: an odd one swaps all sides.
    """
    even = count + count % 2
    circle = even - 1
    cycle, index = divmod(number - 1, circle)
    pivot = index * (even // 2) % circle
    # The last player keeps its place and alternates sides; the others rotate.
    pairs = [(pivot, circle) if index % 2 == 0 else (circle, pivot)]
    pairs += [((pivot + step) % circle, (pivot - step) % circle) for step in range(1, even // 2)]
    swapped = (cycle + seed) % 2 == 1
    pairings = tuple(
        (second, first) if swapped else (first, second)
        for first, second in pairs
        if count not in (first, second)
    )
    byes = tuple(first + second - count for first, second in pairs if count in (first, second))
    return PairedRound(pairings, byes)


Graph: TypeAlias = Mapping[int, Collection[int]]
"""For each node those that it may be paired with; symmetric, and no node with itself."""


def find_perfect_matching(graph: Graph, initial: Mapping[int, int]) -> dict[int, int] | None:
    """A perfect matching of `graph`; None if there is none.

    Args:
        graph: for each node, those it may be paired with.
        initial: pairs to begin with, in both directions; they may be changed.
    """
    mate = {node: other for node, other in initial.items() if node in graph and other in graph}
    for node in graph:
        if node not in mate and not _AugmentingSearch(graph, mate, node).augment():
            return None
    return mate


class _AugmentingSearch:
    """The search for a path from one free node to another, along which pairs can be changed."""

    def __init__(self, graph: Graph, mate: dict[int, int], root: int) -> None:
        self._graph = graph
        self._mate = mate
        self._root = root
        self._parent: dict[int, int] = {}
        self._base = {node: node for node in graph}
        self._outer = {root}
        self._queue = deque([root])

    def augment(self) -> bool:
        """Pair the root too, perhaps pairing others anew; False if no matching includes it."""
        while self._queue:
            node = self._queue.popleft()
            for other in self._graph[node]:
                if self._base[node] != self._base[other] and self._mate.get(node) != other:
                    if self._is_outer(other):
                        self._shrink(node, other)
                    elif other not in self._parent:
                        self._parent[other] = node
                        if other not in self._mate:
                            self._flip(other)
                            return True
                        self._take(self._mate[other])
        return False

    def _is_outer(self, node: int) -> bool:
        """Whether an even path leads here; an edge between two such nodes closes an odd cycle."""
        return node == self._root or (node in self._mate and self._mate[node] in self._parent)

    def _take(self, node: int) -> None:
        self._outer.add(node)
        self._queue.append(node)

    def _shrink(self, one: int, other: int) -> None:
        """Shrink the odd cycle that an edge closes to one node, its base."""
        base = self._common(one, other)
        circle: set[int] = set()
        self._mark(one, base, other, circle)
        self._mark(other, base, one, circle)
        for each in self._graph:
            if self._base[each] in circle:
                self._base[each] = base
                if each not in self._outer:
                    self._take(each)

    def _common(self, one: int, other: int) -> int:
        """The first base that both paths back to the root share."""
        seen = {one := self._base[one]}
        while one != self._root:
            one = self._base[self._parent[self._mate[one]]]
            seen.add(one)
        while (other := self._base[other]) not in seen:
            other = self._parent[self._mate[other]]
        return other

    def _mark(self, node: int, base: int, child: int, circle: set[int]) -> None:
        while self._base[node] != base:
            circle |= {self._base[node], self._base[self._mate[node]]}
            self._parent[node] = child
            child = self._mate[node]
            node = self._parent[child]

    def _flip(self, end: int) -> None:
        """Swap the pairs along the path that leads to the free node `end`."""
        node: int | None = end
        while node is not None:
            before = self._parent[node]
            following = self._mate.get(before)
            self._mate[node], self._mate[before] = before, node
            node = following


def swiss(entrants: Sequence[Entrant], seed: int) -> PairedRound:
    """The pairings of the next round of a Swiss system.

    Args:
        entrants: the remaining players, in any order.
        seed: decides who moves first if nothing else does.
    """
    ranked = sorted(entrants, key=lambda each: (-each.points, each.seat))
    if not ranked:
        return PairedRound((), ())
    by_seat = {each.seat: each for each in ranked}
    free, graph, mate = _feasible_graph(ranked)
    left = [each for each in ranked if each.seat != free]
    pairings: list[tuple[int, int]] = []
    while left:
        top, *others = left
        for other in _possible_opponents(top, others):
            if other.seat not in graph[top.seat]:
                continue
            rest = _remove_nodes(graph, top.seat, other.seat)
            found = find_perfect_matching(rest, {node: mate[node] for node in rest})
            if found is not None:
                break
        else:
            raise AssertionError("a graph with a perfect matching has lost it")
        graph, mate = rest, found
        left = [each for each in others if each.seat != other.seat]
        pairings.append(_sides(top, by_seat[other.seat], len(pairings) + 1 + seed))
    return PairedRound(tuple(pairings), () if free is None else (free,))


def _feasible_graph(ranked: Sequence[Entrant]) -> tuple[int | None, Graph, dict[int, int]]:
    """Who is free, and the strictest graph in which all others can be paired, with a pairing.

    First nobody meets twice and everybody gets the side that is due; then nobody meets twice;
    then at most twice, and so on.
    """
    most = max((len(each.encounters) for each in ranked), default=0)
    fewest = min(each.byes for each in ranked)
    candidates: list[int | None] = [None]
    if len(ranked) % 2:
        candidates = [each.seat for each in reversed(ranked) if each.byes == fewest]
    for times, sides in [(0, True), *((times, False) for times in range(most + 1))]:
        graph = _graph(ranked, times, sides=sides)
        for free in candidates:
            rest = graph if free is None else _remove_nodes(graph, free)
            mate = find_perfect_matching(rest, {})
            if mate is not None:
                return free, rest, mate
    raise AssertionError("anybody may meet anybody in the end")


def _graph(ranked: Sequence[Entrant], times: int, *, sides: bool) -> Graph:
    """Who may be paired: met at most so often and, where sides count, not both due the same one."""
    return {
        one.seat: [
            other.seat
            for other in ranked
            if other.seat != one.seat
            and one.times_met(other.seat) <= times
            and not (
                sides and one.required_side is not None and one.required_side == other.required_side
            )
        ]
        for one in ranked
    }


def _remove_nodes(graph: Graph, *gone: int) -> Graph:
    return {
        node: [other for other in others if other not in gone]
        for node, others in graph.items()
        if node not in gone
    }


def _possible_opponents(top: Entrant, others: Sequence[Entrant]) -> Iterator[Entrant]:
    """Possible opponents of `top`, the best first; `others` are ranked and all stand below it."""
    for points in sorted({each.points for each in others}, reverse=True):
        group = [each for each in others if each.points == points]
        if points == top.points:
            # The upper half of a group meets the lower one: 1-5, 2-6, 3-7, 4-8.
            half = (len(group) + 1) // 2 - 1
            group = group[half:] + group[:half][::-1]
        yield from (each for each in group if not _need_same_side(top, each))
        yield from (each for each in group if _need_same_side(top, each))


def _need_same_side(one: Entrant, other: Entrant) -> bool:
    return one.preferred_side is not None and one.preferred_side == other.preferred_side


def _sides(one: Entrant, other: Entrant, toss: int) -> tuple[int, int]:
    """Who moves first and who second; `one` stands higher."""
    side = one.preferred_side
    if side is None:
        side = 1 - toss % 2 if other.preferred_side is None else 1 - other.preferred_side
    elif _need_same_side(one, other) and _has_weaker_preference(one, other):
        side = 1 - side
    return (one.seat, other.seat) if side == FIRST else (other.seat, one.seat)


def _has_weaker_preference(one: Entrant, other: Entrant) -> bool:
    """Whether the wish of `one` gives way to the same wish of `other`."""
    ours, theirs = _preference_strength(one), _preference_strength(other)
    if ours != theirs:
        return ours < theirs
    # The last time that they had different sides, who had this one?
    for mine, yours in zip(reversed(one.encounters), reversed(other.encounters), strict=False):
        if mine.side != yours.side:
            return mine.side == one.preferred_side
    return False


def _preference_strength(each: Entrant) -> tuple[bool, int]:
    return each.required_side is not None, abs(each.side_balance)
