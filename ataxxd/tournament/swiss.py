"""A Swiss system: who stands alike meets, nobody twice.

The rules are those of protocol/SPEC.md, MP-EVENT-5 to MP-EVENT-7. They are simpler than FIDE's
Dutch system and leave nothing open, so that everybody comes to the same pairings.
"""

from collections.abc import Iterator, Sequence

from ataxxd.tournament.matching import Graph, completed
from ataxxd.tournament.pairing import FIRST, Entrant, PairedRound


def swiss(entrants: Sequence[Entrant], seed: int) -> PairedRound:
    """Who plays whom in the next round.

    Args:
        entrants: who plays on, in any order.
        seed: decides who moves first where nothing else does.
    """
    ranked = sorted(entrants, key=lambda each: (-each.points, each.seat))
    if not ranked:
        return PairedRound((), ())
    by_seat = {each.seat: each for each in ranked}
    free, graph, mate = _feasible(ranked)
    left = [each for each in ranked if each.seat != free]
    pairings: list[tuple[int, int]] = []
    while left:
        top, *others = left
        for other in _preferred(top, others):
            if other.seat not in graph[top.seat]:
                continue
            rest = _without(graph, top.seat, other.seat)
            found = completed(rest, {node: mate[node] for node in rest})
            if found is not None:
                break
        else:
            raise AssertionError("a graph with a perfect matching has lost it")
        graph, mate = rest, found
        left = [each for each in others if each.seat != other.seat]
        pairings.append(_sides(top, by_seat[other.seat], len(pairings) + 1 + seed))
    return PairedRound(tuple(pairings), () if free is None else (free,))


def _feasible(ranked: Sequence[Entrant]) -> tuple[int | None, Graph, dict[int, int]]:
    """Who is free, and the strictest graph in which all others can be paired, with a pairing.

    First nobody meets twice and everybody gets the side that is due; then nobody meets twice;
    then at most twice, and so on.
    """
    most = max((len(each.met) for each in ranked), default=0)
    fewest = min(each.byes for each in ranked)
    candidates: list[int | None] = [None]
    if len(ranked) % 2:
        candidates = [each.seat for each in reversed(ranked) if each.byes == fewest]
    for times, sides in [(0, True), *((times, False) for times in range(most + 1))]:
        graph = _graph(ranked, times, sides=sides)
        for free in candidates:
            rest = graph if free is None else _without(graph, free)
            mate = completed(rest, {})
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
            and not (sides and one.due is not None and one.due == other.due)
        ]
        for one in ranked
    }


def _without(graph: Graph, *gone: int) -> Graph:
    return {
        node: [other for other in others if other not in gone]
        for node, others in graph.items()
        if node not in gone
    }


def _preferred(top: Entrant, others: Sequence[Entrant]) -> Iterator[Entrant]:
    """Possible opponents of `top`, the best first; `others` are ranked and all stand below it."""
    for points in sorted({each.points for each in others}, reverse=True):
        group = [each for each in others if each.points == points]
        if points == top.points:
            # The upper half of a group meets the lower one: 1-5, 2-6, 3-7, 4-8.
            half = (len(group) + 1) // 2 - 1
            group = group[half:] + group[:half][::-1]
        yield from (each for each in group if not _clash(top, each))
        yield from (each for each in group if _clash(top, each))


def _clash(one: Entrant, other: Entrant) -> bool:
    return one.wish is not None and one.wish == other.wish


def _sides(one: Entrant, other: Entrant, toss: int) -> tuple[int, int]:
    """Who moves first and who second; `one` stands higher."""
    side = one.wish
    if side is None:
        side = 1 - toss % 2 if other.wish is None else 1 - other.wish
    elif _clash(one, other) and _weaker(one, other):
        side = 1 - side
    return (one.seat, other.seat) if side == FIRST else (other.seat, one.seat)


def _weaker(one: Entrant, other: Entrant) -> bool:
    """Whether the wish of `one` gives way to the same wish of `other`."""
    ours, theirs = _strength(one), _strength(other)
    if ours != theirs:
        return ours < theirs
    # Who had that side when they last had different ones.
    for mine, yours in zip(reversed(one.met), reversed(other.met), strict=False):
        if mine.side != yours.side:
            return mine.side == one.wish
    return False


def _strength(each: Entrant) -> tuple[bool, int]:
    return each.due is not None, abs(each.surplus)
