"""The board on phones and under the hand: what fits, what is drawn, heard and pressed."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import expect

from ataxxd.rules import Side
from ataxxd.session.events import Seat
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes
from tests.web.browser import Sight, chromium, local_table, needs_chromium, shown
from tests.web.test_display_command import link_of

pytestmark = [needs_chromium]
BOTH = dict.fromkeys(Side, Seat.HUMAN)
_SCREENS = [(390, 844), (320, 568), (844, 390), (568, 320)]
_LIFTED = re.compile(r"\blifted\b")
# Somebody who looks elsewhere; what the browser's own notices say.
_AWAY = """
    window.notices = [];
    Document.prototype.hasFocus = () => false;
    const Notice = Notification;
    window.Notification = class extends Notice {
        constructor(text, options) {
            super(text, options);
            window.notices.push(text);
        }
    };
"""
# What is sounded, while the browser's own sound does it.
_HEAR = """
    window.pitches = [];
    const Tone = OscillatorNode;
    window.OscillatorNode = class extends Tone {
        constructor(context, options) {
            super(context, options);
            window.pitches.push(options.frequency);
        }
    };
"""


@asynccontextmanager
async def a_board(
    folder: Path, ruleset: str = "ataxx/cs61b-2022", *, width: int = 1280, height: int = 800
) -> AsyncIterator[Sight]:
    """A board for two people at one screen."""
    table = local_table(ruleset, seats=BOTH)
    async with (
        shown(table) as (_, auth, _),
        chromium(folder, width=width, height=height) as browser,
    ):
        await browser.context.add_init_script(_HEAR)
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        yield sight


# Whether of some elements of each player none covers another.
_APART = """selectors => [...document.querySelectorAll(".player")].every(player => {
    const boxes = selectors.map(each => player.querySelector(each).getBoundingClientRect());
    return boxes.every((a, at) => boxes.slice(at + 1).every(b =>
        a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top));
})"""


# Whether all that is to be seen of the bar stands beside its title.
_ONE_LINE = """() => {
    const boxes = [...document.querySelectorAll(".bar > *")].map(e => e.getBoundingClientRect());
    return boxes.every(e => e.height === 0 || (e.top < boxes[0].bottom && e.bottom > boxes[0].top));
}"""


@pytest.mark.parametrize(("width", "height"), _SCREENS)
async def test_on_a_phone_no_part_of_a_player_covers_another_and_the_bar_is_one_line(
    tmp_path: Path, width: int, height: int
) -> None:
    async with a_board(tmp_path, "checkers/acf", width=width, height=height) as sight:
        await expect(sight.page.locator("#connection")).to_have_text("connected")
        assert await sight.page.evaluate(_APART, [".icon", ".who", ".pieces"])
        assert await sight.page.evaluate(_ONE_LINE)


@pytest.mark.gate
@pytest.mark.parametrize(("width", "height"), _SCREENS)
async def test_the_whole_board_is_on_the_screen_of_a_phone_and_says_whose_turn_it_is(
    tmp_path: Path, width: int, height: int
) -> None:
    async with a_board(tmp_path, width=width, height=height) as sight:
        board = await sight.page.locator("#board svg").bounding_box()
        assert board is not None
        assert board["x"] >= 0
        assert board["y"] >= 0
        assert board["x"] + board["width"] <= width
        assert board["y"] + board["height"] <= height
        overflow = "() => document.documentElement.scrollWidth - innerWidth"
        assert await sight.page.evaluate(overflow) <= 0
        await expect(sight.page.locator(".player.acting .state")).to_have_text("to move")
        await expect(sight.page.locator(".player.acting .state")).to_be_in_viewport()


async def test_circles_and_arrows_are_drawn_by_the_right_button(tmp_path: Path) -> None:
    async with a_board(tmp_path) as sight:
        page = sight.page
        circle, arrow = page.locator(".notes .circle"), page.locator(".notes .arrow")

        async def draws(start: str, end: str) -> None:
            await page.hover(f'[data-square="{start}"]')
            await page.mouse.down(button="right")
            await page.hover(f'[data-square="{end}"]')
            await page.mouse.up(button="right")

        await draws("d4", "d4")
        await expect(circle).to_have_count(1)
        await draws("a1", "d4")
        await expect(arrow).to_have_count(1)
        await draws("d4", "d4")
        await expect(circle).to_have_count(0)
        await sight.click("a7")
        await expect(arrow).to_have_count(0)


async def test_arrow_keys_step_through_the_moves_and_f_turns_the_board(tmp_path: Path) -> None:
    async with a_board(tmp_path) as sight:
        page = sight.page
        await sight.click("a7")
        await sight.click("b6")
        await sight.makes_a_move(0)
        await page.evaluate("() => document.activeElement.blur()")
        await page.keyboard.press("ArrowLeft")
        await sight.hears("Move 0 of 1")
        await page.keyboard.press("ArrowRight")
        await sight.hears("Back in the game")
        before = await page.locator('[data-square="a1"]').bounding_box()
        await page.keyboard.press("f")
        after = await page.locator('[data-square="a1"]').bounding_box()
        assert before != after
        # In a field these are letters.
        await page.fill("#typed-move", "")
        await page.type("#typed-move", "f")
        assert await page.input_value("#typed-move") == "f"
        assert await page.locator('[data-square="a1"]').bounding_box() == after


async def test_a_piece_from_which_one_grows_stays_on_its_square_while_it_is_dragged(
    tmp_path: Path,
) -> None:
    async with a_board(tmp_path) as sight:
        page = sight.page
        piece = page.locator('[data-piece="a7"]')
        await page.hover('[data-square="a7"]')
        await page.mouse.down()
        await page.hover('[data-square="b6"]')
        await expect(piece).not_to_have_class(_LIFTED)
        await page.hover('[data-square="c5"]')
        await expect(piece).to_have_class(_LIFTED)
        await page.mouse.up()
        await sight.hears("Red plays a7c5.")


async def test_moves_captures_and_the_end_are_heard_and_the_switch_silences_them(
    tmp_path: Path,
) -> None:
    async with a_board(tmp_path) as sight:

        async def heard() -> list[int]:
            return list(await sight.page.evaluate("() => window.pitches.splice(0)"))

        await sight.click("a7")
        await sight.click("b6")
        await sight.makes_a_move(0)
        assert await heard() == [330]
        await sight.press("Resign")
        await sight.press("Yes")
        await expect(sight.page.locator("#banner")).to_be_visible()
        assert await heard() == [523, 659, 784]
        await sight.press("Sound")
        await sight.press("New game")
        await sight.until("() => document.querySelectorAll('#moves li').length === 0")
        await sight.click("a7")
        await sight.click("b6")
        await sight.makes_a_move(0)
        assert await heard() == []


async def test_the_board_and_the_pieces_are_chosen_and_kept(tmp_path: Path) -> None:
    cell = "() => getComputedStyle(document.querySelector('.board .cell')).fill"
    ring = "() => getComputedStyle(document.querySelector('.piece.second .body')).strokeWidth"
    async with a_board(tmp_path) as sight:
        page = sight.page
        usual = await page.evaluate(cell), await page.evaluate(ring)
        await sight.press("Help")
        await page.select_option("#look-board", "wood")
        await page.select_option("#look-pieces", "rings")
        await sight.is_accessible()
        await page.reload()
        await sight.board_is_drawn()
        chosen = await page.evaluate(cell), await page.evaluate(ring)
        assert chosen == ("rgb(168, 113, 63)", "14px")
        assert chosen[0] != usual[0]
        assert chosen[1] != usual[1]


async def test_a_person_who_looks_elsewhere_is_notified_when_their_turn_comes(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    nodes = Nodes(tmp_path, mosquitto.url)
    try:
        host = await nodes.node("host").host("ourgame", "--display")
        guest = await nodes.node("guest").start("join", "ourgame", "--display")
        async with chromium(tmp_path / "browser") as browser:
            await browser.context.grant_permissions(["notifications"])
            await browser.context.add_init_script(_AWAY)
            red = await browser.open(await link_of(host))
            blue = await browser.open(await link_of(guest))
            for sight in (red, blue):
                await sight.board_is_drawn()
            await blue.press("Help")
            await blue.page.get_by_label("Notify me").check()
            await blue.press("Close")
            await red.click("a7")
            await red.click("b6")
            await blue.until("() => window.notices.length > 0")
            assert await blue.page.evaluate("() => window.notices") == ["It is your turn"]
            # Who has not asked for it is not told.
            await blue.click("a1")
            await blue.click("a2")
            await red.makes_a_move(1)
            assert await red.page.evaluate("() => window.notices") == []
    finally:
        await nodes.close()


async def test_a_person_who_looks_elsewhere_is_notified_before_the_opponent_may_claim(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    nodes = Nodes(tmp_path, mosquitto.url)
    try:
        host = await nodes.node("host").host("ourgame", "--display", "--grace", "4s")
        guest = await nodes.node("guest").start("join", "ourgame", "--display")
        async with chromium(tmp_path / "browser") as browser:
            await browser.context.grant_permissions(["notifications"])
            await browser.context.add_init_script(_AWAY)
            await browser.context.add_init_script("localStorage.setItem('notify', 'on')")
            red = await browser.open(await link_of(host))
            blue = await browser.open(await link_of(guest))
            for sight in (red, blue):
                await sight.board_is_drawn()
            await red.click("a7")
            await red.click("b6")
            await blue.until("() => window.notices.length > 1")
            assert await blue.page.evaluate("() => window.notices") == [
                "It is your turn",
                "Move within 1s, or your opponent may claim the game.",
            ]
            await expect(blue.page).to_have_title(re.compile("^Move soon "))
    finally:
        await nodes.close()
