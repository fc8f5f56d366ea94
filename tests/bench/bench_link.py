"""From a scanned link to a board: what a phone in the same room waits for.

`ataxxd host --lan --link` hands out the page, and a browser of a phone's size, which has never seen
it, opens the link in a network of its own on this machine. Only the hand that presses "Join" is
as fast as a program.

Run with ``python -m tests.bench.bench_link [TIMES]``.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.e2e.namespaces import own_network
from tests.web.phone import ADDRESS, hosting, phone


async def once(network: tuple[str, ...], folder: Path) -> tuple[float, float]:
    """Seconds until the page can be used, and then until the board is drawn."""
    with hosting(network, folder / "host", "--color", "second", "--line") as (_, link):
        async with phone(network, folder / "phone") as browser:
            began = time.perf_counter()
            sight = await browser.open(link)
            button = sight.page.get_by_role("button", name="Join the game", exact=True)
            await button.wait_for()
            loaded = time.perf_counter()
            await button.click()
            await sight.board_is_drawn()
            return loaded - began, time.perf_counter() - loaded


async def main(times: int) -> None:
    """Print the medians."""
    async with own_network(ADDRESS) as network:
        if not network:
            print("This needs network namespaces, which Linux gives root or every user.")
            return
        taken = []
        for _ in range(times):
            with tempfile.TemporaryDirectory() as folder:
                taken.append(await once(network, Path(folder)))
    loaded, joined = zip(*taken, strict=True)
    print(f"page loaded after   {statistics.median(loaded):6.2f} s")
    print(f"board after joining {statistics.median(joined):6.2f} s")
    print(f"link to board       {statistics.median(map(sum, taken)):6.2f} s  (median of {times})")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
