"""Perfect matchings in a graph: whether everybody can be paired at all.

Source: Jack Edmonds, "Paths, trees, and flowers" (1965); the search from one free node that
shrinks odd circles to their base, in O(n³) for the whole graph.
"""

from collections import deque
from collections.abc import Collection, Mapping
from typing import TypeAlias

Graph: TypeAlias = Mapping[int, Collection[int]]
"""For each node those that it may be paired with; symmetric, and no node with itself."""


def completed(graph: Graph, begun: Mapping[int, int]) -> dict[int, int] | None:
    """A matching that pairs every node of `graph`; None when there is none.

    Args:
        graph: who may be paired.
        begun: pairs to begin with, both ways; they may come apart again.
    """
    mate = {node: other for node, other in begun.items() if node in graph and other in graph}
    for node in graph:
        if node not in mate and not _Search(graph, mate, node).augment():
            return None
    return mate


class _Search:
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
        """Pair the root too, and perhaps others anew; False when no matching has it."""
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
        """Whether an even number of edges leads here: together with another one an odd circle."""
        return node == self._root or (node in self._mate and self._mate[node] in self._parent)

    def _take(self, node: int) -> None:
        self._outer.add(node)
        self._queue.append(node)

    def _shrink(self, one: int, other: int) -> None:
        """Make the odd circle that an edge closes one node, its base."""
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
        """The first base that both ways back to the root pass."""
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
        """Pair anew along the path that leads to the free node `end`."""
        node: int | None = end
        while node is not None:
            before = self._parent[node]
            following = self._mate.get(before)
            self._mate[node], self._mate[before] = before, node
            node = following
