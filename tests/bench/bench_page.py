"""The page of `--display`: the first board, a click until its move is shown, and its size.

Times are the browser's own, in headless Chromium beside a real program: the first board from
the request of the page, with an empty cache, to the frame that shows it; a move from the
release of the button to the frame that shows it. What else the machine does counts, so the
load is printed too.

Run with ``python -m tests.bench.bench_page [RUNS]``.
"""

import asyncio
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ataxxd.rules import Position
from ataxxd_clients.text.games import line_language
from tests.e2e.nodes import Nodes
from tests.web.browser import Browser, Sight, chromium
from tests.web.test_display_command import link_of

RULESETS = ("ataxx/cs61b-2022", "reversi/standard", "checkers/cs61b-2004", "loa/cs61b")
MOVES = 12

# The frame after a change has been made is the one that shows it.
FIRST_BOARD = """() => new Promise(shown => {
    const look = () => performance.getEntriesByName("first board").length
        ? requestAnimationFrame(() => shown(performance.now()))
        : requestAnimationFrame(look);
    look();
})"""
WATCH_CLICKS = """() => {
    window.times = [];
    let released = 0;
    addEventListener("pointerup", () => { released = performance.now(); }, true);
    new MutationObserver(() => requestAnimationFrame(() => {
        window.times.push(performance.now() - released);
    })).observe(document.querySelector("#moves"), { childList: true });
}"""
SENT = """() => [performance.getEntriesByType("navigation")[0],
    ...performance.getEntriesByType("resource")].map(each => each.transferSize)"""


async def load(browser: Browser, link: str) -> tuple[float, list[int], Sight]:
    """Milliseconds to the first board, the bytes of every file, and the page."""
    page = await browser.context.new_page()
    debugger = await browser.context.new_cdp_session(page)
    await debugger.send("Network.enable")
    await debugger.send("Network.setCacheDisabled", {"cacheDisabled": True})
    await page.goto(link, wait_until="commit")
    taken = float(await page.evaluate(FIRST_BOARD))
    await page.wait_for_load_state()
    return taken, await page.evaluate(SENT), Sight(page)


async def click_through(sight: Sight, ruleset: str) -> list[float]:
    """Milliseconds from click to shown move, for each of some moves."""
    language, position = line_language(ruleset), Position.start(ruleset)
    await sight.page.evaluate(WATCH_CLICKS)
    for number in range(MOVES):
        legal = position.legal_moves
        move = legal[(5 * number) % len(legal)]
        for square in language.paths(move, position)[0]:
            await sight.click(square)
        await sight.until(f"() => window.times.length > {number}")
        position = position.play(move)
    return list(await sight.page.evaluate("window.times"))


def report(what: str, times: Sequence[float], aim: int) -> None:
    print(
        f"{what:24} {statistics.median(times):6.0f} ms   "
        f"(median of {len(times)}; {min(times):.0f} to {max(times):.0f} ms; aim: at most {aim} ms)"
    )


async def measure(ruleset: str, runs: int, folder: Path) -> list[int]:
    """Print the times of a game; the bytes of the files of its page."""
    game, nodes = ruleset.partition("/")[0], Nodes(folder, None)
    try:
        program = await nodes.node("me").start(
            "play", "--display", "--player2", "human", "--game", game
        )
        link = await link_of(program)
        async with chromium(folder / f"browser-{game}") as browser:
            loads: list[tuple[float, list[int], Sight]] = []
            # Once unmeasured: byte code and file cache.
            for address in (link, *[link.partition("?")[0]] * runs):
                if loads:
                    # A page that nobody looks at would be told of each move, too, and draw it.
                    await loads[-1][2].page.close()
                loads.append(await load(browser, address))
            clicks = await click_through(loads[-1][2], ruleset)
        report(f"{game}: first board", [taken for taken, _, _ in loads[1:]], 300)
        report(f"{game}: click to move", clicks, 50)
        return loads[-1][1]
    finally:
        await nodes.close()


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    sent: list[int] = []
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        for ruleset in RULESETS:
            sent = asyncio.run(measure(ruleset, runs, Path(folder)))
    print(f"sent for a page: {sum(sent) / 1000:.1f} kB in {len(sent)} files (aim: at most 150 kB)")


if __name__ == "__main__":
    main()
