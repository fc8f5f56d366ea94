"""The page that is a node, by keyboard alone: axe finds no fault from its first page to a study."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.interop.browser_peer import needs_browser_peer
from tests.web.browser import Sight, firefox, needs_chromium, needs_firefox
from tests.web.test_accessibility import LAPTOP, PHONE
from tests.web.test_page_without_a_program import Place, place

pytestmark = [needs_chromium, needs_browser_peer]
__all__ = ["place"]  # a fixture


async def press(sight: Sight, button: str) -> None:
    """Tab to a button and press it."""
    await sight.tab_to(button)
    await sight.page.keyboard.press("Enter")


async def type_into(sight: Sight, field: str, text: str) -> None:
    """Tab to a field and fill it."""
    await sight.tab_to_field(field)
    await sight.page.keyboard.press("Control+a")
    await sight.page.keyboard.type(text)


async def looks(sight: Sight, scheme: str, size: tuple[int, int]) -> None:
    """Have a page light or dark, and of a size."""
    await sight.page.set_viewport_size({"width": size[0], "height": size[1]})
    await sight.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]


@pytest.mark.gate("light")
@pytest.mark.parametrize(("scheme", "size"), [("light", LAPTOP), ("dark", PHONE)])
async def test_a_game_is_hosted_joined_played_and_studied_by_keyboard_and_axe_finds_no_fault(
    place: Place, scheme: str, size: tuple[int, int]
) -> None:
    ana, bert = await place.browser("ana"), await place.browser("bert")
    host = await ana.open(place.page)
    await looks(host, scheme, size)
    await host.is_accessible()
    await host.tab_to_field("color")
    await host.page.keyboard.type("first")
    await expect(host.page.locator("#color")).to_have_value("first")
    # What cannot be used is explained.
    await type_into(host, "broker", "ws://user:word@127.0.0.1:1/")
    await press(host, "Get a link")
    await expect(host.page.locator("#says[data-look=error]")).to_contain_text("A link cannot name")
    await host.is_accessible()
    await type_into(host, "broker", place.broker.websocket_url)
    await press(host, "Get a link")
    link = await host.page.locator("#join code").inner_text()
    await place.has_the_offer(link)
    await host.is_accessible()  # it waits for a guest

    guest = await bert.open(link)
    await looks(guest, scheme, size)
    await expect(guest.page.locator("#joining")).to_be_visible()
    await guest.is_accessible()
    await press(guest, "Join the game")
    await guest.board_is_drawn()
    await host.board_is_drawn()
    await host.until("() => document.title.startsWith('●')")
    await host.tab_to_the_board()
    await host.walk_and_press((await host.squares("can move"))[0])
    await host.is_accessible()  # a piece is chosen
    await host.walk_and_press((await host.squares(" clone here"))[0])
    await guest.makes_a_move(0)
    await press(host, "Ask for takeback")
    await expect(guest.page.locator("#request")).to_be_visible()
    await guest.is_accessible()
    await press(guest, "No")
    await press(guest, "Resign")
    await guest.is_accessible()  # the question whether one is sure
    await press(guest, "Yes")
    for sight in (host, guest):
        await sight.is_over()
        await sight.is_accessible()
    await press(guest, "Study this game")
    await expect(guest.page.locator(".verdict-words")).not_to_be_empty()
    await guest.is_accessible()


async def test_a_table_that_cannot_be_shown_says_so_and_axe_finds_no_fault(place: Place) -> None:
    ana = await place.browser("ana")
    for scheme in ("light", "dark"):
        sight = await ana.open(f"{place.page.replace('index', 'table')}#{'a' * 64}")
        await looks(sight, scheme, PHONE)
        await sight.reads("This browser does not have this game")
        await expect(sight.page.get_by_role("link", name="Go to the first page")).to_be_visible()
        await sight.is_accessible()


@needs_firefox
@pytest.mark.parametrize("dark", [False, True])
async def test_axe_finds_no_fault_on_the_first_page_in_firefox(
    place: Place, tmp_path: Path, dark: bool
) -> None:
    async with firefox(tmp_path / "firefox", dark=dark) as browser:
        sight = await browser.open(place.page)
        wanted = "(prefers-color-scheme: dark)"
        assert await sight.page.evaluate("query => matchMedia(query).matches", wanted) is dark
        await sight.until("() => document.querySelector('#ruleset').length > 0")
        await sight.is_accessible()
