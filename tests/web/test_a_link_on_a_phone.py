"""A host at a terminal, and a phone that scans its link: nothing is installed there."""

from pathlib import Path

import pytest

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
