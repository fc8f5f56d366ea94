"""``ataxxd broker``: the embedded broker alone."""

import asyncio
from contextlib import AsyncExitStack
from typing import Annotated

import typer

from ataxxd.cli.connect import PAGE_PORT
from ataxxd.cli.invitation import NO_PAGE
from ataxxd.cli.say import say
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode
from ataxxd.transport.broker import EmbeddedBroker, Page
from ataxxd.transport.lan import Announcement, own_addresses
from ataxxd_clients.browser_page import page_files


def run(
    port: Annotated[
        int,
        typer.Option(
            "--port", min=0, max=65535, help="The port to listen on; 0 takes any free one."
        ),
    ] = 1883,
    lan: Annotated[
        bool, typer.Option("--lan", help="Let the local network use it, and announce it there.")
    ] = False,
) -> int:
    """Run a broker until interrupted.

    Good for a table at home: with --lan it also serves the page that browsers on the
    network play. It keeps nothing on disk; for a club use Mosquitto.
    """
    return run_until_stopped(_serve(port, lan=lan))


async def _serve(port: int, *, lan: bool) -> ExitCode:
    async with AsyncExitStack() as stack:
        files = page_files()
        page = Page(files or {}, PAGE_PORT) if lan else None
        broker = await stack.enter_async_context(EmbeddedBroker(port=port, lan=lan, page=page))
        if lan:
            await stack.enter_async_context(Announcement(broker.port))
            if files is None:
                say(NO_PAGE)
            else:
                page_at = f"http://{own_addresses()[0]}:{broker.web_port}/"
                say(f"Browsers on this network play at {page_at}")
        say(f"The broker listens at {broker.url}. Stop it with Ctrl-C.")
        await asyncio.Event().wait()
    return ExitCode.OK
