"""The names of players in options, and the players they stand for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ataxxd.engines import HIGHEST_LEVEL, OURS, read_level
from ataxxd.engines.base import Bot
from ataxxd.engines.external.process import EngineCommand
from ataxxd.engines.native import Strength
from ataxxd.engines.registry import ENGINE, KNOWN_BOTS, canonical_name, kind_of, make_bot
from ataxxd.errors import UsageError
from ataxxd.times import parse_duration_ms

HUMAN, AUTO = "human", OURS


def is_player(name: str) -> bool:
    """Whether `name` means a player here, rather than a game to host or join."""
    name = canonical_name(name)
    kind = name.partition(":")[0]
    # A broker or a level follows an @, and no broker is a number.
    if re.fullmatch(f"{AUTO}@[0-9]*", kind):
        return True
    return "@" not in kind and kind_of(name) in (HUMAN, *map(kind_of, KNOWN_BOTS))


def read_option(level: str | None, *, capped: bool = False) -> int | None:
    """Read ``--level``.

    Args:
        level: as it was typed.
        capped: take a number above the highest level as the highest.

    Raises:
        UsageError: there is no such level.
    """
    if capped and level is not None and level.isascii() and level.isdecimal():
        return min(int(level), HIGHEST_LEVEL)
    try:
        return None if level is None else read_level(level, f"--level {level}")
    except ValueError as error:
        raise UsageError(str(error)) from None


@dataclass(frozen=True, slots=True)
class Thinking:
    """The engine's strength and limits, as ``--level``, ``--time`` and others give them.

    Attributes:
        level: 1 to 10, or 0 for any legal moves.
        time: the time per move as people write it: ``500ms``, ``2s``.
        nodes: positions searched per move.
        depth: search depth in plies.
        threads: search threads.
        hash_mb: size of the transposition table in mebibytes.
        ponder: whether it also thinks on the opponent's time.
    """

    level: int | None = None
    time: str | None = None
    nodes: int | None = None
    depth: int | None = None
    threads: int | None = None
    hash_mb: int | None = None
    ponder: bool = False

    def player(self, player: str) -> str:
        """The player's name, with these limits added if it is our engine.

        Args:
            player: the player; a level in its name, as in ``auto@3``, takes precedence.

        Raises:
            UsageError: a value is out of range, or no engine would use it.
        """
        kind, at, own = player.partition("@")
        if kind != AUTO:
            return player
        try:
            level = read_level(own, player) if at else self.level
        except ValueError as error:
            raise UsageError(str(error)) from None
        if self == Thinking(self.level):
            return player
        if level == 0:
            raise UsageError("Level 0 plays any legal move: it thinks about none.")
        time_ms = None if self.time is None else parse_duration_ms(self.time, "--time")
        try:
            strength = Strength(
                level, time_ms, self.nodes, self.depth, self.threads, self.hash_mb,
                1 if self.ponder else None,
            )  # fmt: skip
        except ValueError as error:
            raise UsageError(str(error)) from None
        return f"{AUTO}:{strength}"


def choose_player(
    player: str | None,
    *,
    auto: bool,
    engine: str | None,
    protocol: str | None,
    thinking: Thinking,
) -> str:
    """The player that the options ``--player`` to ``--engine-protocol`` and `thinking` name.

    Raises:
        UsageError: they contradict each other, or the engine cannot be run.
    """
    player = None if player is None else canonical_name(player)
    if auto and player is not None and kind_of(player) != AUTO:
        raise UsageError(f"--auto lets the engine play and --player names {player}: choose one.")
    if engine is not None and player not in (None, AUTO):
        raise UsageError(f"--engine and --player {player} both say who plays: choose one.")
    check_ours_thinks(
        engine or (player if player and player.startswith(ENGINE) else None), thinking
    )
    chosen = player or (AUTO if auto or engine is not None else HUMAN)
    check_one_strength(thinking, {"--player": chosen})
    named = thinking.player(add_engine(chosen, engine, protocol))
    if kind_of(named) not in (HUMAN, AUTO) and not named.startswith(ENGINE):
        # Raise its errors before anything begins; these bots cost nothing to make.
        make_bot(named, or_human=True)
    return named


def check_ours_thinks(engine: str | None, thinking: Thinking) -> None:
    """Refuse options of our engine's strength for another engine.

    Raises:
        UsageError: another engine has our seat, and such an option is given.
    """
    if engine is not None and thinking != Thinking():
        command = engine.removeprefix(ENGINE)
        raise UsageError(
            "--level, --time and the like are for our own engine. Another engine gets its limit "
            f'before its command: --engine "limit=2s {command}"'
        )


def check_one_strength(thinking: Thinking, players: Mapping[str, str]) -> None:
    """Refuse two contradictory strengths for our engine.

    Args:
        thinking: what the options say, for each player without limits of its own.
        players: the players, by the option that names them.

    Raises:
        UsageError: a player has a level or limits of its own, and no player is left to which the
            options could apply.
    """
    if AUTO in players.values():
        return
    for option, player in players.items():
        if kind_of(player) != AUTO:
            continue
        own = re.split("[:@]", player, maxsplit=1)[1]
        if "@" in player and thinking.level is not None and own != f"{thinking.level}":
            raise UsageError(
                f"--level {thinking.level} and {option} {player} are two levels: leave out "
                f"--level, or write {option} {AUTO}."
            )
        if ":" in player and thinking != Thinking():
            raise UsageError(
                f"{option} {player} already limits our engine: leave out --level, --time and the "
                f"like, or write {option} {AUTO}."
            )


def add_engine(player: str, engine: str | None, protocol: str | None) -> str:
    """The player's name, with the engine that ``--engine`` names in place of ours for ``auto``.

    The engine's command is made independent of the current folder.

    Raises:
        UsageError: the engine cannot be run.
    """
    if engine is None and protocol is not None:
        raise UsageError(
            "--engine-protocol is the protocol of an engine: name the engine with --engine."
        )
    if player == AUTO and engine is not None:
        player = f"{ENGINE}{engine if protocol is None else f'protocol={protocol} {engine}'}"
    if not player.startswith(ENGINE):
        return player

    return f"{ENGINE}{EngineCommand.parse(player.removeprefix(ENGINE))}"


def check_player(player: str, game: str) -> None:
    """Refuse, before the game begins, an engine that does not play it.

    Raises:
        UsageError: it does not play it, or cannot be run.
    """
    if player.startswith(ENGINE):
        make_bot(player, game)


def bot_for(player: str, level: int | None, game: str | None = None) -> Bot | None:
    """The bot that `player` names; None for a person.

    Args:
        player: ``human``, ``auto`` (the engine at `level`) or a bot's name such as
            ``auto@3`` or ``random:7`` (`ataxxd.engines.registry` has the list).
        level: the engine's level, for ``auto`` only: the usual one if None, any legal move if 0;
            numbers above the highest level mean the highest.
        game: the game that is played; another engine plays only one.

    Raises:
        UsageError: there is no such player.
    """
    if player == HUMAN:
        return None
    if player == AUTO:
        # A journal of an earlier version may have a higher level.
        return make_bot(AUTO if level is None else f"{AUTO}@{min(level, HIGHEST_LEVEL)}")
    return make_bot(player, game, or_human=True)
