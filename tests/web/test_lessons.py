"""How to play, in pictures: what the engine has checked, on the page's own board."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from ataxxd.rules import Side, rulesets
from ataxxd.session.events import Seat
from tests.web.browser import chromium, local_table, needs_chromium, shown
from tools.lessons import LESSONS, PATH, as_text

BOTH = dict.fromkeys(Side, Seat.HUMAN)


def test_the_pictures_are_those_of_the_engine() -> None:
    assert PATH.read_text() == as_text(), "run: make reference"


def test_every_game_is_shown_in_three_to_five_pictures() -> None:
    shown = {ruleset.partition("/")[0]: len(steps) for ruleset, steps in LESSONS.items()}
    assert shown.keys() == {info.game for info in rulesets()}
    assert all(3 <= count <= 5 for count in shown.values())


@needs_chromium
@pytest.mark.gate("loa")
@pytest.mark.parametrize("ruleset", LESSONS)
async def test_help_shows_how_the_game_is_played(ruleset: str, tmp_path: Path) -> None:
    table = local_table(ruleset, seats=BOTH)
    async with shown(table) as (_, auth, _), chromium(tmp_path, width=390, height=844) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        squares = await sight.page.locator("[data-square]").count()
        await sight.tab_to("Help")
        await sight.page.keyboard.press("Enter")
        captions = sight.page.locator("#lesson figcaption")
        await expect(captions).to_have_text([step.text for step in LESSONS[ruleset]])
        await expect(sight.page.locator("#lesson .piece").first).to_be_visible()
        await sight.is_accessible()
        # Nothing in a picture can be reached or taken for the board that is played on.
        assert await sight.page.locator("[data-square]").count() == squares
        assert await sight.page.evaluate(
            "() => [...document.querySelectorAll('#lesson [tabindex]')]"
            ".every(cell => cell.closest('[inert]'))"
        )
        # It begins with its head, also with the pictures there already.
        for _ in range(2):
            assert await sight.page.evaluate("document.querySelector('#help').scrollTop") == 0
            await sight.press("Close")
            await sight.press("Help")
            await expect(captions.first).to_be_in_viewport()
        await sight.press("Close")
