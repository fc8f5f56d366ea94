"""Whole games in the terminal UI: by mouse alone, by arrow keys and Enter alone, by typing."""

import random
from collections.abc import Awaitable, Callable

import pytest

from ataxxd.rules import Move, Position, Side
from ataxxd.session.events import Seat
from tests.unit.text.playing import local_table
from tests.unit.tui.screens import Screen, screen, squares_of

pytestmark = pytest.mark.usefixtures("patient_pilot")

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


async def by_mouse(ui: Screen, *squares: str) -> None:
    await ui.click(*(squares or anywhere(ui)))


async def by_keyboard(ui: Screen, *squares: str) -> None:
    ui.walk(*(squares or anywhere(ui)))


async def by_typing(ui: Screen, *squares: str) -> None:
    ui.type("-".join(squares) or "-")


def anywhere(ui: Screen) -> tuple[str]:
    """A square: to point at any is to pass where nothing else can be done."""
    return (next(name for name in ui.board._scene.board.names[0] if name is not None),)


@pytest.mark.gate(
    "ataxx/cs61b-2022-by_mouse",
    "reversi/standard-by_keyboard",
    "checkers/acf-by_mouse",
    "loa/cs61b-by_typing",
)
@pytest.mark.parametrize("point", [by_mouse, by_keyboard, by_typing])
@pytest.mark.parametrize("ruleset", RULESETS)
async def test_a_whole_game_against_the_machine(
    ruleset: str, point: Callable[..., Awaitable[None]]
) -> None:
    table = local_table(ruleset=ruleset, seats={Side.SECOND: Seat.AUTO})
    choices = random.Random(7)
    async with screen(table) as ui:
        while table.outcome is None:
            made = len(table.moves)
            move = chosen(table.position, choices)
            await point(ui, *squares_of(table.position, ui.app.language, move))
            await ui.until(
                lambda made=made: len(ui.app.browser.played) > made and table.idle  # type: ignore[misc]
            )
        await ui.until(lambda: "Type new for another game" in ui.said)
        assert table.outcome.winner is None or "wins" in ui.summary
        assert len(ui.app.browser.played) == len(table.moves)
        assert ui.board._scene.position == table.position
