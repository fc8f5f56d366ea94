"""Who plays a side, by the names that options use."""

from ataxxd.bots.base import Bot
from ataxxd.bots.registry import ENGINE, KNOWN_BOTS, make_bot
from ataxxd.errors import UsageError

HUMAN, AUTO = "human", "auto"
# As in ataxxd.bots.native, which is too slow to load for a start-up that needs no bot.
_HIGHEST_LEVEL = 10


def is_player(name: str) -> bool:
    """True when `name` names somebody here, and not a game to host or to join."""
    kind = name.partition(":")[0]
    return kind in (HUMAN, AUTO, *(known.partition(":")[0] for known in KNOWN_BOTS))


def chosen_player(
    player: str | None, *, auto: bool, engine: str | None = None, protocol: str | None = None
) -> str:
    """What ``--player``, ``--auto``, ``--engine`` and ``--engine-protocol`` say together.

    Raises:
        UsageError: they contradict each other, or no engine can be run so.
    """
    if auto and player not in (None, AUTO):
        raise UsageError(f"--auto lets the engine play and --player names {player}: choose one.")
    if engine is not None and player not in (None, AUTO):
        raise UsageError(f"--engine and --player {player} both say who plays: choose one.")
    chosen = player or (AUTO if auto or engine is not None else HUMAN)
    return with_engine(chosen, engine, protocol)


def with_engine(player: str, engine: str | None, protocol: str | None) -> str:
    """The player, where ``--engine`` names another engine than ours for ``auto``.

    An engine's command means the same afterwards wherever this program is started.

    Raises:
        UsageError: no engine can be run so.
    """
    if engine is None and protocol is not None:
        raise UsageError("--engine-protocol says what an engine speaks: name it, with --engine.")
    if player == AUTO and engine is not None:
        player = f"{ENGINE}{engine if protocol is None else f'protocol={protocol} {engine}'}"
    if not player.startswith(ENGINE):
        return player
    from ataxxd.bots.external.command import EngineCommand

    return f"{ENGINE}{EngineCommand.parse(player.removeprefix(ENGINE))}"


def with_strength(
    player: str,
    level: int | None,
    *,
    time: str | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    threads: int | None = None,
    hash_mb: int | None = None,
) -> str:
    """The player, where ``--time`` and its like say how well our engine, as ``auto``, plays.

    Raises:
        UsageError: a value is out of range, or there is nothing that would think.
    """
    said = (time, nodes, depth, threads, hash_mb)
    if player != AUTO or all(each is None for each in said):
        return player
    if level == 0:
        raise UsageError("--level 0 plays any legal moves: it thinks about none.")
    from ataxxd.bots.strength import Strength
    from ataxxd.times import duration_ms

    time_ms = None if time is None else duration_ms(time, "--time")
    highest = None if level is None else min(level, _HIGHEST_LEVEL)
    try:
        strength = Strength(highest, time_ms, nodes, depth, threads, hash_mb)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return f"native:{strength}"


def check_player(player: str, game: str) -> None:
    """Refuse, before anything is begun, an engine that does not play a game.

    Raises:
        UsageError: it does not, or cannot be run.
    """
    if player.startswith(ENGINE):
        make_bot(player, game)


def bot_for(player: str, level: int | None, game: str | None = None) -> Bot | None:
    """The bot that `player` names, None for a human.

    Args:
        player: ``human``, ``auto`` (the engine at `level`) or a bot's name such as
            ``random:7`` (see `ataxxd.bots.registry`).
        level: the engine's, for ``auto``; the usual one when None, any legal moves when 0, the
            highest when there is none as high. Others have none.
        game: what is played; an engine of somebody else plays only one.

    Raises:
        UsageError: there is no such player.
    """
    if player == HUMAN:
        return None
    if player == AUTO:
        if level == 0:
            return make_bot("random")
        return make_bot("native" if level is None else f"native:{min(level, _HIGHEST_LEVEL)}")
    return make_bot(player, game)
