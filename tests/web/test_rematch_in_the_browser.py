"""A rematch agreed to on two pages, which stay the same pages, and so does that of who looks on."""

import re
from pathlib import Path

from playwright.async_api import expect

from ataxxd.session.record import Standing, verify_record
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes
from tests.web.browser import chromium, needs_chromium
from tests.web.test_display_command import link_of

pytestmark = [needs_chromium]


async def test_the_button_asks_and_agrees_and_the_sides_are_swapped(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    nodes = Nodes(tmp_path, mosquitto.url)
    try:
        record = tmp_path / "record.json"
        host = await nodes.node("host").start(
            "host", "ourgame", "--display", "--transcript", record
        )
        await host.says("Waiting for a guest")
        guest = await nodes.node("guest").start("join", "ourgame", "--display")
        async with chromium(tmp_path / "browser") as browser:
            one = await browser.open(await link_of(host))
            other = await browser.open(await link_of(guest))
            watching = await nodes.node("looker").start("watch", "ourgame", "--display")
            looker = await browser.open(await link_of(watching))
            for sight in (one, other, looker):
                await sight.board_is_drawn()
            await one.click("a7")
            await one.click("b6")
            await other.makes_a_move(0)
            await other.press("Resign")
            await other.press("Yes")
            for sight in (one, other):
                await sight.is_over()
            await one.tells("Good game!")
            for sight in (one, other, looker):
                await expect(sight.lines()).to_contain_text(["Good game!"])
            await other.press("Rematch")
            await other.hears("You have asked for a rematch; your opponent must agree.")
            await one.hears("Your opponent would like a rematch")
            await one.press("Rematch")
            await one.hears("A new game begins; you play Blue.")
            await other.hears("A new game begins; you play Red.")
            await looker.hears("A new game begins.")
            for sight in (one, other, looker):
                await sight.until("() => document.querySelector('#banner').hidden")
                assert await sight.moves() == []
            await other.click("a7")
            await other.click("a6")
            await looker.hears("Red plays")
            await one.makes_a_move(0)
            await one.press("Resign")
            await one.press("Yes")
            for sight in (one, other):
                await sight.is_over()
            await one.press("Leave")
            # The result stays where it was told.
            await expect(other.page.locator("#says")).to_have_text(
                re.compile(r"resigned\. Your opponent has left\.")
            )
            await other.press("Leave")
            await host.ends()
            await guest.ends()
        for name in ("record.json", "record-2.json"):
            assert verify_record((tmp_path / name).read_bytes()).standing is Standing.AGREED
    finally:
        await nodes.close()
