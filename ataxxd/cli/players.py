"""Who plays a side, by the names that options use."""

from ataxxd.bots.base import Bot
from ataxxd.bots.registry import KNOWN_BOTS, make_bot
from ataxxd.errors import UsageError

HUMAN, AUTO = "human", "auto"
# As in ataxxd.bots.native, which is too slow to load for a start-up that needs no bot.
_HIGHEST_LEVEL = 10


def is_player(name: str) -> bool:
    """True when `name` names somebody here, and not a game to host or to join."""
    kind = name.partition(":")[0]
    return kind in (HUMAN, AUTO, *(known.partition(":")[0] for known in KNOWN_BOTS))


def chosen_player(player: str | None, *, auto: bool) -> str:
    """What ``--player`` and ``--auto`` say together.

    Raises:
        UsageError: they contradict each other.
    """
    if auto and player not in (None, AUTO):
        raise UsageError(f"--auto lets the engine play and --player names {player}: choose one.")
    return player or (AUTO if auto else HUMAN)


def bot_for(player: str, level: int | None) -> Bot | None:
    """The bot that `player` names, None for a human.

    Args:
        player: ``human``, ``auto`` (the engine at `level`) or a bot's name such as
            ``random:7`` (see `ataxxd.bots.registry`).
        level: the engine's, for ``auto``; the usual one when None, any legal moves when 0, the
            highest when there is none as high. Others have none.

    Raises:
        UsageError: there is no such player.
    """
    if player == HUMAN:
        return None
    if player == AUTO:
        if level == 0:
            return make_bot("random")
        return make_bot("native" if level is None else f"native:{min(level, _HIGHEST_LEVEL)}")
    return make_bot(player)
