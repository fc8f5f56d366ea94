"""``ataxxd lobby``: games with others, in the browser."""

import asyncio

from ataxxd.cli.commands.play import LobbyOptions
from ataxxd.cli.connect import address_of, check_lan
from ataxxd.cli.files import LocalGameFiles
from ataxxd.cli.output import print_message
from ataxxd.cli.seat import open_node
from ataxxd.errors import ExitCode, UsageError
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.level_games import LevelGames
from ataxxd.node.names import RatingLookup
from ataxxd.node.settings import Settings
from ataxxd.times import SYSTEM_CLOCK


async def run_lobby(options: LobbyOptions) -> ExitCode:
    """Host, join, watch and resume games in the browser."""
    from ataxxd.node.open_games import OpenGames
    from ataxxd.tournament.known_ratings import KnownRatings
    from ataxxd_clients.web.server import show_lobby  # takes its time to load

    check_lan(options.broker, lan=options.lan)
    settings = Settings(broker=options.broker, lan=options.lan, starts_broker=True)
    async with open_node(options.home, settings) as (node, broker):
        home = node.profile.home

        def ratings() -> RatingLookup:
            return KnownRatings.read_home(home, SYSTEM_CLOCK.now_ms()).known_rating

        lobby = OpenGames(
            node,
            broker=address_of(broker),
            present=True,
            read_ratings=ratings,
            levels=LevelGames(home.level_games),
            serves_network=broker.lan,
        )
        try:
            with plain_errors():
                async with asyncio.TaskGroup() as group:
                    running = group.create_task(lobby.run(), name="open games")
                    await show_lobby(
                        lobby,
                        LocalGameFiles(home=home.path),
                        print_line=print_message,
                        port=options.port,
                    )
                    running.cancel()
        except OSError as error:
            raise UsageError(
                f"--port {options.port}: nothing can listen there ({error.strerror}). "
                "Choose another, or leave it out."
            ) from None
        await broker.linger()
    return ExitCode.OK
