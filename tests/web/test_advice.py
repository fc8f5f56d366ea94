"""Hints and evaluations on the page of a table, and that nobody gets them against somebody else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import expect
from websockets.asyncio.client import ClientConnection

from ataxxd.rules import Position, Side
from ataxxd.session.events import Seat
from tests.unit.text.linked import linked_tables
from tests.web.browser import chromium, local_table, needs_chromium, shown
from tests.web.test_control_messages import command, receive, served_table, visit

BOTH = dict.fromkeys(Side, Seat.HUMAN)
RULESETS = ["ataxx/cs61b-2022", "reversi/standard", "checkers/cs61b-2004", "loa/cs61b"]


@needs_chromium
@pytest.mark.parametrize("ruleset", RULESETS)
async def test_a_game_is_evaluated_and_its_graph_walked_and_a_hint_is_marked(
    ruleset: str, tmp_path: Path
) -> None:
    table = local_table(ruleset, moves=8, seats=BOTH)
    async with shown(table) as (_, auth, _), chromium(tmp_path) as browser:
        sight = await browser.open(auth.link())
        await sight.board_is_drawn()
        await sight.press("Hint")
        await sight.hears("The engine would play")
        assert await sight.page.locator(".marks .hint").count() >= 1
        await sight.press("Evaluate")
        graph = sight.page.get_by_role("slider")
        await expect(graph).to_have_attribute("aria-valuemax", "8")
        await expect(sight.page.locator(".verdict-line")).to_contain_text("Best: ")
        await expect(graph).not_to_have_attribute("aria-valuetext", "Move 8: Not evaluated yet")
        found = await Axe().run(sight.page)
        assert found.response["violations"] == [], found.generate_report()
        await graph.press("ArrowLeft")
        await sight.hears("Move 7 of 8.")
        await graph.press("Home")
        await expect(graph).to_have_attribute("aria-valuenow", "0")
        await sight.press("Back to the game")
        await sight.page.reload()
        await sight.board_is_drawn()
        # It goes on after a reload, and follows the game.
        await sight.click((await sight.squares("can move"))[0])
        await sight.press("Stop evaluating")
        await expect(graph).to_be_hidden()


async def evaluation(
    socket: ClientConnection, holds: Callable[[dict[str, Any]], bool], **fields: Any
) -> dict[str, Any]:
    """Send a command; the first evaluation after it of which something is so."""
    await socket.send(json.dumps({"id": 7} | fields))
    while not holds(told := await receive(socket, "evaluation")):
        pass
    return told


async def test_the_engine_follows_the_game_and_takes_back_with_it() -> None:
    table = local_table("ataxx/cs61b-2022", seats=BOTH)
    async with served_table(table) as auth, visit(auth) as socket:
        await evaluation(
            socket, lambda told: None not in told["verdicts"], type="evaluate", on=True
        )
        told = await evaluation(
            socket,
            lambda told: len(told["verdicts"]) == 2 and None not in told["verdicts"],
            type="play",
            ply=0,
            move="a7-b6",
        )
        assert told["on"] is True
        assert all(0 <= each["share"] <= 1 and each["line"] for each in told["verdicts"])
        await evaluation(socket, lambda told: len(told["verdicts"]) == 1, type="undo")
        await evaluation(socket, lambda told: not told["on"], type="evaluate", on=False)
        await socket.send(json.dumps({"id": 7, "type": "hint"}))
        hint = await receive(socket, "hint")
        assert hint["ply"] == 0
        assert hint["text"].startswith("The engine would play ")


async def test_in_a_game_with_somebody_else_there_is_no_advice() -> None:
    mine, _ = linked_tables(Position.start("ataxx/cs61b-2022"))
    async with served_table(mine) as auth, visit(auth) as socket:  # type: ignore[arg-type]
        state = await receive(socket, "state")
        assert not {"hint", "evaluate"} & {*state["can"]}
        for fields in ({"type": "hint"}, {"type": "evaluate", "on": True}):
            refusal = await command(socket, **fields)
            assert refusal == ("In a game with somebody else there is no advice until it is over.")
