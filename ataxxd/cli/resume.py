"""``ataxxd resume``: go on after a crash, a reboot or a lost network."""

from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode


def run(
    name: Annotated[
        str | None, typer.Argument(help="The game; the newest unfinished one when left out.")
    ] = None,
    home: options.Home = None,
    broker: Annotated[
        str | None,
        typer.Option("--broker", metavar="URL", help="Another broker than the one it began on."),
    ] = None,
    ascii_only: options.Ascii = False,
) -> int:
    """Go on with an unfinished game of this node, as host or as guest.

    Everything is taken from the journal: who plays, where, and every message so far.
    """
    return run_until_stopped(_resume(name, home, broker, ascii_only=ascii_only))


async def _resume(
    name: str | None, home: Path | None, broker_url: str | None, *, ascii_only: bool
) -> ExitCode:
    from dataclasses import replace
    from functools import partial

    from ataxxd.cli.connect import chosen_broker
    from ataxxd.cli.display import require_display
    from ataxxd.cli.invitation import invite
    from ataxxd.cli.say import say
    from ataxxd.cli.seat import take_seat
    from ataxxd.errors import GameError
    from ataxxd.node.node import opened_node
    from ataxxd.node.settings import Settings
    from ataxxd.session.roles import Role
    from ataxxd.session.state import Phase

    async with opened_node(home) as node:
        games = node.journal.unfinished(name)
        if not games:
            which = f'No unfinished game "{name}"' if name else "No unfinished game"
            others = ", ".join(game.offer.name for game in node.journal.unfinished())
            remedy = f"Unfinished here: {others}." if others else "Open one: ataxxd host NAME"
            raise GameError(f"{which} in {node.home.path}. {remedy}")
        # A game that has begun goes before an offer that nobody has taken.
        stored = min(games, key=lambda game: node.journal.ledger(game).phase is Phase.OPEN)
        name = stored.offer.name
        settings = Settings.restored(stored.settings)
        require_display(wanted=settings.display)
        if ascii_only:
            settings = replace(settings, ascii_only=True)
        if broker_url is not None:
            settings = replace(settings, broker=broker_url)
        with node.home.lock(stored.offer.digest, name):
            # Read under the lock: another process may have written until a moment ago.
            ledger = node.journal.ledger(stored)
            if ledger.phase is Phase.OPEN and stored.role is Role.GUEST:
                node.journal.finish(stored)
                raise GameError(
                    f'You never got the seat of "{name}"; try again: ataxxd join {name}'
                )
            hosting = stored.role is Role.HOST
            async with chosen_broker(
                settings.broker, home=home, lan=settings.lan and hosting, may_start=hosting
            ) as broker:
                plies = f"{len(ledger.moves)} plies played"
                say(f'Going on with "{name}" as {stored.role.value}, {plies}.')
                announce = None
                if ledger.phase is Phase.OPEN:
                    announce = partial(
                        invite,
                        stored.offer,
                        broker,
                        lan=settings.lan,
                        picture=False,
                        secret=settings.invitation,
                    )
                return await take_seat(node, stored, ledger, broker, settings, announce=announce)
