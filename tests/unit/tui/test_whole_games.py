"""Whole games in the terminal UI, by mouse, by keyboard and by typing."""

import random

import pytest

from ataxxd.node.control import Seat
from ataxxd.rules import Move, Position, Side
from tests.unit.text.playing import local_table
from tests.unit.tui.screens import Screen, screen, squares_of

RULESETS = ["ataxx/cs61b-2022", "reversi/standard", "checkers/acf", "loa/cs61b"]


def chosen(position: Position, choices: random.Random) -> Move:
    """A move that brings the game to an end before long."""
    side = position.turn
    return max(
        position.legal_moves,
        key=lambda move: (_gain(position.play(move), side), choices.random()),
    )


def _gain(after: Position, side: Side) -> int:
    return after.counts[side] - after.counts[side.opponent]


async def point(ui: Screen, move: Move, ply: int) -> None:
    """Make a move: the first ones by mouse, then some by arrow keys, the others typed."""
    squares = squares_of(ui.app.table.position, ui.board.scene.board, move)
    if not squares:
        ui.type("-")
    elif ply < 6:
        await ui.click(*squares)
    elif ply < 12:
        await ui.walk(*squares)
    else:
        ui.type("-".join(squares))


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_a_whole_game_against_the_machine(ruleset: str) -> None:
    table = local_table(ruleset=ruleset, seats={Side.SECOND: Seat.AUTO})
    choices = random.Random(7)
    async with screen(table) as ui:
        while table.outcome is None:
            made = len(table.moves)
            await point(ui, chosen(table.position, choices), made)
            await ui.until(
                lambda made=made: len(ui.app.browser.played) > made and table.idle  # type: ignore[misc]
            )
        await ui.until(lambda: "Type new for another game" in ui.said)
        assert table.outcome.winner is None or "wins" in ui.summary
        assert len(ui.app.browser.played) == len(table.moves)
        assert ui.board.scene.position == table.position
