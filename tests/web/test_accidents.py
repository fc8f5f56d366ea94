"""What goes wrong around a page, and what the page says and does then."""

import asyncio
from pathlib import Path

from playwright.async_api import expect

from ataxxd.rules import Side
from ataxxd.session.events import Seat
from ataxxd_clients.web.channel import MAX_CONNECTIONS
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes
from tests.web.browser import chromium, local_table, needs_chromium, shown
from tests.web.test_control_messages import receive, visit
from tests.web.test_display_command import link_of

pytestmark = [needs_chromium]
BOTH = dict.fromkeys(Side, Seat.HUMAN)


async def test_a_broker_that_is_lost_is_shown_and_the_game_goes_on_when_it_is_back(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    nodes = Nodes(tmp_path, mosquitto.url)
    try:
        host = await nodes.node("host").host("ourgame", "--display")
        guest = await nodes.node("guest").start("join", "ourgame", "--display")
        guest_link = await link_of(guest)
        watching = await nodes.node("looker").start("watch", "ourgame", "--display")
        async with chromium(tmp_path / "browser") as browser:
            red = await browser.open(await link_of(host))
            blue = await browser.open(guest_link)
            looker = await browser.open(await link_of(watching))
            for sight in (red, blue, looker):
                await sight.board_is_drawn()
                await expect(sight.page.locator("#broker")).to_be_hidden()
            mosquitto.kill()
            for sight in (red, blue, looker):
                await expect(sight.page.locator("#broker")).to_be_visible()
                await sight.hears("Connection lost")
            # What is played meanwhile waits.
            await red.click("a7")
            await red.click("b6")
            await red.hears("Red plays b6.")
            mosquitto.start()
            for sight in (red, blue, looker):
                await expect(sight.page.locator("#broker")).to_be_hidden()
                await sight.makes_a_move(0)
            await blue.click("a1")
            await blue.click("a2")
            for sight in (red, blue, looker):
                await sight.makes_a_move(1)
                assert await sight.moves() == ["b6", "a2"]
    finally:
        await nodes.close()


async def test_a_program_that_was_killed_is_called_so(tmp_path: Path) -> None:
    nodes = Nodes(tmp_path, None)
    try:
        playing = await nodes.node("me").start("play", "--display")
        async with chromium(tmp_path / "browser") as browser:
            sight = await browser.open(await link_of(playing))
            await sight.board_is_drawn()
            await playing.kill()
            await expect(sight.page.locator("#connection")).to_have_text(
                "the program does not answer"
            )
            await sight.hears("ataxxd resume or ataxxd lobby")
            await sight.click("a7")
            await sight.click("b6")
            await sight.hears("There is no connection to the table at the moment")
            browser.complaints.clear()  # Chromium's own lines on refused connections.
    finally:
        await nodes.close()


async def test_a_program_that_is_interrupted_says_goodbye(tmp_path: Path) -> None:
    table = local_table("ataxx/cs61b-2022")
    async with chromium(tmp_path) as browser:
        async with shown(table) as (_, auth, _):
            sight = await browser.open(auth.link())
            await sight.board_is_drawn()
        await sight.hears("The program has ended. This tab can be closed.")


async def test_one_page_too_many_says_so_and_comes_in_when_another_has_gone(
    tmp_path: Path,
) -> None:
    table = local_table("ataxx/cs61b-2022")
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sockets = [await visit(auth) for _ in range(MAX_CONNECTIONS)]
        await asyncio.gather(*(receive(socket, "state") for socket in sockets))
        sight = await browser.open(auth.link())
        await expect(sight.page.locator("#connection")).to_have_text("too many pages")
        await sight.hears("This table has as many pages as it can.")
        await asyncio.gather(*(socket.close() for socket in sockets))
        await sight.board_is_drawn()
        await expect(sight.page.locator("#connection")).to_have_text("connected")


async def test_a_reload_in_the_middle_of_a_long_jump_begins_the_move_again(tmp_path: Path) -> None:
    table = local_table("checkers/cs61b-2004", text="B:W6,14,32:B1,26", seats=BOTH)
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await sight.click("1")
        await sight.click("10")
        assert await sight.squares(" capture here") == ["17"]
        await sight.page.reload()
        await sight.board_is_drawn()
        assert table.moves == ()
        assert await sight.squares(" capture here") == []
        for square in ("1", "10", "17"):
            await sight.click(square)
        await sight.hears("Black plays 1x10x17 and takes 2.")


async def test_a_question_that_is_asked_again_at_once_waits_for_its_own_answer(
    tmp_path: Path,
) -> None:
    table = local_table("ataxx/cs61b-2022", moves=2, seats=BOTH)
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        # As Escape does and a quick finger, before the browser tells that it was closed.
        await sight.page.evaluate(
            """() => {
                const [begin] = [...document.querySelectorAll("#actions button")].filter(
                    button => button.textContent === "New game"
                );
                const dialog = document.querySelector("#sure");
                begin.click();
                dialog.close();
                begin.click();
            }"""
        )
        await expect(sight.page.locator("#sure")).to_be_visible()
        await sight.press("Yes")
        await sight.until("() => document.querySelectorAll('#moves li').length === 0")
