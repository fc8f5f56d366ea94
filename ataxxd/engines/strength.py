"""How well our engine plays: a level, or limits of its own, and what it may use for that."""

from dataclasses import dataclass, fields

from ataxxd.rules.limits import Limits

LOWEST_LEVEL = 1
HIGHEST_LEVEL = 10
DEFAULT_LEVEL = 6

OURS = "auto"
"""What our engine is called; ``auto@3`` is of level 3."""

_MOST = {
    "level": HIGHEST_LEVEL,
    "time": 10**9,
    "nodes": 10**15,
    "depth": 1000,
    "threads": 256,
    "hash": 65_536,
    "ponder": 1,
}


def read_level(text: str, where: str) -> int:
    """A level as people write it: ``3``, or ``auto@3``; 0 for any legal move.

    Args:
        text: as people write it.
        where: all that they wrote, for the error.

    Raises:
        ValueError: there is no such level; says which there are.
    """
    word = text.strip().lower().removeprefix(f"{OURS}@")
    if not (word.isascii() and word.isdecimal() and len(word) < 9 and int(word) <= HIGHEST_LEVEL):
        msg = (
            f"{where}: there is no such level. They go from {LOWEST_LEVEL} (a beginner) to "
            f"{HIGHEST_LEVEL}, with {DEFAULT_LEVEL} the default; 0 plays any legal move."
        )
        raise ValueError(msg)
    return int(word)


@dataclass(frozen=True, slots=True)
class Strength:
    """What our engine is told before a game, from 1 on; None leaves a thing as it usually is.

    Attributes:
        level: 1 to 10; the usual one where nothing else limits a move.
        time: milliseconds of a move; with it the same seed may give another move.
        nodes: positions visited for a move.
        depth: plies that it looks.
        threads: that search at once; with more than one the same seed may give another move.
        hash: mebibytes of the table of positions.
        ponder: 1 when it thinks while the opponent does, too.
    """

    level: int | None = None
    time: int | None = None
    nodes: int | None = None
    depth: int | None = None
    threads: int | None = None
    hash: int | None = None
    ponder: int | None = None

    def __post_init__(self) -> None:
        for name, most in _MOST.items():
            value = getattr(self, name)
            if value is not None and not 1 <= value <= most:
                msg = f"{name}={value}: our engine takes {name} from 1 to {most}."
                raise ValueError(msg)
        if self.level is None and self.time is self.nodes is self.depth is None:
            object.__setattr__(self, "level", DEFAULT_LEVEL)

    @classmethod
    def parse(cls, text: str) -> "Strength":
        """Read a level alone, or such as ``time=500,threads=2``; as `str` writes it.

        Raises:
            ValueError: it is neither.
        """
        if text.isdecimal():
            return cls(int(text))
        values: dict[str, int] = {}
        for word in text.split(","):
            name, _, value = word.partition("=")
            if name not in _MOST or name in values or not (value.isascii() and value.isdecimal()):
                known = ", ".join(_MOST)
                msg = f'"{word}" says nothing to our engine; it takes {known}, as in time=500.'
                raise ValueError(msg)
            values[name] = int(value)
        return cls(**values)

    def __str__(self) -> str:
        """The level alone, if that is all."""
        if self == Strength(self.level):
            return str(self.level)
        said = ((each.name, getattr(self, each.name)) for each in fields(self))
        return ",".join(f"{name}={value}" for name, value in said if value is not None)

    def limits(self, levels: dict[int, Limits]) -> Limits:
        """What a move may cost: the tighter of the level's limits and these."""
        own = Limits(self.depth, self.nodes, self.time)
        return own if self.level is None else own.within(levels[self.level])
