"""The friendly mode of Lines of Action and reversi."""

import io

from ataxxd.node.control import Seat, Table
from ataxxd.rules import Position, Side
from ataxxd_clients.text.friendly import run_friendly
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.output import Output
from ataxxd_clients.text.session import Options
from ataxxd_clients.text.source import ScriptLines
from ataxxd_clients.text.terminal import Terminal
from tests.unit.text.linked import linked_tables
from tests.unit.text.playing import local_table

LOA, REVERSI = "loa/cs61b", "reversi/standard"
BY_HAND = dict.fromkeys(Side, Seat.HUMAN)


async def friendly(lines: str, table: Table) -> str:
    out, err = io.StringIO(), io.StringIO()
    code = await run_friendly(
        table,
        line_language(table.position.ruleset),
        ScriptLines(lines.splitlines()),
        Output(out, err),
        Terminal(),
        Options(prompts=True, patience_s=0),
    )
    assert (code, err.getvalue()) == (0, "")
    return out.getvalue()


async def test_a_square_shows_where_its_piece_can_go_and_what_it_can_take() -> None:
    position = "o7/8/8/8/3o4/8/3x4/7x x"
    said = await friendly("d2", local_table(position, ruleset=LOA, seats=BY_HAND))
    assert "+: go to c1, c2, c3, e1, e2, e3" in said
    assert "x: take on d4" in said
    assert " 4  .  .  .  x " in said


async def test_a_square_without_a_move_says_why() -> None:
    table = local_table(ruleset=LOA, seats=BY_HAND)
    said = await friendly("a2\nd4", table)
    assert "a2 holds a piece of White, and it is Black's turn" in " ".join(said.split())
    assert "d4 is empty" in said


async def test_a_move_marks_the_square_left_and_the_one_reached() -> None:
    said = await friendly("b1 b3", local_table(ruleset=LOA, seats=BY_HAND))
    assert "Black plays b1-b3." in said
    assert "(.)" in said
    assert "[b]" in said


async def test_the_end_of_a_game_says_why() -> None:
    won = local_table("o6o/8/8/8/8/8/3xx3/1x6 x 10 60", ruleset=LOA, seats=BY_HAND)
    assert "Black wins, 3 to 2: all pieces in one group." in await friendly("b1-c1", won)
    tie = local_table("o6o/8/8/8/8/8/3xx3/1x6 x 59 60", ruleset=LOA, seats=BY_HAND)
    assert "Nobody wins, 3 to 2: no moves left." in await friendly("b1-b2", tie)


async def test_a_square_is_a_move_in_reversi_and_row_one_is_on_top() -> None:
    said = await friendly("d3\na1", local_table(ruleset=REVERSI, seats=BY_HAND))
    assert "Type a move such as d3, or help." in said
    assert "Black plays d3 and takes 1." in said
    board = said.partition("takes 1.\n")[2].splitlines()
    assert board[2].split()[:5] == ["3", ".", ".", ".", "[b]"]
    assert "a1 is not legal: a piece on a1 would bracket no piece of" in said
    assert "secs" not in said


async def test_a_skipped_turn_is_told_as_a_pass() -> None:
    said = await friendly(
        "pass", local_table("{bw......|........}", ruleset=REVERSI, seats=BY_HAND)
    )
    assert "White plays a pass." in said


async def test_online_a_square_waits_for_its_turn_and_nothing_can_be_set_up() -> None:
    _, white = linked_tables(Position.start(REVERSI))
    assert "It is Black's turn" in await friendly("d3", white)
    black, _ = linked_tables(Position.start(LOA))
    said = await friendly("limit 3\nset a1 - black\nhelp", black)
    assert '"limit" is not a command' in said
    assert '"set" is not a command' in said
    assert "limit N" not in said
