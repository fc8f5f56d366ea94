"""Bots by name, as options and configuration files give them."""

from ataxxd.bots.base import Bot
from ataxxd.errors import UsageError

KNOWN_BOTS = (
    "native", "native:LEVEL", "first", "random", "random:SEED", "alphabeta:DEPTH",
    "engine:COMMAND",
)  # fmt: skip
ENGINE = "engine:"


def make_bot(name: str, game: str | None = None) -> Bot:
    """Make a bot from its name.

    Args:
        name: one of ``native``, ``native:LEVEL`` (1 to 10, or such as ``time=500,threads=2``; see
            `ataxxd.bots.strength.Strength`), ``first``, ``random``,
            ``random:SEED``, ``alphabeta:DEPTH`` (1 to 60; 6 where it is left out) or
            ``engine:COMMAND`` (see `ataxxd.bots.external.command`).
        game: what it is to play; an engine of somebody else plays only one.

    Raises:
        UsageError: there is no such bot, or its argument is wrong.
    """
    # A start-up that needs no bot must not pay for loading the engine.
    from ataxxd.bots.alphabeta import USUAL_DEPTH, AlphaBetaBot
    from ataxxd.bots.native import NativeBot
    from ataxxd.bots.pondering import PonderingBot
    from ataxxd.bots.simple import FirstBot, RandomBot
    from ataxxd.bots.strength import DEFAULT_LEVEL, Strength

    if name.startswith(ENGINE):
        return _external(name, game)
    kind, colon, argument = name.strip().lower().partition(":")
    try:
        if kind == "native":
            if "=" in argument:
                strength = Strength.parse(argument)
                return PonderingBot(strength) if strength.ponder else NativeBot(strength)
            return NativeBot(_number(name, argument) if colon else DEFAULT_LEVEL)
        if kind == "alphabeta":
            return AlphaBetaBot(_number(name, argument) if colon else USUAL_DEPTH)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if kind == "first" and not colon:
        return FirstBot()
    if kind == "random":
        return RandomBot(_number(name, argument) if colon else None)
    msg = f'There is no bot "{name}". Bots are {", ".join(KNOWN_BOTS)}.'
    raise UsageError(msg)


def _external(name: str, game: str | None) -> Bot:
    from ataxxd.bots.external.command import EngineCommand
    from ataxxd.bots.external.engine import ExternalEngine

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
