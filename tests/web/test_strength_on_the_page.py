"""A person's strength by the results against the engine's levels, on a page without a program."""

import json
from pathlib import Path

import pytest
from playwright.async_api import expect

from ataxxd.node.level_games import FEWEST_GAMES, Result, describe_estimate, estimate
from ataxxd.node.local_game import EARLY_MOVES
from ataxxd.rules import Position
from tests.interop.browser_peer import needs_browser_peer
from tests.web.browser import Browser, Sight, chromium, needs_chromium
from tests.web.test_page_storage import loads, saved
from tests.web.test_page_with_the_engine import GAMES, begins, browser, plays_some_move
from tests.web.test_page_without_a_program import served_page

pytestmark = [needs_chromium, needs_browser_peer]
__all__ = ["browser"]  # a fixture


async def resigns_after(sight: Sight, ruleset: str, plies: int) -> None:
    """Play some moves against the engine, from the beginning, and resign."""
    position = Position.start(ruleset)
    while len(moves := await sight.moves()) < plies:
        position = Position.start(ruleset)
        for move in moves:
            position = position.play(position.parse_move(move))
        await plays_some_move(sight, position)
        await sight.makes_a_move(len(moves) + 1)
    await sight.press("Resign")
    await sight.press("Yes")
    await expect(sight.page.locator("#banner")).to_contain_text("resigned")


async def results(sight: Sight) -> list[dict[str, int]]:
    """The results against the engine's levels in reversi that the page keeps."""
    kept = await sight.page.evaluate("() => localStorage.getItem('ataxxd.levels')")
    found: list[dict[str, int]] = json.loads(kept or "{}").get("reversi", [])
    return found


@pytest.mark.gate
async def test_the_page_estimates_a_persons_strength_after_five_games(
    browser: Browser, tmp_path: Path
) -> None:
    reversi = GAMES["reversi"]
    with served_page() as address:
        sight = await browser.open(address)
        strength = sight.page.locator("#strength")
        for game in range(FEWEST_GAMES):
            await expect(strength).to_be_hidden()
            await begins(sight, reversi, level=1)
            await resigns_after(sight, reversi, EARLY_MOVES)
            if game < FEWEST_GAMES - 1:
                await sight.page.goto(address)
        expected = estimate("reversi", [Result(1, 0)] * FEWEST_GAMES)
        assert expected is not None
        await sight.hears(describe_estimate(expected))
        # A game counts once, however often it is shown or ended again.
        await sight.page.reload()
        await sight.board_is_drawn()
        await sight.press("Undo")
        await sight.press("Resign")
        await sight.press("Yes")
        await expect(sight.page.locator("#banner")).to_contain_text("resigned")
        # With help, or after a few moves, it does not count.
        await sight.press("New game")
        await sight.until("() => document.querySelectorAll('#moves li').length === 0")
        await sight.press("Hint")
        await sight.hears("The engine would play")
        await resigns_after(sight, reversi, EARLY_MOVES)
        await sight.press("New game")
        await sight.until("() => document.querySelectorAll('#moves li').length === 0")
        await resigns_after(sight, reversi, EARLY_MOVES - 2)
        assert len(await results(sight)) == FEWEST_GAMES
        await sight.page.goto(address)
        await sight.page.select_option("#engine-ruleset", reversi)
        await expect(strength).to_have_text(describe_estimate(expected))
        await sight.is_accessible()
        await sight.page.select_option("#engine-ruleset", GAMES["loa"])
        await expect(strength).to_be_hidden()
        # A saved copy brings the results to another device.
        file = await saved(sight, tmp_path)
        async with chromium(tmp_path / "phone", width=390, height=844) as phone:
            there = await phone.open(address)
            await there.page.select_option("#engine-ruleset", reversi)
            for _ in range(2):
                await loads(there, file)
                await expect(there.page.locator("#strength")).to_have_text(
                    describe_estimate(expected)
                )
            assert await results(there) == await results(sight)
