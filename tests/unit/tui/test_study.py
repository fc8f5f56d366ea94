"""The terminal UI of a study, driven by keys and clicks."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, RichLog, Static

from ataxxd.cli.files import LocalGameFiles
from ataxxd.rules import Outcome, Position, Side
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.tui.board import BoardView, square_looks
from ataxxd_clients.tui.study import Graph, StudyApp, column_of, columns
from tests.time_limits import DEADLINE
from tests.unit.study.test_tree import RULESETS, some_moves
from tests.unit.tui.screens import position_of

pytestmark = pytest.mark.usefixtures("patient_pilot")

KEYS = {"-": "minus", " ": "space", ".": "full_stop", "/": "slash", "_": "underscore"}


class StudyScreen:
    """A study on a terminal, and what a person does and sees at it."""

    def __init__(self, app: StudyApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def said(self) -> str:
        log = self.app.screen_stack[0].query_one(RichLog)
        return " ".join(line.text.strip() for line in log.lines)

    @property
    def summary(self) -> str:
        return str(self.app.screen_stack[0].query_one("#summary", Static).content)

    @property
    def moves(self) -> list[str]:
        listed = self.app.screen_stack[0].query_one(OptionList)
        return [str(listed.get_option_at_index(at).prompt) for at in range(listed.option_count)]

    @property
    def graph(self) -> str:
        return self.app.screen_stack[0].query_one(Graph).render().plain

    @property
    def ply(self) -> int:
        return self.app.study.tree.cursor.ply

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(DEADLINE):
            while not holds():
                await self.pilot.pause(0)

    def type(self, line: str) -> None:
        for character in line:
            self.app.post_message(events.Key(KEYS.get(character, character), character))
        self.app.post_message(events.Key("enter", "\r"))

    async def click(self, *squares: str) -> None:
        board = self.app.screen_stack[0].query_one(BoardView)
        for square in squares:
            await self.pilot.click(BoardView, offset=position_of(board, square))
            await self.pilot.pause()


def game(ruleset: str, moves: int = 8) -> GameRecord:
    start = Position.start(ruleset)
    return GameRecord(start, tuple(some_moves(start, moves)))


@asynccontextmanager
async def studied(
    record: GameRecord, size: tuple[int, int] = (80, 24), *, ascii_only: bool = False
) -> AsyncIterator[StudyScreen]:
    app = StudyApp(record, LocalGameFiles(), ascii_only=ascii_only)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield StudyScreen(app, pilot)


@pytest.mark.parametrize("size", [(60, 18), (80, 24), (120, 40)])
@pytest.mark.parametrize("ruleset", RULESETS)
async def test_everything_is_in_sight_at_every_size(ruleset: str, size: tuple[int, int]) -> None:
    async with studied(game(ruleset), size) as context:
        await context.pilot.press("f2")
        await context.until(lambda: context.app.study.progress is None)
        board = context.app.query_one(BoardView)
        lines = board.render().plain.splitlines()
        assert len(lines) <= board.size.height
        assert max(map(len, lines)) <= board.size.width
        assert context.app.query_one("#line").region.bottom < size[1]
        assert len(context.graph.splitlines()) == context.app.query_one(Graph).size.height
        assert len(context.summary.splitlines()) <= 7


async def test_one_steps_through_a_game_by_keys_and_by_the_graph() -> None:
    async with studied(game("reversi/standard")) as context:
        await context.pilot.press("pagedown", "pagedown", "pagedown")
        assert context.ply == 3
        assert "Move 3 of 8" in context.summary
        await context.pilot.press("pageup")
        assert context.ply == 2
        await context.pilot.press("end")
        assert context.ply == 8
        await context.pilot.press("home")
        assert context.ply == 0
        await context.pilot.click(Graph, offset=(13, 1))
        assert context.ply == 4
        assert "Move 4 of 8" in context.summary


async def test_the_engine_looks_along_and_its_move_can_be_played() -> None:
    async with studied(game("ataxx/cs61b-2022")) as context:
        await context.until(lambda: "Best: " in context.summary)
        best, why = context.app.study.best_line()[0], context.app.study.explain_best()
        assert f"Best: {best}, which {why}; then " in " ".join(context.summary.split())
        assert "hint" in {
            square_looks(context.app.query_one(BoardView)._scene)[square].ground
            for square in context.app.study.position.parse_move(best).squares
        }
        await context.pilot.press("f4")
        await context.until(lambda: context.ply == 1)
        assert best.rsplit("-", maxsplit=1)[-1] in context.moves[0]
        await context.pilot.press("f6", "pagedown")
        assert not context.app.study.is_thinking


async def test_a_whole_line_is_evaluated_with_a_graph_and_a_word_beside_each_move() -> None:
    async with studied(game("checkers/cs61b-2004")) as context:
        await context.pilot.press("f6", "f2")
        await context.until(lambda: context.app.study.progress is None)
        await context.pilot.pause()
        assert all("+" in move or "even" in move or " in " in move for move in context.moves)
        assert "▲" in context.graph
        assert set(context.graph) & set("▁▂▃▄▅▆▇█")


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_another_move_is_tried_promoted_and_deleted_again(ruleset: str) -> None:
    record = game(ruleset)
    async with studied(record) as context:
        tree = context.app.study.tree
        while len(tree.cursor.position.legal_moves) < 2:
            await context.pilot.press("pagedown")
        at = tree.cursor.ply
        played = record.moves[at]
        other = next(move for move in tree.cursor.position.legal_moves if move != played)
        await context.click(
            *next(each.squares for each in context.app._scene().entries if each.move == other)
        )
        await context.until(lambda: tree.cursor.move == other)
        assert "in a variation" in context.summary
        assert "Beside: " in context.summary
        assert "+1" in context.moves[at]
        await context.pilot.press("f7")
        await context.until(lambda: tree.cursor.move == played)
        await context.pilot.press("f7", "f5")
        await context.until(lambda: tree.main_line[at + 1].move == other)
        assert len(tree) == len(record.moves) + 2
        await context.pilot.press("f8")
        await context.until(lambda: len(tree) == len(record.moves) + 1)
        assert tree.cursor.ply == at


async def test_what_cannot_be_done_is_explained() -> None:
    async with studied(game("ataxx/cs61b-2022")) as context:
        context.type("a7-d4")
        await context.until(lambda: "d4 is 3 columns away" in context.said)
        await context.pilot.press("f8")
        await context.until(lambda: "where the game begins" in context.said)
        context.type("open")
        await context.until(lambda: "open FILE FORMAT" in context.said)
        context.type("open /nowhere.pgn")
        await context.until(lambda: "/nowhere.pgn cannot be read" in context.said)
        context.type("nonsense")
        await context.until(lambda: "not a command" in context.said)


async def test_a_game_is_saved_and_another_opened_in_any_notation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    record = game("ataxx/cs61b-2022")
    async with studied(record) as context:
        context.type("save mine.ggf")
        await context.until(lambda: "cannot be written as ggf" in context.said)
        context.type("save Mine.pgn")
        await context.until(lambda: "is in Mine.pgn now, as pgn" in context.said)
        context.type("save Mine.pgn")
        await context.until(lambda: "already exists" in context.said)
        context.type("replace Mine.pgn")
        await context.until(lambda: context.said.count("is in Mine.pgn now") == 2)
        context.type("save mine.svg")
        await context.until(lambda: "The position is in mine.svg now, as svg" in context.said)
        (tmp_path / "other.f5d6").write_text("f5d6c3\n")
        context.type("open other.f5d6")
        await context.until(lambda: "other.f5d6: 3 moves." in context.said)
        assert "Black" in context.summary
        await context.pilot.press("end")
        assert context.ply == 3
        context.type("open Mine.pgn")
        await context.until(lambda: "Mine.pgn: 8 moves." in context.said)
        assert context.app.study.game.moves == record.moves


async def test_the_end_of_a_game_and_its_result_are_shown() -> None:
    over = Position.from_text("ataxx/cs61b-2022", "xxxxxxx/7/7/7/7/7/7 o 0 20")
    async with studied(GameRecord(over, outcome=Outcome("no-pieces", Side.FIRST))) as context:
        assert "Red wins, 7 to 0" in context.summary
        assert "over here" in context.app.query_one(Input).placeholder


async def test_nothing_beyond_ascii_is_drawn_where_it_cannot_be_shown() -> None:
    async with studied(game("loa/cs61b"), (60, 18), ascii_only=True) as context:
        await context.pilot.press("f2")
        await context.until(lambda: context.app.study.progress is None)
        await context.pilot.pause()
        assert context.graph.isascii()
        assert "#" in context.graph
        assert context.summary.isascii()


async def test_the_help_page_tells_the_keys_of_a_study() -> None:
    async with studied(game("loa/cs61b")) as context:
        await context.pilot.press("f1")
        page = str(context.app.screen.query_one(Static).content)
        assert "evaluate every position" in page
        assert "save FILE" in page
        await context.pilot.press("escape")
        assert context.app.screen is context.app.screen_stack[0]


@pytest.mark.parametrize(("points", "width"), [(1, 40), (9, 40), (40, 40), (300, 40), (2, 1)])
def test_a_graph_shows_the_first_and_the_last_point_and_fits(points: int, width: int) -> None:
    shown = columns(points, width)
    assert 0 < len(shown) <= width
    assert shown == sorted(shown)
    assert shown[0] == 0
    assert width == 1 or shown[-1] == points - 1
    if points <= width:
        assert set(shown) == {*range(points)}


def test_a_column_is_filled_from_below() -> None:
    assert column_of(None, 3, ascii_only=False) == "   "
    assert column_of(0, 2, ascii_only=False) == "  "
    assert column_of(0.5, 3, ascii_only=False) == " ▄█"
    assert column_of(1, 2, ascii_only=True) == "##"
    assert column_of(0.5, 2, ascii_only=True) == ".#"
