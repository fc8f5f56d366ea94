"""A person plays an event on the page: a page for each game, and no rematch."""

from pathlib import Path

from playwright.async_api import expect

from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes
from tests.e2e.test_events import WEAK_ENGINE, check_archives, planned
from tests.web.browser import chromium, needs_chromium
from tests.web.test_display_command import link_of

pytestmark = [needs_chromium]


async def test_each_round_has_its_page_and_the_event_goes_on_without_a_click(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    nodes = Nodes(tmp_path, mosquitto.url)
    try:
        host, person, engine = (nodes.node(name) for name in ("host", "person", "engine"))
        await planned(host, [person, engine], "--rounds", "2")
        hosting = await host.start("event", "run", "open")
        playing = await person.start("event", "play", "open", "--display")
        other = await engine.start("event", "play", "open", *WEAK_ENGINE)
        async with chromium(tmp_path / "browser") as browser:
            link, seen = await link_of(playing), 0
            for number in (1, 2):
                sight = await browser.open(link)
                await sight.board_is_drawn()
                assert f"open-r{number}-b1" in await sight.page.title()
                await sight.press("Resign")
                await sight.press("Yes")
                await expect(sight.page.locator("#banner")).to_contain_text("resigned")
                assert await sight.page.get_by_role("button", name="Rematch").count() == 0
                if number == 1:
                    # This page lasts until the next game has begun, or is left before.
                    seen = len(playing.err.lines)
                    await sight.hears("The event goes on, and its next game opens by itself.")
                    link = (await playing.says("Open: http://127.0.0.1:", seen)).split("Open: ")[1]
                else:
                    await sight.press("Leave")
        for each in (playing, other, hosting):
            await each.ends()
        check_archives(host, [person, engine])
    finally:
        await nodes.close()
