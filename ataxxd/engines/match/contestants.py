"""Who plays in a match: our search, our bots, and engines of others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from ataxxd.engines.base import Bot
from ataxxd.engines.external.command import EngineCommand, limit_text, parse_limit
from ataxxd.engines.external.engine import ExternalEngine
from ataxxd.engines.levels import OURS
from ataxxd.engines.registry import ENGINE, make_bot
from ataxxd.engines.tablebases import playing_engine
from ataxxd.rules import Move, Position
from ataxxd.rules.limits import USUAL_HASH_MB, Limits

FAILED, LATE = "engine-failed", "time-forfeit"
"""Ends that are a contestant's fault."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A move, and what it is said to be worth, in hundredths of a piece for who makes it."""

    move: Move
    score: int | None = None


class Contestant(Protocol):
    """A player of one game at a time, used from one thread but for `stop`."""

    @property
    def title(self) -> str:
        """What people call it, with what was set for it alone."""
        ...

    @property
    def own_limits(self) -> Limits | None:
        """What it may spend whatever the match allows; it has no clock then."""
        ...

    def prepare(self, tell: Callable[[str], object] | None = None) -> None:
        """Be ready to play.

        Args:
            tell: told what takes long.

        Raises:
            EngineError: it cannot be.
        """
        ...

    def new_game(self) -> None:
        """Forget the last game."""
        ...

    def choose(self, position: Position, limits: Limits, seed: int) -> Choice:
        """Choose a legal move.

        Raises:
            EngineError: it fails.
        """
        ...

    def stop(self) -> None:
        """Make a `choose` under way in another thread return soon; as `Bot.stop`."""
        ...

    def close(self) -> None:
        """Leave nothing behind."""
        ...


def make_contestant(name: str, game: str, hash_mb: int = USUAL_HASH_MB) -> Contestant:
    """A contestant by its name.

    Args:
        name: ``auto`` (our search, bound by the match alone), ``auto:LIMIT``, ``auto@LEVEL``,
            or a bot as `ataxxd.engines.registry.make_bot` makes it.
        game: what is played.
        hash_mb: the size of its table of positions in mebibytes: of our search, and of another
            engine that lets it be set and is told no other by its name.

    Raises:
        UsageError: there is none of this name.
    """
    if name == OURS:
        return _Search(None, hash_mb)
    limit = name.removeprefix(f"{OURS}:")
    if limit != name and "=" not in limit and not limit.isdecimal():
        return _Search(parse_limit(limit), hash_mb)
    if name.startswith(ENGINE):
        command = EngineCommand.parse(name.removeprefix(ENGINE))
        engine = ExternalEngine(command, game, {"hash": f"{hash_mb}"})
        return _OfEngine(engine, _settings(command.limit, command.options))
    return _OfBot(make_bot(name, game), name)


def _settings(limits: Limits | None, options: Mapping[str, str] | None = None) -> str:
    """What tells two players of one program apart: `` nodes:100 Hash=64``."""
    words = [] if limits is None else [limit_text(limits)]
    words += [f"{name}={value}" for name, value in (options or {}).items()]
    return "".join(f" {word}" for word in words)


class _Search:
    """Our own search."""

    def __init__(self, limits: Limits | None, hash_mb: int) -> None:
        self._limits = limits
        self._engine = playing_engine(hash_mb)
        self.title = "ataxxd"
        self.title += _settings(limits)

    @property
    def own_limits(self) -> Limits | None:
        return self._limits

    def prepare(self, tell: Callable[[str], object] | None = None) -> None:
        """Nothing is missing."""

    def new_game(self) -> None:
        self._engine.clear()

    def choose(self, position: Position, limits: Limits, seed: int) -> Choice:  # noqa: ARG002
        aim_ms, most_ms = limits.aim_and_most(position.turn)
        result = self._engine.search(
            position, depth=limits.depth, nodes=limits.nodes, time_ms=most_ms, aim_ms=aim_ms
        )
        return Choice(result.move, result.score)

    def stop(self) -> None:
        self._engine.stop()

    def close(self) -> None:
        """It holds nothing but memory."""


class _OfBot:
    """A bot, bound by what its name says and by time."""

    def __init__(self, bot: Bot, name: str) -> None:
        self._bot = bot
        self.title = name

    @property
    def own_limits(self) -> Limits | None:
        return None

    def prepare(self, tell: Callable[[str], object] | None = None) -> None:
        """Nothing is missing."""

    def new_game(self) -> None:
        """A bot's choice depends on nothing earlier."""

    def choose(self, position: Position, limits: Limits, seed: int) -> Choice:
        time_ms = limits.milliseconds(position.turn)
        return Choice(self._bot.choose(position, seed=seed, time_ms=time_ms))

    def stop(self) -> None:
        self._bot.stop()

    def close(self) -> None:
        """It holds nothing but memory."""


class _OfEngine:
    """An engine of somebody else."""

    def __init__(self, engine: ExternalEngine, settings: str) -> None:
        self._engine = engine
        self._settings = settings

    @property
    def title(self) -> str:
        return self._engine.title + self._settings

    @property
    def own_limits(self) -> Limits | None:
        return self._engine.limit

    def prepare(self, tell: Callable[[str], object] | None = None) -> None:
        self._engine.start(tell)

    def new_game(self) -> None:
        self._engine.new_game()

    def choose(self, position: Position, limits: Limits, seed: int) -> Choice:  # noqa: ARG002
        answer = self._engine.find(position, limits)
        return Choice(answer.move, answer.score)

    def stop(self) -> None:
        self._engine.stop()

    def close(self) -> None:
        self._engine.close()
