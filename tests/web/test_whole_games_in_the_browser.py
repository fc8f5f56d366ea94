"""Whole games of each game against the engine, by clicks and by keyboard alone."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from ataxxd.rules import Side
from tests.web.browser import Sight, chromium, local_table, needs_chromium, shown

pytestmark = [needs_chromium]
GAMES = ["ataxx/cs61b-2022", "reversi/standard", "checkers/cs61b-2004", "loa/cs61b"]
ENGINE = "auto@1"
# What a player who wants to come to an end prefers.
WISHES = (" capture here", " place here", " clone here", " move here")


async def reachable(sight: Sight) -> str:
    for wish in WISHES:
        if squares := await sight.squares(wish):
            return squares[len(squares) // 2]
    raise AssertionError(await sight.says())


async def make_a_move(sight: Sight, number: int, choose: Callable[[str], Awaitable[None]]) -> None:
    """Choose a piece and where it goes, until the move is made."""
    before = len(await sight.moves())
    if not await sight.squares(" place here"):
        movable = await sight.squares("can move")
        await choose(movable[number % len(movable)])
    for chosen in range(1, 13):
        await choose(await reachable(sight))
        await sight.until(
            f"() => document.querySelectorAll('#moves li').length > {before}"
            f" || document.querySelectorAll('[aria-selected=true]').length > {chosen}"
        )
        if len(await sight.moves()) > before:
            return
    raise AssertionError(await sight.says())


@pytest.mark.gate("checkers")
@pytest.mark.parametrize("ruleset", GAMES)
async def test_a_whole_game_is_played_by_clicks_alone(ruleset: str, tmp_path: Path) -> None:
    table = local_table(ruleset, bot=ENGINE)
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
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
                    await make_a_move(sight, number, sight.click)
        assert table.outcome is not None
        names = {Side.FIRST: 0, Side.SECOND: 1}
        banner = await sight.page.locator("#banner").inner_text()
        assert ("A draw" if table.outcome.winner is None else "wins") in banner
        assert len(await sight.moves()) == len(table.moves)
        counts = await sight.page.locator("#players .pieces").all_inner_texts()
        assert [int(counts[names[side]]) for side in Side] == [*table.position.counts]


async def pass_by_keyboard(sight: Sight) -> None:
    before = len(await sight.moves())
    await sight.tab_to("Pass")
    await sight.page.keyboard.press("Enter")
    await sight.makes_a_move(before)


async def test_who_can_only_pass_does_so_by_keyboard(tmp_path: Path) -> None:
    text = "XOXXXXXXXXOXXOOOXXXOOXOXXXXXOOXXXXXXXXXXXXOXOXOX-XXXXOOX-XXXXXXX X"
    table = local_table("reversi/standard", text=text)
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        assert await sight.turn_or_end() == "pass"
        await pass_by_keyboard(sight)
        assert table.moves[0].text == "--"


@pytest.mark.gate("loa")
@pytest.mark.parametrize("ruleset", GAMES)
async def test_a_whole_game_is_played_by_keyboard_alone(ruleset: str, tmp_path: Path) -> None:
    table = local_table(ruleset, bot=ENGINE)
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await sight.tab_to_the_board()
        for number in range(200):
            match await sight.turn_or_end():
                case "over":
                    break
                case "pass":
                    await pass_by_keyboard(sight)
                    await sight.tab_to_the_board()
                case "draw":
                    await sight.tab_to("Accept")
                    await sight.page.keyboard.press("Enter")
                    await sight.until("() => document.querySelector('#request').hidden")
                    await sight.tab_to_the_board()
                case _:
                    await make_a_move(sight, number, sight.walk_and_press)
        assert table.outcome is not None
        assert len(await sight.moves()) == len(table.moves)
