"""``ataxxd broker``: the embedded broker alone."""

import asyncio
from contextlib import AsyncExitStack

from ataxxd.cli.commands.operate import BrokerOptions
from ataxxd.cli.connect import PAGE_PORT
from ataxxd.cli.invitation import NO_PAGE
from ataxxd.cli.say import say
from ataxxd.errors import ExitCode
from ataxxd.transport.broker import EmbeddedBroker, Page
from ataxxd.transport.lan import Announcement, own_addresses
from ataxxd_clients.browser_page import page_files


async def run(options: BrokerOptions) -> ExitCode:
    """Run a broker until interrupted."""
    port, lan = options.port, options.lan
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
