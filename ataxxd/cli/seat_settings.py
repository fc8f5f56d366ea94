"""What the options of a command say of a seat."""

import os
from dataclasses import replace
from pathlib import Path

from ataxxd.cli.files import check_transcript
from ataxxd.cli.options import NotifyOptions, PlayerOptions, ViewOptions
from ataxxd.cli.screen import check_view
from ataxxd.cli.setup import thinking_of
from ataxxd.node.notices import Notifications
from ataxxd.node.players import chosen_player
from ataxxd.node.settings import Settings
from ataxxd.notify import destination
from ataxxd.times import duration_ms

NOTIFY_VARIABLE = "ATAXXD_NOTIFY"


def seat_settings(
    player: PlayerOptions, view: ViewOptions, transcript: Path | None = None
) -> Settings:
    """What is said of a seat, whatever the game; the rest is for the command to add.

    Raises:
        UsageError: a value is out of range, two exclude each other, or something is missing.
    """
    check_view(view)
    thinking = thinking_of(player.search, player.seed)
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


def viewed(settings: Settings, view: ViewOptions) -> Settings:
    """The settings of a seat that is taken up again: what is chosen goes before them.

    Raises:
        UsageError: as of `ataxxd.cli.screen.check_view`.
    """
    check_view(view)
    if view.line or view.tui or view.display:
        settings = replace(settings, text=view.line, tui=view.tui, display=view.display)
    return replace(
        settings,
        ascii_only=view.ascii_only or settings.ascii_only,
        strict=view.strict or settings.strict,
    )


def notifications(options: NotifyOptions) -> Notifications:
    """How a person is told, as the options or the environment say.

    Raises:
        UsageError: there is no such way, or it needs something that is not installed.
    """
    named = options.notify or os.environ.get(NOTIFY_VARIABLE, "").splitlines()
    to = [destination(each) for each in named if each.strip()]
    return Notifications(to, duration_ms(options.notify_after, "--notify-after") / 1000)
