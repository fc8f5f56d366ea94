"""What a person can do on the page besides moving, and what the page says to mistakes."""

import asyncio
import socket
from pathlib import Path

import pytest
from playwright.async_api import expect

from ataxxd.rules import Side
from ataxxd.session.events import Seat
from ataxxd_clients.web.room import Room
from ataxxd_clients.web.server import Auth, make_app, running
from tests.brokers import free_port
from tests.time_limits import DEADLINE
from tests.web.browser import chromium, local_table, needs_chromium, shown

pytestmark = [needs_chromium]
BOTH = dict.fromkeys(Side, Seat.HUMAN)


@pytest.mark.gate
async def test_an_illegal_click_is_explained_with_the_squares_that_can_be_reached(
    tmp_path: Path,
) -> None:
    table = local_table("ataxx/cs61b-2022")
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await sight.click("a7")
        await sight.click("a3")
        await sight.hears("a7-a3 is not legal: a3 is 4 rows away; the limit is 2.")
        await sight.click("d4")
        await sight.hears("d4")
        assert table.moves == ()


@pytest.mark.gate
async def test_undo_new_game_and_another_player_in_mid_game_are_on_the_page(tmp_path: Path) -> None:
    table = local_table("ataxx/cs61b-2022", seats=BOTH)
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await sight.click("a7")
        await sight.click("b6")
        await sight.hears("Red plays b6.")
        assert "Red" in await sight.label("b6")
        await sight.press("Undo")
        await sight.until("() => document.querySelectorAll('#moves li').length === 0")
        assert "empty" in await sight.label("b6")
        await sight.hears("Red to move: choose a piece.")
        await sight.press("Redo")
        await sight.makes_a_move(0)
        await sight.hears("Blue to move: choose a piece.")
        await sight.press("Undo")
        await sight.until("() => document.querySelectorAll('#moves li').length === 0")
        await sight.click("a7")
        await sight.click("b6")
        await sight.page.get_by_label("Who plays Blue").select_option("auto")
        await sight.until("() => document.querySelectorAll('#moves li').length === 2")
        assert table.seat(Side.SECOND) is Seat.AUTO
        await sight.press("New game")
        await sight.press("Yes")
        await sight.until("() => document.querySelectorAll('#moves li').length === 0")
        assert table.moves == ()


async def test_a_piece_is_dragged_to_where_it_goes(tmp_path: Path) -> None:
    table = local_table("loa/cs61b", seats=BOTH)
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await sight.page.drag_and_drop('[data-square="b1"]', '[data-square="d3"]')
        await sight.hears("Black plays b1-d3.")
        assert [move.text for move in table.moves] == ["b1-d3"]


async def test_the_board_shows_beforehand_which_pieces_a_move_turns(tmp_path: Path) -> None:
    table = local_table("reversi/standard")
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await sight.page.hover('[data-square="d3"]')
        # The new piece, and the one that would be turned.
        await expect(sight.page.locator(".ghosts > g")).to_have_count(2)
        await sight.page.hover("#players")
        await expect(sight.page.locator(".ghosts > g")).to_have_count(0)
        assert table.moves == ()


async def test_a_jump_of_several_squares_is_entered_one_by_one_and_forced_ones_are_ringed(
    tmp_path: Path,
) -> None:
    table = local_table("checkers/cs61b-2004", text="B:W6,14,32:B1,26", seats=BOTH)
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await expect(sight.page.locator(".forced")).to_have_count(1)
        await sight.click("26")
        await sight.hears("A capture is forced: 1x10x17.")
        await sight.click("1")
        await sight.click("10")
        assert await sight.squares(" capture here") == ["17"]
        await sight.click("17")
        await sight.hears("Black plays 1x10x17 and takes 2.")
        assert [move.text for move in table.moves] == ["1x10x17"]


async def test_moves_can_be_typed_and_squares_chosen_by_typing(tmp_path: Path) -> None:
    table = local_table("ataxx/cs61b-2022", seats=BOTH)
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        field = sight.page.get_by_label("Type a move")
        await field.fill("a7-d4")
        await field.press("Enter")
        await sight.hears("a7-d4 is not legal: d4 is 3 columns away")
        await field.fill("a7")
        await field.press("Enter")
        await sight.hears("a7 chosen.")
        await field.fill("a7-b6")
        await field.press("Enter")
        echo = "a7-b6 is b6: any piece beside it makes the same clone."
        await sight.hears(f"{echo} Red plays b6.")
        await field.fill("undo")
        await field.press("Enter")
        await sight.until("() => document.querySelectorAll('#moves li').length === 0")
        await field.fill("b6")
        await field.press("Enter")
        await sight.hears("Red plays b6.")
        await field.fill("undo")
        await field.press("Enter")
        await sight.until("() => document.querySelectorAll('#moves li').length === 0")


async def test_what_is_typed_while_the_answer_is_under_way_stays(tmp_path: Path) -> None:
    table = local_table("ataxx/cs61b-2022", seats=BOTH)
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await sight.page.evaluate(
            """() => {
                const field = document.querySelector("#typed-move");
                field.value = "a7-b6";
                field.form.requestSubmit();
                field.value = "a1-a2";
            }"""
        )
        await sight.hears("Red plays b6.")
        # An answer to what comes later comes after it.
        await sight.click("a2")
        await sight.hears("a2")
        assert await sight.page.input_value("#typed-move") == "a1-a2"
        await sight.page.press("#typed-move", "Enter")
        await sight.hears("Blue plays a2.")
        await expect(sight.page.locator("#typed-move")).to_have_value("")


async def test_earlier_positions_can_be_looked_at_while_the_game_waits(tmp_path: Path) -> None:
    table = local_table("reversi/standard", moves=6)
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        assert len(await sight.moves()) == 6
        await sight.press("First position")
        await expect(sight.page.locator("[data-piece]")).to_have_count(4)
        await sight.click("d3")
        await sight.hears("You are looking back.")
        await sight.press("Back to the game")
        await expect(sight.page.locator("[data-piece]")).to_have_count(10)
        assert len(table.moves) == 6


async def test_a_second_tab_sees_the_same_game_and_a_used_link_lets_no_other_browser_in(
    tmp_path: Path,
) -> None:
    table = local_table("ataxx/cs61b-2022", seats=BOTH)
    async with shown(table) as (_, auth, said), chromium(tmp_path / "one") as browser:
        link = auth.link()
        first = await browser.open(link)
        # The same browser is known by now: an old link only leads it to the board.
        second = await browser.open(link)
        await first.board_is_drawn()
        await second.board_is_drawn()
        await first.click("a7")
        await first.click("b6")
        await second.hears("Red plays b6.")
        # A move that was meant for another position is not played.
        await second.click("a1")
        await second.click("a2")
        await first.hears("Blue plays a2.")
        async with chromium(tmp_path / "two") as stranger:
            page = await stranger.context.new_page()
            answer = await page.goto(link)
            assert answer is not None
            assert answer.status == 403
            await expect(page.locator("h1")).to_have_text("This link is used up")
        assert [line for line in said if "A new link to the board" in line] == said[-1:]


async def test_a_reload_in_mid_move_comes_back_to_the_same_board(tmp_path: Path) -> None:
    table = local_table("ataxx/cs61b-2022", moves=5, seats=BOTH)
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await sight.click((await sight.squares("can move"))[0])
        await sight.page.reload()
        await sight.board_is_drawn()
        assert len(await sight.moves()) == 5
        assert await sight.squares(" here") == []


async def test_a_lost_server_is_shown_and_the_page_goes_on_when_it_is_back(tmp_path: Path) -> None:
    table = local_table("ataxx/cs61b-2022", seats=BOTH)
    room, listener = Room(table), socket.create_server(("127.0.0.1", free_port()))
    auth = Auth(listener.getsockname()[1])
    app = make_app(room, auth, print_link=str)
    async with chromium(tmp_path) as browser:
        async with running(app, listener) as server:
            sight = await browser.open(auth.link())
            await sight.board_is_drawn()
            async with sight.shows_in_passing("#connection", "connection lost, trying again"):
                for connection in [*server.server_state.connections]:
                    connection.transport.abort()
            # It finds its way back alone.
            await expect(sight.page.locator("#connection")).to_have_text("connected")
            for connection in [*server.server_state.connections]:
                connection.transport.abort()
        await expect(sight.page.locator("#connection")).to_have_text("the program does not answer")
        await sight.click("a7")
        await sight.click("b6")
        await sight.hears("There is no connection to the table at the moment")
        browser.complaints.clear()  # Chromium's own lines on refused connections.
        async with running(app, socket.create_server(("127.0.0.1", auth.port))):
            await expect(sight.page.locator("#connection")).to_have_text("connected")
            await sight.page.keyboard.press("Escape")
            await sight.click("a7")
            await sight.click("b6")
            await sight.until("() => document.querySelectorAll('#moves li').length === 1")
        # A page that is still there tries again and again, and Chromium tells of each time.
        await sight.page.close()
        browser.complaints.clear()
    assert [move.text for move in table.moves] == ["b6"]


async def test_a_page_of_a_program_that_has_ended_says_what_to_do(tmp_path: Path) -> None:
    table = local_table("ataxx/cs61b-2022", seats=BOTH)
    listener = socket.create_server(("127.0.0.1", free_port()))
    auth = Auth(listener.getsockname()[1])
    async with chromium(tmp_path) as browser:
        async with running(make_app(Room(table), auth, print_link=str), listener) as server:
            sight = await browser.open(auth.link())
            await sight.board_is_drawn()
            for connection in [*server.server_state.connections]:
                connection.transport.abort()
        # Another run of the program has the port, and other secrets.
        app = make_app(Room(table), Auth(auth.port), print_link=str)
        async with running(app, socket.create_server(("127.0.0.1", auth.port))):
            await sight.hears("Start it again and open the link it writes.")
        await sight.page.close()
        browser.complaints.clear()


@pytest.mark.parametrize("ruleset", ["ataxx/cs61b-2022", "checkers/cs61b-2004"])
async def test_on_a_phone_nothing_is_cut_off_at_the_side(ruleset: str, tmp_path: Path) -> None:
    table = local_table(ruleset, moves=8)
    async with shown(table) as (_, auth, _), chromium(tmp_path, width=360, height=740) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        cut_off = await sight.page.evaluate(
            "[...document.querySelectorAll('body *')].filter(e =>"
            " e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))"
        )
        assert cut_off == []


async def test_leaving_ends_the_program_and_the_page_says_so(tmp_path: Path) -> None:
    table = local_table("ataxx/cs61b-2022")
    async with shown(table) as (room, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await sight.press("Leave")
        async with asyncio.timeout(DEADLINE):
            await room.left.wait()
        await sight.hears("You have left the table.")
