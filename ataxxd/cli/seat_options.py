"""Options of the commands that take a seat or play offline, each group described once.

See `ataxxd.cli.option_groups`.
"""

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from ataxxd.cli import options
from ataxxd.cli.files import check_transcript
from ataxxd.cli.screen import check_tui
from ataxxd.cli.setup import beginning, searching_threads
from ataxxd.node.notices import Notifications
from ataxxd.node.players import Thinking, chosen_player, read_option
from ataxxd.node.settings import Settings
from ataxxd.notify import destination
from ataxxd.rules.notation.game import GameRecord
from ataxxd.times import duration_ms

NOTIFY_VARIABLE = "ATAXXD_NOTIFY"


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How well our engine plays."""

    level: options.Level = None
    time: options.Time = None
    nodes: options.Nodes = None
    depth: options.Depth = None
    threads: options.Threads = None
    hash_mb: options.Hash = None
    ponder: options.Ponder = False

    def thinking(self, seed: int | None, *, capped: bool = False) -> Thinking:
        """The same as values.

        Args:
            seed: of the engine's choices.
            capped: see `ataxxd.node.players.read_option`.

        Raises:
            UsageError: there is no such level, or several threads cannot be repeatable.
        """
        level = read_option(self.level, capped=capped)
        threads = searching_threads(self.threads, seed)
        return Thinking(
            level, self.time, self.nodes, self.depth, threads, self.hash_mb, self.ponder
        )


@dataclass(frozen=True, slots=True)
class PlayerOptions:
    """Who plays this side of a network game."""

    auto: options.Auto = False
    player: options.Player = None
    engine: options.Engine = None
    engine_protocol: options.EngineProtocol = None
    search: SearchOptions = field(default_factory=SearchOptions)
    agree: options.Agree = False
    seed: options.Seed = None


@dataclass(frozen=True, slots=True)
class StartOptions:
    """Where a game begins."""

    blocks: options.Blocks = None
    position: options.Position = None
    init: options.Init = None

    def beginning(self, game: str, ruleset: str | None) -> GameRecord:
        """The game to start from, with the moves already made."""
        return beginning(game, ruleset, self.position, self.blocks, self.init)


@dataclass(frozen=True, slots=True)
class TermsOptions:
    """What both players must keep to."""

    clock: options.Clock = "none"
    grace: options.Grace = "15m"
    takebacks: options.Takebacks = True


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """How a person sees a game and enters moves."""

    line: options.Line = False
    tui: options.Tui = False
    ascii_only: options.Ascii = False
    strict: options.Strict = False
    display: options.Display = False

    def check(self) -> None:
        """Check that the game can be shown so.

        Raises:
            UsageError: two of them exclude each other.
        """
        check_tui(tui=self.tui, line=self.line, display=self.display)

    def over(self, settings: Settings) -> Settings:
        """The settings of a seat that is taken up again: what is chosen goes before them.

        Raises:
            UsageError: as `check`.
        """
        self.check()
        if self.line or self.tui or self.display:
            settings = replace(settings, text=self.line, tui=self.tui, display=self.display)
        return replace(
            settings,
            ascii_only=self.ascii_only or settings.ascii_only,
            strict=self.strict or settings.strict,
        )


@dataclass(frozen=True, slots=True)
class NotifyOptions:
    """How a person is told who is not at the screen."""

    notify: options.Notify = None
    notify_after: options.NotifyAfter = "30s"

    def checked(self) -> Notifications:
        """The same as values.

        Raises:
            UsageError: there is no such way, or it needs something that is not installed.
        """
        named = self.notify or os.environ.get(NOTIFY_VARIABLE, "").splitlines()
        to = [destination(each) for each in named if each.strip()]
        return Notifications(to, duration_ms(self.notify_after, "--notify-after") / 1000)


def seat_settings(
    player: PlayerOptions, view: ViewOptions, transcript: Path | None = None
) -> Settings:
    """What is said of a seat, whatever the game; the rest is for the command to add.

    Raises:
        UsageError: a value is out of range, two exclude each other, or something is missing.
    """
    view.check()
    thinking = player.search.thinking(player.seed)
    return Settings(
        player=chosen_player(
            player.player,
            auto=player.auto,
            engine=player.engine,
            protocol=player.engine_protocol,
            thinking=thinking,
        ),
        level=thinking.level,
        seed=player.seed,
        agrees=player.agree,
        transcript=str(target) if (target := check_transcript(transcript)) else None,
        text=view.line,
        tui=view.tui,
        ascii_only=view.ascii_only,
        strict=view.strict,
        display=view.display,
    )
