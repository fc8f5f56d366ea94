"""The players of a match: our search, our bots, and other engines."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Protocol

from ataxxd.engines import OURS
from ataxxd.engines.base import Bot, Choice
from ataxxd.engines.external import ExternalEngine
from ataxxd.engines.external.process import EngineCommand, format_limit, parse_limit
from ataxxd.engines.native import Settings, check_settings, format_settings, read_settings
from ataxxd.engines.registry import ENGINE, kind_of, make_bot
from ataxxd.engines.tablebases import new_playing_engine
from ataxxd.errors import UsageError
from ataxxd.rules import Position
from ataxxd.rules.limits import DEFAULT_HASH_MB, Limits

FAILED, LATE = "engine-failed", "time-forfeit"
"""Ends that are a contestant's fault."""
# The most search parameters that a title names.
_MAX_NAMED = 3


class Contestant(Protocol):
    """A player of one game at a time; for one thread only, except for `stop`."""

    @property
    def title(self) -> str:
        """Its name for people, with the settings of its own."""
        ...

    @property
    def own_limits(self) -> Limits | None:
        """Its own limits, whatever the match allows; with these, it has no clock."""
        ...

    def prepare(self, on_notice: Callable[[str], object] | None = None) -> None:
        """Get ready to play.

        Args:
            on_notice: called with a sentence on what takes long.

        Raises:
            EngineError: it fails.
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
        """Make `choose`, running in another thread, return soon; as `Bot.stop`."""
        ...

    def close(self) -> None:
        """Free everything it uses."""
        ...


def make_contestant(name: str, game: str, hash_mb: int = DEFAULT_HASH_MB) -> Contestant:
    """Make a contestant from its name.

    Args:
        name: ``auto`` (our search, limited only by the match) or ``auto:LIMIT``, either followed by
            search parameters (``auto+aspiration=60,killer=300``); ``auto@LEVEL``; or a bot's name
            as for `ataxxd.engines.registry.make_bot`.
        game: the game to play.
        hash_mb: the size of the transposition table in mebibytes, for our search, and for another
            engine that has such an option and is not given one in its name.

    Raises:
        UsageError: there is no such contestant.
    """
    ours, tuned, settings = name.partition("+")
    if kind_of(name) == OURS and tuned:
        searching = _make_own_search(ours, game, hash_mb)
        if searching is None:
            raise UsageError(
                f"{name}: numbers of the search are for auto and auto:LIMIT, such as "
                f"auto:nodes:5000+{settings}"
            )
        searching.tune(read_settings(settings, game))
        return searching
    if (searching := _make_own_search(name, game, hash_mb)) is not None:
        return searching
    if name.startswith(ENGINE):
        command = EngineCommand.parse(name.removeprefix(ENGINE))
        engine = ExternalEngine(command, game, {"hash": f"{hash_mb}"})
        return _EngineContestant(engine, _title_suffix(command.limit, command.options))
    return _BotContestant(make_bot(name, game), name)


def _make_own_search(name: str, game: str, hash_mb: int) -> "OwnSearch | None":
    """Our search, if a name without search parameters means it; otherwise None."""
    if name == OURS:
        return OwnSearch(None, game, hash_mb)
    limit = name.removeprefix(f"{OURS}:")
    if limit != name and "=" not in limit and not limit.isdecimal():
        return OwnSearch(parse_limit(limit), game, hash_mb)
    return None


def _title_suffix(limits: Limits | None, options: Mapping[str, object] | None = None) -> str:
    """The part of a title that tells players of one program apart: `` nodes:100 Hash=64``."""
    words = [] if limits is None else [format_limit(limits)]
    words += [f"{name}={value}" for name, value in (options or {}).items()]
    return "".join(f" {word}" for word in words)


class _AlwaysReady:
    def prepare(self, on_notice: Callable[[str], object] | None = None) -> None:
        """Do nothing: it is always ready."""

    def close(self) -> None:
        """Do nothing: it holds nothing but memory."""


class OwnSearch(_AlwaysReady):
    """Our own search, within the limits of its name and of the match."""

    def __init__(self, limits: Limits | None, game: str, hash_mb: int) -> None:
        self._limits = limits
        self._game = game
        self._engine = new_playing_engine(hash_mb)
        self._tuned: Settings = {}

    @property
    def title(self) -> str:
        """Its name for people, with the settings of its own."""
        tuned = self._tuned
        if len(tuned) <= _MAX_NAMED:
            return f"ataxxd{_title_suffix(self._limits, tuned)}"
        digest = hashlib.sha256(format_settings(tuned).encode()).hexdigest()[:6]
        return f"ataxxd{_title_suffix(self._limits)} tuned ({digest})"

    @property
    def own_limits(self) -> Limits | None:
        """Its own limits, whatever the match allows."""
        return self._limits

    def tune(self, settings: Settings) -> None:
        """Set these search parameters, and reset all others, from the next game on.

        Raises:
            UsageError: the game's search does not have one of them.
        """
        check_settings(settings, self._game)
        self._engine.tune(dict(settings))
        self._tuned = settings

    def new_game(self) -> None:
        """Forget the last game."""
        self._engine.clear()

    def choose(self, position: Position, limits: Limits, seed: int) -> Choice:  # noqa: ARG002
        """Choose a legal move within the limits."""
        aim_ms, max_ms = limits.aim_and_max(position)
        result = self._engine.search(
            position, depth=limits.depth, nodes=limits.nodes, time_ms=max_ms, aim_ms=aim_ms
        )
        return Choice(result.move, result.score)

    def stop(self) -> None:
        """Make `choose`, running in another thread, return soon."""
        self._engine.stop()


class _BotContestant(_AlwaysReady):
    """A bot, limited by the settings in its name and by time."""

    def __init__(self, bot: Bot, name: str) -> None:
        self._bot = bot
        self.title = name
        self.own_limits: Limits | None = None

    def new_game(self) -> None:
        """Do nothing: a bot's choice does not depend on earlier games."""

    def choose(self, position: Position, limits: Limits, seed: int) -> Choice:
        time_ms = limits.milliseconds(position)
        return Choice(self._bot.choose(position, seed=seed, time_ms=time_ms))

    def stop(self) -> None:
        self._bot.stop()


class _EngineContestant:
    """An external engine."""

    def __init__(self, engine: ExternalEngine, settings: str) -> None:
        self._engine = engine
        self._settings = settings

    @property
    def title(self) -> str:
        return self._engine.title + self._settings

    @property
    def own_limits(self) -> Limits | None:
        return self._engine.limit

    def prepare(self, on_notice: Callable[[str], object] | None = None) -> None:
        self._engine.start(on_notice)

    def new_game(self) -> None:
        self._engine.new_game()

    def choose(self, position: Position, limits: Limits, seed: int) -> Choice:  # noqa: ARG002
        return self._engine.find(position, limits)

    def stop(self) -> None:
        self._engine.stop()

    def close(self) -> None:
        self._engine.close()
