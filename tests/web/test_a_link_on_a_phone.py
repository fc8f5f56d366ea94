"""A host at a terminal, and a phone that scans its link: nothing is installed there."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.e2e.namespaces import own_network
from tests.interop.browser_peer import needs_browser_peer
from tests.web.browser import needs_chromium
from tests.web.phone import ADDRESS, hosting, phone

pytestmark = [needs_chromium, needs_browser_peer]


@pytest.mark.gate
async def test_a_phone_scans_the_link_and_makes_the_first_move(tmp_path: Path) -> None:
    async with own_network(ADDRESS) as network:
        if not network:
            pytest.skip("no network namespaces here")
        with hosting(network, tmp_path / "host", "--color", "second", "--line") as (host, link):
            assert link in host.text
            async with phone(network, tmp_path / "phone") as browser:
                sight = await browser.open(link)
                await sight.press("Join the game")
                await sight.board_is_drawn()
                await sight.page.tap('[data-square="a7"]')
                await sight.page.tap('[data-square="b6"]')
                await sight.makes_a_move(0)
                host.read_until("b6")


async def test_a_phone_shows_who_plays_beside_the_clocks_and_asks_nothing_when_all_is_over(
    tmp_path: Path,
) -> None:
    async with own_network(ADDRESS) as network:
        if not network:
            pytest.skip("no network namespaces here")
        with hosting(network, tmp_path / "host", "--clock", "5+3", "--line") as (host, link):
            async with phone(network, tmp_path / "phone") as browser:
                sight = await browser.open(link)
                await sight.press("Join the game")
                await sight.board_is_drawn()
                assert "guest" not in await sight.says()
                for seat in await sight.page.locator(".player .seat").all():
                    await expect(seat).to_be_visible()
                await expect(sight.page.locator("#players")).to_contain_text("you")
                await sight.press("Resign")
                await expect(sight.page.locator("#sure")).to_be_visible()
                host.read_until("has joined")
                host.type(b"abort\r")
                await sight.is_over()
                await expect(sight.page.locator("#sure")).to_be_hidden()
