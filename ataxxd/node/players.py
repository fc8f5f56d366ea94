"""Who plays a side, by the names that options use."""

from dataclasses import dataclass

from ataxxd.bots.base import Bot
from ataxxd.bots.registry import ENGINE, KNOWN_BOTS, make_bot
from ataxxd.bots.strength import HIGHEST_LEVEL, Strength
from ataxxd.errors import UsageError
from ataxxd.times import duration_ms

HUMAN, AUTO = "human", "auto"


def is_player(name: str) -> bool:
    """True when `name` names somebody here, and not a game to host or to join."""
    kind = name.partition(":")[0]
    return kind in (HUMAN, AUTO, *(known.partition(":")[0] for known in KNOWN_BOTS))


@dataclass(frozen=True, slots=True)
class Thinking:
    """What ``--level``, ``--time`` and their like say of how well our engine plays.

    Attributes:
        level: 1 to 10, or 0 for any legal moves.
        time: of a move, as people write it: ``500ms``, ``2s``.
        nodes: positions visited for a move.
        depth: plies that it looks.
        threads: that search at once.
        hash_mb: mebibytes of its table of positions.
        ponder: whether it thinks while the opponent does, too.
    """

    level: int | None = None
    time: str | None = None
    nodes: int | None = None
    depth: int | None = None
    threads: int | None = None
    hash_mb: int | None = None
    ponder: bool = False

    def player(self, player: str) -> str:
        """The player, where it is our engine, as ``auto``, and more than a level is said.

        Raises:
            UsageError: a value is out of range, or there is nothing that would think.
        """
        if player != AUTO or self == Thinking(self.level):
            return player
        if self.level == 0:
            raise UsageError("--level 0 plays any legal moves: it thinks about none.")
        level = None if self.level is None else min(self.level, HIGHEST_LEVEL)
        time_ms = None if self.time is None else duration_ms(self.time, "--time")
        try:
            strength = Strength(
                level, time_ms, self.nodes, self.depth, self.threads, self.hash_mb,
                1 if self.ponder else None,
            )  # fmt: skip
        except ValueError as error:
            raise UsageError(str(error)) from None
        return f"native:{strength}"


def chosen_player(
    player: str | None,
    *,
    auto: bool,
    engine: str | None,
    protocol: str | None,
    thinking: Thinking,
) -> str:
    """What the options ``--player`` to ``--engine-protocol``, and `thinking`, say together.

    Raises:
        UsageError: they contradict each other, or no engine can be run so.
    """
    if auto and player not in (None, AUTO):
        raise UsageError(f"--auto lets the engine play and --player names {player}: choose one.")
    if engine is not None and player not in (None, AUTO):
        raise UsageError(f"--engine and --player {player} both say who plays: choose one.")
    chosen = player or (AUTO if auto or engine is not None else HUMAN)
    return thinking.player(with_engine(chosen, engine, protocol))


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
        return make_bot("native" if level is None else f"native:{min(level, HIGHEST_LEVEL)}")
    return make_bot(player, game)
