"""Whole games of each game in headless Chromium, by clicks and by keyboard alone."""

from pathlib import Path

import pytest

from ataxxd.rules import Side
from tests.web.browser import Sight, chromium, local_table, needs_chromium, shown

pytestmark = [needs_chromium, pytest.mark.timeout(120)]
GAMES = ["ataxx/cs61b-2022", "reversi/standard", "checkers/cs61b-2004", "loa/cs61b"]
# What a player who wants to come to an end prefers.
WISHES = (" capture here", " place here", " clone here", " move here")


async def reachable(sight: Sight) -> str:
    for wish in WISHES:
        if squares := await sight.squares(wish):
            return squares[len(squares) // 2]
    raise AssertionError(await sight.says())


async def click_a_move(sight: Sight, number: int) -> None:
    """Choose a piece and where it goes, until the move is made."""
    before = len(await sight.moves())
    if not await sight.squares(" place here"):
        movable = await sight.squares("can move")
        await sight.click(movable[number % len(movable)])
    for chosen in range(1, 13):
        await sight.click(await reachable(sight))
        await sight.until(
            f"() => document.querySelectorAll('#moves li').length > {before}"
            f" || document.querySelectorAll('[aria-selected=true]').length > {chosen}"
        )
        if len(await sight.moves()) > before:
            return
    raise AssertionError(await sight.says())


async def walk_to(sight: Sight, square: str) -> None:
    """Press arrow keys until the focus is on a square."""
    for _ in range(20):
        here, there = await sight.page.evaluate(
            """square => [
                document.activeElement,
                document.querySelector(`[data-square="${square}"]`),
            ].map(e => { const r = e.getBoundingClientRect(); return [r.x, r.y, r.width]; })""",
            square,
        )
        across, down = (round((there[axis] - here[axis]) / there[2]) for axis in (0, 1))
        if not across and not down:
            return
        key = ("ArrowRight" if across > 0 else "ArrowLeft") if across else ""
        await sight.page.keyboard.press(key or ("ArrowDown" if down > 0 else "ArrowUp"))
        if across and down:
            await sight.page.keyboard.press("ArrowDown" if down > 0 else "ArrowUp")
    raise AssertionError(f"{square} was not reached")


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", GAMES)
async def test_a_whole_game_is_played_by_clicks_alone(ruleset: str, tmp_path: Path) -> None:
    table = local_table(ruleset)
    async with shown(table) as (_, gate, _), chromium(tmp_path) as browser:
        sight = await browser.open(gate.link())
        await sight.board_is_drawn()
        for number in range(200):
            match await sight.turn_or_end():
                case "over":
                    break
                case "pass":
                    before = len(await sight.moves())
                    await sight.press("Pass")
                    await sight.makes_a_move(before)
                case "draw":
                    await sight.press("Accept")
                    await sight.until("() => document.querySelector('#request').hidden")
                case _:
                    await click_a_move(sight, number)
        assert table.outcome is not None
        names = {Side.FIRST: 0, Side.SECOND: 1}
        banner = await sight.page.locator("#banner").inner_text()
        assert ("Nobody wins" if table.outcome.winner is None else "wins") in banner
        assert len(await sight.moves()) == len(table.moves)
        counts = await sight.page.locator("#players .pieces").all_inner_texts()
        assert [int(counts[names[side]]) for side in Side] == [*table.position.counts]


@pytest.mark.slow
async def test_a_whole_game_is_played_by_keyboard_alone(tmp_path: Path) -> None:
    table = local_table("reversi/standard")
    async with shown(table) as (_, gate, _), chromium(tmp_path) as browser:
        sight = await browser.open(gate.link())
        await sight.board_is_drawn()
        while not await sight.page.evaluate("document.activeElement.dataset.square"):
            await sight.page.keyboard.press("Tab")
        for _ in range(100):
            state = await sight.turn_or_end()
            if state == "over":
                break
            before = len(await sight.moves())
            if state == "pass":
                await sight.page.keyboard.press("Tab")
                await sight.page.keyboard.press("Enter")
                await sight.page.keyboard.press("Shift+Tab")
            else:
                await walk_to(sight, (await sight.squares(" place here"))[0])
                await sight.page.keyboard.press("Enter")
            await sight.makes_a_move(before)
        assert table.outcome is not None
