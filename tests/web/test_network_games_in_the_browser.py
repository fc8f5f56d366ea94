"""Two pages play each other through Mosquitto, and a third one watches."""

from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes
from tests.web.browser import chromium, needs_chromium
from tests.web.test_display_command import link_of

pytestmark = [needs_chromium, pytest.mark.timeout(120), pytest.mark.slow]
# Three squares are free.
NEAR_THE_END = "xxxxxx1/xxxxxxo/xxxxxxx/xxxxxxx/ooooooo/ooooooo/1ooooo1 x 0 1"


async def test_a_game_with_talk_and_a_takeback_is_played_and_watched_in_three_pages(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    nodes = Nodes(tmp_path, mosquitto.url)
    try:
        record = tmp_path / "record.json"
        host = await nodes.node("host").host(
            "ourgame", "--display", "--clock", "10m", "--position", NEAR_THE_END,
            "--transcript", record,
        )  # fmt: skip
        guest = await nodes.node("guest").start("join", "ourgame", "--display")
        async with chromium(tmp_path / "browser") as browser:
            red = await browser.open(await link_of(host))
            blue = await browser.open(await link_of(guest))
            watching = await nodes.node("looker").start("watch", "ourgame", "--display")
            looker = await browser.open(await link_of(watching))
            for sight in (red, blue, looker):
                await sight.board_is_drawn()
            assert "ourgame" in await red.page.title()
            assert (await red.page.locator(".clock").first.inner_text()).startswith(("10:00", "9:"))

            await red.page.fill("#say-text", "Good luck!")
            await red.press("Say")
            await blue.until("() => document.querySelector('#said').textContent.includes('Good')")

            await blue.click("g6")
            await blue.hears("It is Red's turn.")
            await red.click("f7")
            await red.click("g7")
            for sight in (blue, looker):
                await sight.hears("Red plays")
            await red.press("Ask for takeback")
            await blue.press("Agree")
            for sight in (red, blue, looker):
                await sight.until("() => document.querySelectorAll('#moves li').length === 0")
                assert "empty" in await sight.label("g7")

            await red.click("f7")
            await red.click("g7")
            await blue.until("() => document.title.startsWith('●')")
            await blue.click("b1")
            await blue.click("a1")
            await red.until("() => document.querySelectorAll('#moves li').length === 2")
            await red.press("Resign")
            await red.press("Yes")
            for sight in (red, blue, looker):
                await sight.until("() => !document.querySelector('#banner').hidden")
                assert "resigned" in await sight.page.inner_text("#banner")
                await sight.press("Leave")
        await host.ends()
        await guest.ends()
        await watching.ends()
        await nodes.node("judge").run("verify", record)
    finally:
        await nodes.close()


async def test_lines_for_programs_and_a_page_for_people_exclude_each_other(tmp_path: Path) -> None:
    nodes = Nodes(tmp_path, None)
    try:
        refused = await nodes.node("looker").run(
            "watch", "ourgame", "--display", "--json", code=ExitCode.USAGE
        )
        assert "choose one" in str(refused.err)
    finally:
        await nodes.close()
