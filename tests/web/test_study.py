"""The page of a study, in headless Chromium and over the wire."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import expect
from websockets.exceptions import ConnectionClosed

from ataxxd.cli.files import LocalGameFiles
from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.rules.notation import own_format
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.web.server import Auth, serve_channel
from ataxxd_clients.web.study import StudyRoom
from tests.e2e.nodes import Nodes
from tests.unit.study.test_tree import RULESETS, some_moves
from tests.web.browser import Browser, Sight, chromium, needs_chromium
from tests.web.test_control_messages import receive, visit
from tests.web.test_display_command import link_of
from tools import page_reference

SCHEMA = page_reference.STUDY.schema()


def game(ruleset: str, moves: int = 8) -> GameRecord:
    start = Position.start(ruleset)
    return GameRecord(start, tuple(some_moves(start, moves)))


@asynccontextmanager
async def studied(record: GameRecord) -> AsyncIterator[tuple[StudyRoom, Auth]]:
    """A study behind a server of its own."""
    room = StudyRoom(record, LocalGameFiles())
    async with serve_channel(room, print_line=str) as auth:
        running = asyncio.create_task(room.run())
        try:
            yield room, auth
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running


async def opened(browser: Browser, auth: Auth) -> Sight:
    sight = await browser.open(auth.link())
    await sight.board_is_drawn()
    return sight


async def at(sight: Sight, words: str) -> None:
    """Wait until the page says where one is."""
    await sight.hears(words)


async def no_faults(sight: Sight) -> None:
    found = await Axe().run(sight.page)
    assert found.response["violations"] == [], found.generate_report()


@needs_chromium
@pytest.mark.parametrize("ruleset", RULESETS)
async def test_a_game_is_stepped_through_evaluated_and_another_move_tried(
    ruleset: str, tmp_path: Path
) -> None:
    record = game(ruleset)
    async with studied(record) as (_, auth), chromium(tmp_path) as browser:
        sight = await opened(browser, auth)
        await expect(sight.page.locator(".verdict-line")).to_contain_text("Best: ")
        assert await sight.page.locator(".marks .hint").count() >= 1
        # Where nothing is known yet, the graph is empty.
        known = await sight.page.eval_on_selector_all(
            ".verdict-graph .second", "all => all.map(e => e.width.baseVal.value)"
        )
        assert known == [1]
        await sight.press("Evaluate the game")
        await expect(sight.page.locator("#survey")).to_have_text("Evaluate the game")
        await sight.press("Last position")
        await at(sight, "Move 8 of 8")
        await expect(sight.page.locator(".verdict-words")).not_to_have_text("Not evaluated yet")
        await sight.press("First position")
        await at(sight, "The start")
        position, ply = record.start, 0
        while len(position.legal_moves) < 2:
            position, ply = position.play(record.moves[ply]), ply + 1
            await sight.press("One move forward")
        other = next(move for move in position.legal_moves if move != record.moves[ply])
        field = sight.page.get_by_label("Try a move")
        await field.fill(other.text)
        await field.press("Enter")
        await at(sight, f"Move {ply + 1} of {ply + 1}")
        await expect(sight.page.locator("#variations li.variation")).to_have_count(1)
        await no_faults(sight)
        await sight.press("Make it the main line")
        await sight.hears("The variation is now the main line there.")
        await expect(sight.page.locator("#promote")).to_be_disabled()
        await sight.press("Delete from here")
        await sight.hears("1 move is deleted.")
        await expect(sight.page.locator("#variations li.variation")).to_have_count(0)


@needs_chromium
async def test_what_the_best_move_does_is_told_with_it(tmp_path: Path) -> None:
    record = GameRecord(Position("checkers/acf", "W:WK3,11,26:B6,21,23,28,K32"), ())
    async with studied(record) as (_, auth), chromium(tmp_path) as browser:
        sight = await opened(browser, auth)
        told = sight.page.locator(".verdict-line")
        await expect(told).to_contain_text("Best: 26x19, which is the only move")


@needs_chromium
async def test_mistakes_are_marked_in_the_line_and_in_a_variation(tmp_path: Path) -> None:
    start = position = Position.start("checkers/cs61b-2004")
    moves: list[Move] = []
    for text in ("11-16", "21-17", "8-11", "22-18", "16-19"):
        moves.append(position.parse_move(text))
        position = position.play(moves[-1])
    async with (
        studied(GameRecord(start, tuple(moves))) as (_, auth),
        chromium(tmp_path) as browser,
    ):
        sight = await opened(browser, auth)
        button = sight.page.locator("#variations [data-node]").nth
        await sight.press("Evaluate the game")
        # A man costs about as much as lies between the two, and the search ends by the clock.
        await expect(button(4)).to_have_accessible_name(re.compile("^16-19, a (mistake|blunder)$"))
        await expect(button(4)).to_have_attribute("data-mark", re.compile(r"^\?\??$"))
        await expect(button(0)).to_have_accessible_name("11-16")
        # What was found stays marked while one looks at a variation, and after a reload.
        await button(1).click()
        await sight.page.get_by_label("Try a move").fill("9-13")
        await sight.page.get_by_label("Try a move").press("Enter")
        await at(sight, "Move 3 of 3")
        await sight.page.reload()
        await at(sight, "Move 3 of 3")
        await expect(button(5)).to_have_accessible_name(re.compile("^16-19, a (mistake|blunder)$"))
        await no_faults(sight)


@needs_chromium
async def test_a_study_is_used_by_keyboard_alone(tmp_path: Path) -> None:
    async with studied(game("ataxx/cs61b-2022")) as (_, auth), chromium(tmp_path) as browser:
        sight = await opened(browser, auth)
        keyboard = sight.page.keyboard
        await keyboard.press("ArrowRight")
        await at(sight, "Move 1 of 8")
        await keyboard.press("ArrowRight")
        await at(sight, "Move 2 of 8")
        await keyboard.press("ArrowLeft")
        await at(sight, "Move 1 of 8")
        while await sight.page.evaluate("document.activeElement.getAttribute('role')") != "slider":
            await keyboard.press("Tab")
        await keyboard.press("End")
        await at(sight, "Move 8 of 8")
        await keyboard.press("Home")
        await at(sight, "The start")
        while not await sight.page.evaluate("document.activeElement.id === 'best'"):
            await keyboard.press("Tab")
        await expect(sight.page.locator("#best")).to_be_enabled()
        await keyboard.press("Enter")
        await at(sight, "Move 1 of")


@needs_chromium
async def test_a_move_is_clicked_and_an_illegal_one_explained(tmp_path: Path) -> None:
    async with studied(game("ataxx/cs61b-2022")) as (_, auth), chromium(tmp_path) as browser:
        sight = await opened(browser, auth)
        await sight.click("a7")
        await sight.click("a3")
        await sight.hears("a7-a3 is not legal: a3 is 4 rows away; the limit is 2.")
        await sight.click("a7")
        await sight.click("c5")
        await at(sight, "Red a7c5.")
        second = await browser.context.new_page()
        await second.goto(f"http://127.0.0.1:{auth.port}/")
        await expect(second.locator("#says")).to_contain_text("Red a7c5.")
        await sight.page.reload()
        await at(sight, "Red a7c5.")


@needs_chromium
async def test_the_end_is_told_where_the_game_ended_and_nowhere_else(tmp_path: Path) -> None:
    begun = game("checkers/cs61b-2004", 4)
    resigned = replace(begun, outcome=Outcome("resignation", Side.SECOND), players=("Ann", "Bob"))
    async with studied(resigned) as (_, auth), chromium(tmp_path) as browser:
        sight = await opened(browser, auth)
        assert await sight.page.locator("#who").inner_text() == "Black: Ann, White: Bob"
        await sight.press("Last position")
        await at(sight, "White wins: Black resigned.")
        await sight.press("One move back")
        await at(sight, "White to move.")
    won = Position.from_text("ataxx/cs61b-2022", "xxxxxxx/7/7/7/7/7/7 o 0 20")
    async with (
        studied(GameRecord(won, outcome=won.outcome)) as (_, auth),
        chromium(tmp_path / "again") as browser,
    ):
        sight = await opened(browser, auth)
        await at(sight, "Red wins")
        await expect(sight.page.locator(".verdict-words")).to_have_text("Red has won")


@needs_chromium
async def test_another_game_is_read_from_a_file_and_the_main_line_saved(tmp_path: Path) -> None:
    (tmp_path / "other.f5d6").write_text("f5d6c3\n")
    (tmp_path / "broken.pgn").write_text("1. a1 nonsense *\n")
    async with studied(game("ataxx/cs61b-2022")) as (_, auth), chromium(tmp_path / "me") as browser:
        sight = await opened(browser, auth)
        await sight.page.get_by_text("Study another game").click()
        await sight.press("Study it")
        await sight.hears("Choose a file first.")
        await sight.page.get_by_label("A file with a game").set_input_files(tmp_path / "broken.pgn")
        await sight.press("Study it")
        await sight.hears("broken.pgn, line 1, column")
        await sight.page.get_by_label("A file with a game").set_input_files(tmp_path / "other.f5d6")
        await no_faults(sight)
        await sight.press("Study it")
        await sight.hears("other.f5d6: 3 moves.")
        await expect(sight.page.locator("#game-title")).to_have_text("Study: Reversi")
        await sight.page.get_by_text("Save the main line").click()
        async with sight.page.expect_download() as download:
            await sight.page.get_by_role("link", name="moves").click()
        saved = await (await download.value).path()
        assert saved.read_text() == "f5d6c3\n"
        assert (await download.value).suggested_filename == "reversi.moves"


@needs_chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_no_fault_and_nothing_is_cut_off_on_a_phone(
    scheme: str, tmp_path: Path
) -> None:
    async with (
        studied(game("checkers/cs61b-2004")) as (_, auth),
        chromium(tmp_path, width=360, height=740, options={"color_scheme": scheme}) as browser,
    ):
        sight = await opened(browser, auth)
        await expect(sight.page.locator(".verdict-line")).to_contain_text("Best: ")
        await no_faults(sight)
        cut_off = await sight.page.evaluate(
            "[...document.querySelectorAll('body *')].filter(e =>"
            " e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))"
        )
        assert cut_off == []
        await sight.press("Help")
        await no_faults(sight)


async def test_commands_and_refusals_go_over_the_wire_as_the_schema_says() -> None:
    async with studied(game("ataxx/cs61b-2022")) as (_, auth), visit(auth) as socket:

        async def command(**fields: Any) -> str | None:
            await socket.send(json.dumps({"id": 7} | fields))
            answer = await receive(socket, "answer", SCHEMA)
            error: str | None = answer["error"]
            return error

        state = await receive(socket, "study", SCHEMA)
        assert len(state["nodes"]) == len(state["order"]) == 9
        assert await command(type="look_at", node=2) is None
        refused = await command(type="try", node=0, move="a7-b6")
        assert refused == "Another position is shown now; look again."
        refused = await command(type="look_at", node=99)
        assert refused == "That position is no longer in this study."
        assert await command(type="delete", node=0) is not None
        assert await command(type="promote", node=2) == "This is already the main line."
        assert await command(type="survey", on=True) is None
        assert await command(type="survey", on=False) is None
        assert await command(type="think", on=False) is None
        refused = await command(type="open", name="a.xyz", text="")
        assert refused is not None
        assert "does not tell its format" in refused
        refused = await command(type="open", name="a.json", text="{}")
        assert refused is not None
        loa = game("loa/cs61b", 50)
        form = own_format("loa")
        assert form is not None
        text = form.write(loa)
        assert await command(type="open", name="a.pgn", text=text) is None
        assert await command(type="look_at", node=1) is None
        await socket.send(json.dumps({"id": 7, "type": "leave"}))


async def test_what_is_too_long_to_be_a_game_ends_the_connection_and_nothing_else() -> None:
    async with studied(game("ataxx/cs61b-2022")) as (_, auth):
        async with visit(auth) as socket:
            text = " " * (StudyRoom.longest_command + 1)
            with suppress(ConnectionClosed):  # perhaps before all of it is sent
                await socket.send(
                    json.dumps({"id": 7, "type": "open", "name": "a.pgn", "text": text})
                )
            with pytest.raises(ConnectionClosed):
                await receive(socket, "answer", SCHEMA)
        async with visit(auth) as socket:
            assert len((await receive(socket, "study", SCHEMA))["order"]) == 9


@pytest.mark.gate
@needs_chromium
async def test_the_command_opens_the_page_and_ends_when_it_is_left(tmp_path: Path) -> None:
    (tmp_path / "game.f5d6").write_text("f5d6c3d3c4\n")
    nodes = Nodes(tmp_path, None)
    running = await nodes.node("me").start("study", tmp_path / "game.f5d6", "--display")
    async with chromium(tmp_path / "browser") as browser:
        sight = await browser.open(await link_of(running))
        await at(sight, "The start")
        await sight.press("Leave")
        await running.ends()
        await sight.hears("You have left the study.")
    await nodes.close()
