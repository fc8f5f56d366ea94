"""What a match and its workers send each other: a game to play, its result, and words aside."""

from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from ataxxd import __version__
from ataxxd.engines.benchmark import fingerprint, measure
from ataxxd.engines.match.checkpoint import Result
from ataxxd.engines.match.progress import Progress
from ataxxd.engines.match.run import Plan, Team
from ataxxd.engines.native import Settings

FORMAT: Final = 4
"""Of all that is sent; one of another number is not understood."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Build:
    """What must be the same wherever games of one match are played.

    Attributes:
        version: of the program.
        engine: what our engine makes of fixed positions; see `fingerprint`.
        titles: what the players call themselves, engines of others with their versions.
    """

    version: str
    engine: str
    titles: tuple[str, str]

    @classmethod
    def of(cls, team: Team, game: str) -> "Build":
        """That of this program with these players, which have been prepared."""
        return cls(__version__, fingerprint(game), team.titles)

    def difference(self, other: "Build") -> str | None:
        """What the other has that differs from this one, for people; None when nothing does."""
        if other.version != self.version:
            return f"ataxxd {other.version}, where the match has {self.version}"
        if other.engine != self.engine:
            return f"an engine that plays differently ({other.engine}, not {self.engine})"
        if other.titles != self.titles:
            return f"the players {' and '.join(other.titles)}, not {' and '.join(self.titles)}"
        return None


@dataclass(frozen=True, slots=True)
class Item:
    """A game to be played.

    Attributes:
        format: `FORMAT`.
        match: which match it is of; see `ataxxd.match_queue.server.Subjects`.
        number: of the game in the match, from 0.
        ruleset: what is played.
        start: the opening, as position text.
        plan: of the match; how many games there are, and how many at once, does not matter here.
        speed: nodes per second of our search where the match runs, if its limits are in time:
            they are for a machine of this speed.
        settings: numbers of the search of both players in this game, where they are tuned.
    """

    format: int
    match: str
    number: int
    ruleset: str
    start: str
    plan: Plan
    speed: float | None
    settings: tuple[Settings, Settings] | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A game that was played.

    Attributes:
        format: `FORMAT`.
        worker: who played it.
        build: with what.
        factor: of the time in the plan, for this machine's speed; 1 without limits in time.
        result: how it ended.
    """

    format: int
    worker: str
    build: Build
    factor: float
    result: Result


@dataclass(frozen=True, slots=True)
class Word:
    """What a match tells its workers; whoever does not hear it will be told again.

    Attributes:
        match: which one.
        refused: the worker whose results do not count; None when the match is over.
        why: they do not count.
    """

    match: str
    refused: str | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Playing:
    """What a worker says when it begins and ends a game of a match, and again and again meanwhile.

    Attributes:
        worker: who.
        version: of ataxxd.
        numbers: of the games in the match that it plays now.
    """

    worker: str
    version: str
    numbers: tuple[int, ...]


def speed_of(game: str) -> float:
    """How many nodes per second our search visits on this machine now; takes a second or two."""
    count = measure(game)
    return count.nodes / count.seconds


class Codec(Generic[T]):
    """Bytes of one of the above, and back."""

    def __init__(self, kind: type[T]) -> None:
        self._adapter = TypeAdapter(kind)

    def dump(self, value: T) -> bytes:
        """Its bytes."""
        return self._adapter.dump_json(value)

    def load(self, data: bytes) -> T | None:
        """What the bytes say; None when they are not understood."""
        try:
            return self._adapter.validate_json(data)
        except ValidationError:
            return None


ITEMS: Final = Codec(Item)
REPORTS: Final = Codec(Report)
WORDS: Final = Codec(Word)
PLAYING: Final = Codec(Playing)
PROGRESS: Final = Codec(Progress)
