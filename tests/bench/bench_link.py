"""From a scanned link to a board and the first move: what a phone in the same room waits for.

`ataxxd host --lan --link` hands out the page, and a browser of a phone's size opens the link in a
network of its own on this machine: first one that has never seen the page, then the same browser
with the link of another evening. Only the hand that presses "Join" is as fast as a program. The
first move is taken from the click on its target to the line in the host's terminal. What else the
machine does counts, so the load is printed too.

Run with ``python -m tests.bench.bench_link [TIMES]``, after `make peer`.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.e2e.namespaces import own_network
from tests.web.browser import Browser
from tests.web.phone import ADDRESS, hosting, phone

# What is measured of a visit, and how many seconds each may take; None for parts of the next.
AIMS = {"page": None, "join": None, "link to board": (10.0, 1.0), "first move": None}


async def visit(network: tuple[str, ...], browser: Browser, home: Path) -> tuple[float, ...]:
    """Seconds until the page can be used, from there to the board, both, and of the first move."""
    with hosting(network, home, "--color", "second", "--line") as (host, link):
        began = time.perf_counter()
        sight = await browser.open(link)
        button = sight.page.get_by_role("button", name="Join the game", exact=True)
        await button.wait_for()
        loaded = time.perf_counter()
        await button.click()
        await sight.board_is_drawn()
        drawn = time.perf_counter()
        await sight.click("a7")
        clicked = time.perf_counter()
        await sight.click("b6")
        await asyncio.to_thread(host.read_until, "Red moves")
        moved = time.perf_counter() - clicked
        await sight.page.close()
    return loaded - began, drawn - loaded, drawn - began, moved


async def main(times: int) -> None:
    """Print the medians of first visits and of second ones."""
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    visits: dict[str, list[tuple[float, ...]]] = {"empty cache": [], "warm cache": []}
    async with own_network(ADDRESS) as network:
        if not network:
            print("This needs network namespaces, which Linux gives root or every user.")
            return
        for _ in range(times):
            with tempfile.TemporaryDirectory() as folder:
                async with phone(network, Path(folder, "phone")) as browser:
                    for cache, taken in visits.items():
                        taken.append(await visit(network, browser, Path(folder, cache)))
    for at, (cache, taken) in enumerate(visits.items()):
        for (what, aims), seconds in zip(AIMS.items(), zip(*taken, strict=True), strict=True):
            aim = "" if aims is None else f"; aim: at most {aims[at]:g} s"
            print(
                f"{cache}, {what:14} {statistics.median(seconds):6.2f} s   "
                f"(median of {times}; {min(seconds):.2f} to {max(seconds):.2f} s{aim})"
            )


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
