"""Which part of a node one of several processes serves."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """The share of one process; of the only one, unless said otherwise.

    Attributes:
        index: which of the processes, from 0.
        of: how many there are.
    """

    index: int = 0
    of: int = 1

    def __str__(self) -> str:
        return f"process {self.index + 1} of {self.of}"

    @property
    def first(self) -> bool:
        """Whether it does what must be done once for the node."""
        return self.index == 0

    def has(self, share: int) -> bool:
        """Whether it carries the games that were begun in a share, however many there were."""
        return share % self.of == self.index

    def place(self, turn: int) -> int:
        """Its place, from 0, when each turn begins with the next process."""
        return (self.index - turn) % self.of

    def portion(self, whole: int, turn: int = 0) -> int:
        """Its part of a number, so that all parts make the whole; the remainder goes in turn."""
        return whole // self.of + (self.place(turn) < whole % self.of)
