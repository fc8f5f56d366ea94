"""What axe makes of the page in each of its states, light and dark, wide and narrow."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from ataxxd.rules import Side
from ataxxd.session.events import Seat
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes
from tests.web.browser import chromium, local_table, needs_chromium, shown
from tests.web.test_display_command import link_of

pytestmark = [needs_chromium]
BOTH = dict.fromkeys(Side, Seat.HUMAN)
LAPTOP, PHONE = (1366, 768), (390, 844)


@pytest.mark.gate("ataxx/cs61b-2022-light")
@pytest.mark.parametrize(
    ("ruleset", "scheme", "size"),
    [
        ("ataxx/cs61b-2022", "light", LAPTOP),
        ("ataxx/cs61b-2022", "dark", PHONE),
        ("checkers/cs61b-2004", "light", PHONE),
        ("checkers/cs61b-2004", "dark", LAPTOP),
        ("reversi/standard", "dark", PHONE),
        ("loa/cs61b", "light", LAPTOP),
    ],
)
async def test_axe_finds_no_fault_from_the_first_move_to_the_end(
    ruleset: str, scheme: str, size: tuple[int, int], tmp_path: Path
) -> None:
    table = local_table(ruleset, moves=4, seats=BOTH)
    width, height = size
    async with (
        shown(table) as (_, auth, _),
        chromium(tmp_path, width=width, height=height, options={"color_scheme": scheme}) as browser,
    ):
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await sight.is_accessible()
        # A piece is chosen, and a refusal shown.
        chosen = await sight.squares("can move")
        if ruleset != "reversi/standard":
            await sight.click(chosen[0])
        await sight.page.get_by_label("Type a move").fill("1-1")
        await sight.page.get_by_label("Type a move").press("Enter")
        await expect(sight.page.locator("#says[data-look=error]")).to_be_visible()
        await sight.is_accessible()
        await sight.press("Help")
        await sight.is_accessible()
        await sight.press("Close")
        await sight.press("First position")
        await sight.hears("Move 0 of 4")
        await sight.is_accessible()
        await sight.press("Back to the game")
        await sight.press("Resign")
        await sight.is_accessible()  # the question whether one is sure
        await sight.press("Yes")
        await expect(sight.page.locator("#banner")).to_be_visible()
        await sight.is_accessible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_no_fault_in_a_network_game_with_talk_and_requests(
    scheme: str, mosquitto: Mosquitto, tmp_path: Path
) -> None:
    nodes = Nodes(tmp_path, mosquitto.url)
    try:
        host = await nodes.node("host").host("ourgame", "--display", "--clock", "10m")
        guest = await nodes.node("guest").start("join", "ourgame", "--display")
        async with chromium(
            tmp_path / "browser", width=390, height=844, options={"color_scheme": scheme}
        ) as browser:
            red = await browser.open(await link_of(host))
            blue = await browser.open(await link_of(guest))
            await blue.board_is_drawn()
            # A move made beforehand, what was said, a speaker who is muted, a request.
            await blue.click("a1")
            await blue.click("a2")
            await blue.hears("will be played")
            covered = await blue.page.evaluate(
                """() => [...document.querySelectorAll('.player')].flatMap(player => {
                    const parts = [...player.querySelectorAll('strong, .clock, .pieces, .icon')];
                    const boxes = parts.map(part => part.getBoundingClientRect());
                    return boxes.filter((a, i) => boxes.some((b, j) => i < j && a.left < b.right
                        && b.left < a.right && a.top < b.bottom && b.top < a.bottom));
                })"""
            )
            assert covered == []
            await red.tells("Good luck!")
            await expect(blue.lines()).to_have_count(1)
            await blue.page.get_by_text("Let others watch").click()
            await blue.is_accessible()
            await blue.page.locator("#said .mute").click()
            await expect(blue.page.get_by_text("Hear Red again")).to_be_visible()
            await blue.is_accessible()
            await red.click("a7")
            await red.click("b6")
            await red.makes_a_move(1)
            await red.press("Ask for takeback")
            await expect(blue.page.locator("#request")).to_be_visible()
            await blue.is_accessible()
            mosquitto.kill()
            await expect(blue.page.locator("#broker")).to_be_visible()
            await blue.is_accessible()
    finally:
        await nodes.close()
