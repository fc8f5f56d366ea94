"""The page without a program over a slow network: the first board, and a click until its move.

The network is Chromium's emulation of slow 4G: 1.6 Mbit/s, 150 ms a round trip, an empty cache.
The first figure is of a web server that does not compress, the second of our own, which does. What
else the machine does counts, so the load is printed too.

Run with ``python -m tests.bench.bench_page_alone [RUNS]``, after `make peer`.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from ataxxd.transport.broker import EmbeddedBroker, Page
from ataxxd_clients.invitation import page_files
from tests.bench.bench_page import FIRST_BOARD, click_through, report
from tests.web.browser import Browser, Sight, chromium
from tests.web.test_page_with_the_engine import begins
from tests.web.test_page_without_a_program import served_page

SLOW = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 750_000 / 8,
}


async def first_board(browser: Browser, address: str) -> float:
    """Milliseconds from the request of a game's page to the frame that shows its board."""
    page = await browser.context.new_page()
    debugger = await browser.context.new_cdp_session(page)
    await debugger.send("Network.enable")
    await debugger.send("Network.setBypassServiceWorker", {"bypass": True})
    await debugger.send("Network.setCacheDisabled", {"cacheDisabled": True})
    await debugger.send("Network.emulateNetworkConditions", SLOW)
    await page.goto(address, wait_until="commit")
    taken = float(await page.evaluate(FIRST_BOARD))
    await page.close()
    return taken


async def measure(runs: int, folder: Path) -> None:
    """Prints the times."""
    ruleset = "ataxx/cs61b-2022"
    files = page_files()
    assert files is not None, "make peer"
    async with (
        EmbeddedBroker(port=0, page=Page(files)) as broker,
        chromium(folder, width=390, height=844) as browser,
    ):
        with served_page() as plain:
            for server, address in (
                ("plain server", plain),
                ("our server", f"http://127.0.0.1:{broker.web_port}/index.html"),
            ):
                page = await browser.context.new_page()
                await page.goto(address)
                await begins(Sight(page), ruleset, color="both")
                loads = [await first_board(browser, page.url) for _ in range(runs)]
                report(f"first board, {server}", loads, 1000)
            clicks = await click_through(Sight(page), ruleset)
    report("click to move", clicks, 50)


def main() -> None:
    """Prints both."""
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 5, Path(folder)))


if __name__ == "__main__":
    main()
