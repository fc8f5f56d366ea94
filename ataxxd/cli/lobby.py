"""``ataxxd lobby``: the games of a broker and several tables, in the browser."""

import asyncio

from ataxxd.cli.commands.play import LobbyOptions
from ataxxd.cli.connect import check_lan
from ataxxd.cli.files import LocalGameFiles
from ataxxd.cli.invitation import address_of
from ataxxd.cli.say import say
from ataxxd.cli.seat import opened_node
from ataxxd.errors import ExitCode, UsageError
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.names import Rated
from ataxxd.node.open_games import OpenGames
from ataxxd.node.settings import Settings
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.tournament.known_ratings import KnownRatings
from ataxxd_clients.web.server import show_lobby


async def run(options: LobbyOptions) -> ExitCode:
    """Host, join, watch and resume games in the browser."""
    check_lan(options.broker, lan=options.lan)
    settings = Settings(broker=options.broker, lan=options.lan, starts_broker=True)
    async with opened_node(options.home, settings) as (node, broker):
        home = node.profile.home

        def ratings() -> Rated:
            known = KnownRatings.of_home(home, SYSTEM_CLOCK.now_ms())
            return known.rated

        lobby = OpenGames(node, broker=address_of(broker), present=True, ratings=ratings)
        try:
            with plain_errors():
                async with asyncio.TaskGroup() as group:
                    running = group.create_task(lobby.run(), name="open games")
                    await show_lobby(
                        lobby, LocalGameFiles(home=home.path), say=say, port=options.port
                    )
                    running.cancel()
        except OSError as error:
            raise UsageError(
                f"--port {options.port}: nothing can listen there ({error.strerror}). "
                "Choose another, or leave it out."
            ) from None
        await broker.linger()
    return ExitCode.OK
