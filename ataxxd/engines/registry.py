"""Bots by name, as options and configuration files give them."""

import re
from collections.abc import Mapping

from ataxxd.engines import DEFAULT_LEVEL, OURS, read_level
from ataxxd.engines.base import DEFAULT_DEPTH, AlphaBetaBot, Bot, FirstBot, RandomBot
from ataxxd.engines.external import ExternalEngine
from ataxxd.engines.external.process import EngineCommand, parse_limit
from ataxxd.engines.native import NativeBot, PonderingBot, Strength
from ataxxd.errors import UsageError
from ataxxd.wording import did_you_mean

KNOWN_BOTS = (
    "auto", "auto@LEVEL", "auto:LIMIT", "first", "random", "random:SEED", "alphabeta:DEPTH",
    "engine:COMMAND",
)  # fmt: skip
ALIASES: Mapping[str, str] = dict.fromkeys(("ai", "bot", "computer", "cpu", "machine"), "auto")
"""Other names that people may guess for our engine."""
ENGINE = "engine:"
_OLDER = "native"
"""Our engine's name in old journals and configurations; the rest of such a name is the same."""


def kind_of(name: str) -> str:
    """The part of a name before the level, limit, parameters or seed: ``auto``, ``random``."""
    kind = re.split("[:@+]", name.strip().lower(), maxsplit=1)[0]
    return OURS if kind == _OLDER else kind


def canonical_name(name: str) -> str:
    """A player's name as the program writes it: ``auto@3`` for ``computer@3``.

    ``engine`` alone also means ours, but ``engine:COMMAND`` is an external one.
    """
    word = name.strip().lower()
    kind = re.split("[:@+]", word, maxsplit=1)[0]
    ours = kind in ALIASES or (f"{kind}:" == ENGINE and not word.startswith(ENGINE))
    return f"{OURS}{word.removeprefix(kind)}" if ours else name


def make_bot(name: str, game: str | None = None, *, or_human: bool = False) -> Bot:
    """Make a bot from its name.

    Args:
        name: one of ``auto`` (our engine), ``auto@LEVEL`` (1 to 10; 0 plays any legal move),
            ``auto:LIMIT`` (``500ms``, ``nodes:5000``, ``depth:8``, or settings such
            as ``time=500,threads=2``; see `ataxxd.engines.native.Strength`), ``first``, ``random``,
            ``random:SEED``, ``alphabeta:DEPTH`` (1 to 60; 6 if left out) or
            ``engine:COMMAND`` (see
            `ataxxd.engines.external.process`).
        game: the game to play; an external engine plays only one.
        or_human: whether a person could have been named too, for the error.

    Raises:
        UsageError: there is no such bot, or its argument is wrong.
    """
    name = canonical_name(name)
    if name.startswith(ENGINE):
        return _make_external_bot(name, game)
    kind = kind_of(name)
    word = name.strip().lower()
    argument = word.removeprefix(_OLDER if word.startswith(_OLDER) else kind)
    try:
        if kind == OURS:
            return _make_own_bot(name, argument)
        if kind == "alphabeta" and not argument.startswith("@"):
            return AlphaBetaBot(_number(name, argument[1:]) if argument else DEFAULT_DEPTH)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if kind == "first" and not argument:
        return FirstBot()
    if kind == "random" and not argument.startswith("@"):
        return RandomBot(_number(name, argument[1:]) if argument else None)
    known = ("human", *KNOWN_BOTS) if or_human else KNOWN_BOTS
    hint = did_you_mean(kind, map(kind_of, known), ALIASES)
    msg = f'There is no player "{name}".{hint} Players are {", ".join(known)}.'
    raise UsageError(msg)


def _make_own_bot(name: str, argument: str) -> Bot:
    if "=" in argument:
        strength = Strength.parse(argument[1:])
        return PonderingBot(strength) if strength.ponder else NativeBot(strength)
    if argument[:1] == "@" or argument[1:].isdecimal():
        level = read_level(argument[1:], name)
        return NativeBot(level) if level else RandomBot(None)
    if argument:
        limit = parse_limit(argument[1:])
        return NativeBot(Strength(time=limit.time_ms, nodes=limit.nodes, depth=limit.depth))
    return NativeBot(DEFAULT_LEVEL)


def _make_external_bot(name: str, game: str | None) -> Bot:
    command = EngineCommand.parse(name.removeprefix(ENGINE))
    if game is None:
        msg = f'"{name}" plays one game only; which one is not said here.'
        raise UsageError(msg)
    return ExternalEngine(command, game)


def _number(name: str, argument: str) -> int:
    try:
        return int(argument)
    except ValueError:
        msg = f'"{name}" needs a whole number after the colon, not "{argument}".'
        raise UsageError(msg) from None
