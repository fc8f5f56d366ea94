"""What only grows, and stays as it was before each step, at the same cost whatever its length."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar, overload

T = TypeVar("T")


class History(Sequence[T], Generic[T]):
    """A sequence that never changes; with one more item it is another, which shares the rest.

    Equal to any other, or a tuple, with the same items. Slices are tuples.
    """

    __slots__ = ("_count", "_items")

    def __init__(self, items: Iterable[T] = ()) -> None:
        """Begin with some items."""
        self._items = [*items]
        self._count = len(self._items)

    def plus(self, item: T) -> "History[T]":
        """The same with `item` at the end."""
        if len(self._items) > self._count:  # another one has gone on from here
            return History((*self, item))
        made = History[T]()
        made._items = self._items
        made._items.append(item)
        made._count = self._count + 1
        return made

    def __len__(self) -> int:
        """How many items."""
        return self._count

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        """An item, or some as a tuple."""
        places = range(self._count)[index]
        if isinstance(places, int):
            return self._items[places]
        return tuple(self._items[place] for place in places)

    def __iter__(self) -> Iterator[T]:
        """The items, in order."""
        return islice(self._items, self._count)

    def __eq__(self, other: object) -> bool:
        """Whether another history, or a tuple, has the same items."""
        if not isinstance(other, (History, tuple)):
            return NotImplemented
        return self[:] == other[:]

    def __hash__(self) -> int:
        """As of its items."""
        return hash(self[:])

    def __repr__(self) -> str:
        return f"History({[*self]!r})"
