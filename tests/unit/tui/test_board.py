"""What the terminal UI shows, and what its keys do."""

from pathlib import Path
from typing import Any

import pytest
from textual.message_pump import MessagePump
from textual.timer import Timer
from textual.widgets import Input, Static

from ataxxd.rules import Position, Side
from ataxxd.session.events import Begun, Seat
from ataxxd_clients.tui.board import BoardView
from ataxxd_clients.tui.window import Room
from tests.unit.text.linked import linked_tables
from tests.unit.text.playing import RED_WINS_IN_ONE, RULESET, local_table
from tests.unit.tui.screens import position_of, screen

pytestmark = pytest.mark.usefixtures("patient_pilot")

BY_HAND = {Side.FIRST: Seat.HUMAN}


def names_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.mark.parametrize("size", [(60, 18), (80, 24), (100, 30), (120, 40)])
@pytest.mark.parametrize(
    "ruleset", ["ataxx/cs61b-2022", "reversi/standard", "checkers/acf", "loa/cs61b"]
)
async def test_the_whole_board_is_in_sight_at_every_size(
    ruleset: str, size: tuple[int, int]
) -> None:
    async with screen(local_table(ruleset=ruleset, seats=BY_HAND), size) as ui:
        lines = ui.drawn.splitlines()
        assert len(lines) <= ui.board.size.height
        assert max(map(len, lines)) <= ui.board.size.width
        assert ui.board.size.height * 2 > size[1]
        assert ui.app.query_one("#line").region.bottom < size[1]


@pytest.mark.parametrize(
    ("size", "tall"), [((60, 18), 1), ((80, 24), 2), ((100, 30), 3), ((120, 40), 4)]
)
async def test_a_larger_terminal_has_larger_pieces_and_only_whole_keys(
    size: tuple[int, int], tall: int
) -> None:
    async with screen(local_table(ruleset="checkers/acf", seats=BY_HAND), size) as ui:
        at = [position_of(ui.board, square)[1] for square in ("1", "5")]
        assert at[1] - at[0] == tall
        await ui.until(lambda: len(ui.app.query("FooterKey")) >= 7)
        await ui.pilot.pause()
        assert max(key.region.right for key in ui.app.query("FooterKey")) <= size[0] + 1


@pytest.mark.parametrize("size", [(59, 40), (120, 17), (20, 5)])
async def test_a_terminal_that_is_too_small_says_so_and_the_game_waits(
    size: tuple[int, int],
) -> None:
    table = local_table(seats=BY_HAND)
    async with screen(table, size) as ui:
        room = ui.app.query_one(Room)
        await ui.until(lambda: room.display)
        assert f"{size[0]} columns and {size[1]} lines; a board needs 60 and 18" in room.render()
        assert not ui.board.region
        await ui.pilot.resize_terminal(60, 18)
        await ui.until(lambda: not room.display)
        await ui.click("a7", "b6")
        await ui.until(lambda: len(table.moves) == 1)


@pytest.mark.parametrize("size", [(59, 40), (120, 17), (20, 5)])
async def test_keys_reach_the_board_again_when_the_terminal_was_too_small_for_a_while(
    size: tuple[int, int],
) -> None:
    table = local_table(seats=BY_HAND)
    async with screen(table) as ui:
        room = ui.app.query_one(Room)
        await ui.pilot.press("a", "7")
        await ui.pilot.resize_terminal(*size)
        await ui.until(lambda: room.display)
        await ui.until(lambda: ui.app.focused is None)
        await ui.pilot.resize_terminal(80, 24)
        await ui.until(lambda: ui.app.focused is ui.board)
        await ui.pilot.press("minus", "b", "6", "enter")
        await ui.until(lambda: len(table.moves) == 1)


async def test_clones_and_jumps_are_told_apart() -> None:
    async with screen(local_table(seats=BY_HAND)) as ui:
        await ui.click("a7")
        assert ui.look("a7").edges in {"{}", "><"}
        assert (ui.look("b6").sign, ui.look("c5").sign) == ("1", "2")
        assert ui.look("d4").sign == ""


async def test_a_line_of_action_says_how_long_it_is() -> None:
    async with screen(local_table(ruleset="loa/cs61b", seats=BY_HAND)) as ui:
        await ui.click("b1")
        assert {each: ui.look(each).sign for each in ("b3", "d3", "h1")} == {
            "b3": "2",
            "d3": "2",
            "h1": "6",
        }


async def test_a_forced_capture_is_ringed_and_what_it_takes_is_seen_before() -> None:
    table = local_table("B:W18,30:B1,15", ruleset="checkers/acf", seats=BY_HAND)
    async with screen(table) as ui:
        assert ui.look("15").edges == "**"
        assert ui.look("1").edges == ""
        await ui.click("15")
        assert ui.look("22").sign == "x"
        target = next(each.squares[1] for each in ui.board._scene.entries)
        await ui.pilot.hover(BoardView, offset=position_of(ui.board, target))
        await ui.until(lambda: ui.look("18").ground == "turned")


async def test_the_moves_of_reversi_say_how_many_they_turn() -> None:
    async with screen(local_table(ruleset="reversi/standard", seats=BY_HAND)) as ui:
        assert ui.look("d3").sign == "1"
        await ui.click("d3")
        await ui.until(lambda: len(ui.app.browser.played) == 1)
        assert ui.look("d4").ground in {"last", "turned"}


async def test_an_illegal_click_is_explained_and_nothing_happens() -> None:
    table = local_table(seats=BY_HAND)
    async with screen(table) as ui:
        await ui.click("a7", "d4")
        await ui.until(lambda: "d4 is 3 columns away" in ui.said)
        await ui.click("g7")
        await ui.until(lambda: "g7 holds a piece of Blue" in ui.said)
        assert not table.moves


async def test_one_looks_back_while_the_game_goes_on_until_one_moves() -> None:
    here, there = linked_tables(Position.start(RULESET))
    async with screen(here) as ui:
        for table, line in ((here, "a7-b6"), (there, "a1-a2"), (here, "g1-f2")):
            await table.play(table.position.parse_move(line))
        await ui.until(lambda: len(ui.app.browser.played) == 3)
        await ui.pilot.press("pageup", "pageup")
        assert "Looking back: 1 of 3" in ui.summary
        await there.play(there.position.parse_move("g7-g6"))
        await ui.until(lambda: len(ui.app.browser.played) == 4)
        assert "Looking back: 1 of 4" in ui.summary
        assert ui.board._scene.position != here.position
        ui.type("b6-b5")
        await ui.until(lambda: len(ui.app.browser.played) == 5)
        assert "Looking back" not in ui.summary
        assert ui.board._scene.position == here.position


async def test_keys_go_back_to_the_start_and_to_the_live_position() -> None:
    table = local_table(seats=BY_HAND)
    async with screen(table) as ui:
        for line in ("a7-b6", "a1-a2", "g1-f2"):
            ui.type(line)
        await ui.until(lambda: len(ui.app.browser.played) == 3)
        await ui.pilot.press("pageup", "pageup")
        assert ui.board._scene.position != table.position
        await ui.pilot.press("end")
        assert ui.board._scene.position == table.position
        await ui.pilot.press("home")
        assert ui.board._scene.position == table.start


async def test_keys_undo_begin_again_and_hand_a_side_to_the_machine() -> None:
    table = local_table(seats=BY_HAND)
    async with screen(table) as ui:
        ui.type("a7-b6")
        await ui.until(lambda: len(table.moves) == 1)
        await ui.pilot.press("f3")
        await ui.until(lambda: not table.moves)
        ui.type("a7-b6")
        await ui.until(lambda: len(table.moves) == 1)
        await ui.pilot.press("f5")
        await ui.until(lambda: len(table.moves) == 2)
        assert table.seat(Side.SECOND) is Seat.AUTO
        await ui.pilot.press("f2")
        await ui.until(lambda: not table.moves)


async def test_what_is_typed_can_be_taken_back_and_blanks_are_kept() -> None:
    async with screen(local_table(seats=BY_HAND)) as ui:
        await ui.pilot.press("a", "u", "x", "backspace", "t", "o", "space", "r", "e", "d")
        assert ui.app.query_one(Input).value == "auto red"
        await ui.pilot.press("escape")
        assert ui.app.query_one(Input).value == ""


async def test_two_machines_that_play_each_other_can_be_stopped() -> None:
    table = local_table(seats=dict.fromkeys(Side, Seat.AUTO), ruleset="loa/cs61b")
    async with screen(table) as ui:
        await ui.until(lambda: len(table.moves) > 2)
        for name in ui.app.language.names:
            ui.type(f"manual {name}")
        await ui.until(lambda: all(table.seat(side) is Seat.HUMAN for side in Side))


async def test_the_engine_hints_and_evaluates() -> None:
    async with screen(local_table(RED_WINS_IN_ONE, seats=BY_HAND)) as ui:
        await ui.pilot.press("f4")
        await ui.until(lambda: "The engine would play" in ui.said)
        assert "which wins at once" in ui.said
        assert ui.look("f6").ground == "hint" or ui.look("g6").ground == "hint"
        await ui.pilot.press("f6")
        await ui.until(lambda: "Red wins in 1" in ui.summary)


async def test_a_game_is_saved_under_the_name_proposed_and_never_over_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = local_table(ruleset="checkers/acf", seats=BY_HAND)
    async with screen(table) as ui:
        ui.type("11-15")
        await ui.until(lambda: len(table.moves) == 1)
        await ui.pilot.press("f7")
        assert ui.app.query_one(Input).value == "export checkers1.transcript"
        await ui.pilot.press("enter")
        await ui.until(lambda: "Saved:" in ui.said)
        assert "1. 11-15" in (tmp_path / "checkers1.transcript").read_text(encoding="utf-8")
        ui.type("export checkers1.transcript")
        await ui.until(lambda: "already exists" in ui.said)
        ui.type("export My.Game")
        await ui.until(lambda: "My.Game has no ending that names a notation" in ui.said)
        ui.type("export game.json")
        await ui.until(lambda: "A game cannot be written as 'record' here" in ui.said)
        ui.type("export game.ggf")
        await ui.until(lambda: "reversi" in ui.said)
        ui.type("export no/folder.PDN")
        await ui.until(lambda: "No such file or directory" in ui.said)
        assert names_in(tmp_path) == ["checkers1.transcript"]


async def test_a_table_that_cannot_be_edited_has_no_words_for_it() -> None:
    mine, _ = linked_tables(Position.start(RULESET))
    async with screen(mine) as ui:
        ui.type("auto  red")
        await ui.until(lambda: "not a command" in ui.said)
        assert '"auto"' in ui.said


async def test_keys_that_do_nothing_in_a_game_with_somebody_else_are_not_offered() -> None:
    mine, _ = linked_tables(Position.start(RULESET))
    async with screen(mine) as ui:
        before = {each.binding.description for each in ui.app.screen.active_bindings.values()}
        assert not before & {"New", "Undo", "Hint", "Auto", "Eval"}
        await ui.pilot.press("f1")
        page = str(ui.app.screen.query_one("#help Static", Static).content)
        assert "F7 " in page
        assert not [key for key in ("F2", "F3", "F4", "F5", "F6", "hint", "eval") if key in page]
        await ui.pilot.press("escape")
        ui.type("resign")
        await ui.until(lambda: "resigned" in ui.said)
        after = {each.binding.description for each in ui.app.screen.active_bindings.values()}
        assert after - before == {"Hint", "Eval"}


async def test_an_evaluation_ends_where_another_game_with_somebody_else_begins() -> None:
    mine, _ = linked_tables(Position.start(RULESET))
    async with screen(mine) as ui:
        mine.concede()
        await ui.until(lambda: "resigned" in ui.said)
        await ui.pilot.press("f6")
        await ui.until(lambda: "░" in ui.summary)
        mine.resigned = None
        mine.news.append(Begun(Side.FIRST))
        mine.changed.set()
        await ui.until(lambda: "A new game begins" in ui.said)
        await ui.until(lambda: "░" not in ui.summary)


async def test_the_help_page_covers_the_board_and_the_game_goes_on_below() -> None:
    mine, other = linked_tables(Position.start(RULESET))
    async with screen(mine) as ui:
        ui.type("a7-b6")
        await ui.until(lambda: len(mine.moves) == 1)
        await ui.pilot.press("f1")
        await other.play(other.position.parse_move("a1-a2"))
        mine.changed.set()
        await ui.until(lambda: len(ui.app.browser.played) == 2)
        await ui.pilot.press("escape")
        assert ui.app.screen is ui.app.screen_stack[0]


async def test_the_clocks_of_a_screen_that_is_closed_are_drawn_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    every = MessagePump.set_interval

    def often(self: MessagePump, _: float, *arguments: Any, **options: Any) -> Timer:
        return every(self, 0.0001, *arguments, **options)

    # So that it is time to draw them at each moment of the closing.
    monkeypatch.setattr(MessagePump, "set_interval", often)
    mine, _ = linked_tables(Position.start(RULESET))
    async with screen(mine) as ui:
        assert "Red" in ui.summary


async def test_keys_that_come_while_the_screens_are_closed_are_passed_over() -> None:
    async with screen(local_table(seats=BY_HAND)) as ui:
        window = ui.app
    window._on_pressed(BoardView.Pressed("", (0, 0)))
    window._on_typed(BoardView.Typed("a"))


async def test_nothing_beyond_ascii_is_drawn_where_it_cannot_be_shown() -> None:
    for size in ((60, 18), (80, 24), (120, 40)):
        async with screen(local_table(seats=BY_HAND), size, ascii_only=True) as ui:
            await ui.click("a7")
            assert ui.drawn.isascii()
            assert ui.summary.isascii()
            assert "r" in ui.drawn
            assert "b" in ui.drawn


async def test_whoever_can_only_pass_is_told_and_passes_with_a_click() -> None:
    position = Position.from_text(RULESET, "xoooooo/ooooooo/ooooooo/7/7/7/7 x 0 1")
    assert position.legal_moves[0].text == "0000"
    table = local_table(position.text, seats=BY_HAND)
    async with screen(table) as ui:
        assert "can only pass" in ui.app._asked()
        await ui.click("d4")
        await ui.until(lambda: len(table.moves) == 1)


async def test_squares_that_are_typed_and_clicked_make_one_move() -> None:
    table = local_table(seats=BY_HAND)
    async with screen(table) as ui:
        await ui.click("a7")
        ui.type("b6")
        await ui.until(lambda: len(table.moves) == 1)
        ui.type("a1")
        await ui.until(lambda: ui.look("b1").sign == "1")
        await ui.click("b1")
        await ui.until(lambda: len(table.moves) == 2)
        ui.type("g1")
        await ui.until(lambda: ui.look("f1").sign == "1")
        await ui.pilot.press("escape")
        ui.type("e1")
        await ui.until(lambda: "e1 is empty" in ui.said)
        assert len(table.moves) == 2
