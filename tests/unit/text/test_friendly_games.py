"""The friendly mode of Lines of Action, reversi and checkers."""

import io
import re

import pytest

from ataxxd.engines.base import AlphaBetaBot
from ataxxd.node.game import Game
from ataxxd.rules import Move, Position, Side
from ataxxd.session.events import Seat
from ataxxd_clients.analysis import Effort
from ataxxd_clients.text.console import Output, Terminal
from ataxxd_clients.text.friendly import run_friendly
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.session import SessionOptions
from tests.unit.text.linked import linked_tables
from tests.unit.text.playing import local_table
from tests.unit.text.script_lines import ScriptLines

LOA, REVERSI, CHECKERS = "loa/cs61b", "reversi/standard", "checkers/cs61b-2004"
PLAIN = Terminal()
MACHINE_FIRST = {Side.FIRST: Seat.AUTO, Side.SECOND: Seat.HUMAN}
BY_HAND = dict.fromkeys(Side, Seat.HUMAN)


async def friendly(lines: str, table: Game, terminal: Terminal = PLAIN) -> str:
    out, err = io.StringIO(), io.StringIO()
    code = await run_friendly(
        table,
        line_language(table.position.ruleset),
        ScriptLines(lines.splitlines()),
        Output(out, err),
        terminal,
        SessionOptions(prompts=True, patience_s=0),
    )
    assert (code, err.getvalue()) == (0, "")
    return out.getvalue()


# What each place writes: the board and str(move), the line language, a file, another program.
@pytest.mark.parametrize(
    ("ruleset", "position", "move", "written"),
    [
        ("ataxx/uai", None, "b6", ("b6", "a7-b6", "B6")),
        ("ataxx/cs61b-2022", None, "a7a5", ("a7a5", "a7-a5", "A7A5")),
        (LOA, "8/1x6/8/3o4/8/8/8/o5x1 x", "b7-d5", ("b7-d5", "b7xd5", "B7D5")),
        (REVERSI, None, "d3", ("d3", "D3", "(3,2)")),
        (CHECKERS, "W:W18,K30:B6,K7,8,15,25", "18x11x4", ("18x11x4", "18-11-4", "18X11X4")),
        ("checkers/acf", "W:W18,K30:B6,K7,8,15,25", "18x11x4", ("18x11x4", "18-11-4", "18x4")),
    ],
)
async def test_what_any_place_writes_is_a_move_at_the_prompt_and_for_a_program(
    ruleset: str, position: str | None, move: str, written: tuple[str, ...]
) -> None:
    start = Position.start(ruleset) if position is None else Position(ruleset, position)
    notations = {"ataxx": "cs61b", "loa": "pgn", "checkers": "pdn", "reversi": "laboratory"}
    filed = start.format_move(Move(start.game, move), notations[start.game])
    for typed in {*written, filed}:
        said = await friendly(typed, local_table(start.text, ruleset=ruleset, seats=BY_HAND))
        assert f" plays {move}" in said, typed
        game = local_table(start.text, ruleset=ruleset, seats=BY_HAND)
        await game.play(typed)
        assert [str(each) for each in game.moves] == [move]


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
    assert "Black wins: all pieces in one group." in await friendly("b1-c1", won)
    tie = local_table("o6o/8/8/8/8/8/3xx3/1x6 x 59 60", ruleset=LOA, seats=BY_HAND)
    assert "A draw: the limit of moves is reached." in await friendly("b1-b2", tie)


async def test_a_square_is_a_move_in_reversi_and_row_one_is_on_top() -> None:
    said = await friendly("d3\na1\nskip\n(0,0)", local_table(ruleset=REVERSI, seats=BY_HAND))
    assert "Type a move such as d3, or help." in said
    assert "Black plays d3 and takes 1." in said
    board = said.partition("takes 1.\n")[2].splitlines()
    assert board[2].split()[:5] == ["3", ".", ".", ".", "[b]"]
    assert "a1 is not legal: a piece on a1 would bracket no piece of" in said
    assert "such as c3" in " ".join(said.split())
    assert "(0,0) is not legal: a piece on (0,0) would bracket no piece" in said
    assert "secs" not in said


async def test_the_moves_of_reversi_are_shown_on_the_board_and_named_as_beside_it() -> None:
    said = await friendly("moves", local_table(ruleset=REVERSI, seats=BY_HAND))
    assert "Black can play c4 d3 e6 f5." in said
    assert " 4  .  .  +  w  b  .  .  . " in said
    assert "(2,3)" not in said


async def test_black_and_white_are_black_and_white_on_a_ground_where_both_are_seen() -> None:
    pretty = Terminal(colour=True, unicode=True)
    black, white = "\x1b[38;5;16;48;5;65m", "\x1b[1;38;5;231;48;5;65m"
    for ruleset in (LOA, REVERSI, CHECKERS):
        said = await friendly("", local_table(ruleset=ruleset, seats=BY_HAND), pretty)
        assert f"{black} ● \x1b[0m" in said
        assert f"{white} ○ \x1b[0m" in said
        assert f"{black}●\x1b[0m Black" in said
        assert "\x1b[1;31m" not in said


async def test_the_turn_of_lines_of_action_tells_how_many_there_can_be() -> None:
    last = local_table("o6o/8/8/8/8/8/3xx3/1x6 x 59 60", ruleset=LOA, seats=BY_HAND)
    said = await friendly("b1-b2", last)
    assert "Turn 60 of 60: Black" in said
    assert "Turn 61" not in said
    assert "The game is over." in said


async def test_an_offered_draw_is_answered_before_anything_else() -> None:
    table = local_table(ruleset=CHECKERS, seats=BY_HAND)
    said = await friendly("draw\n22-18\n11 15\nboard\nreject\ndraw\n11 15", table)
    assert "Black offers a draw. Type accept or reject." in said
    answer = "Black offers a draw: type accept or reject before anything"
    assert said.count(answer) == 1
    assert "White rejects the draw; Black must move." in said
    assert "2. reject" not in said
    assert "Black plays 11-15." in said


async def test_a_machine_that_is_offered_a_draw_answers_without_a_question() -> None:
    table = local_table(ruleset=CHECKERS)
    said = await friendly("draw", table)
    assert "Black offers a draw.\n" in said
    assert "White rejects the draw; Black must move." in said
    assert "accept or reject" not in said


async def test_a_forced_capture_is_told_with_all_its_squares() -> None:
    table = local_table("W:W18,22,K30:B7,8,15,25,26,27,K3", ruleset=CHECKERS, seats=BY_HAND)
    said = " ".join((await friendly("22 17\n18 11\n18 2", table)).split())
    assert "a capture is forced: 18x11x2, 18x11x4, 30x21 or 30x23x32." in said
    assert "the jump from 11 to 2 is still to come" in said
    assert "18-2 is not legal: every square of a jump has to be named: 18x11x2." in said


async def test_every_square_of_a_capture_is_asked_for_one_after_the_other() -> None:
    table = local_table("B:W18,25,26:B15,7", ruleset=CHECKERS, seats=BY_HAND)
    printed = await friendly("15\n22\n29\n", table)
    assert "x: jump to 29, 31\nBlack: 15-15-22 goes on to " not in printed
    assert "15-22 goes on to 29 or 31\n" in printed
    assert "Black: 15-22-Black plays 15x22x29 and takes 2." in printed


async def test_the_last_square_is_enough_where_one_capture_ends_there() -> None:
    table = local_table("B:W18,25,26:B15,7", ruleset=CHECKERS, seats=BY_HAND)
    assert "Black plays 15x22x31 and takes 2." in await friendly("15\n31\n", table)


async def test_a_skipped_turn_is_told_as_a_pass() -> None:
    said = await friendly(
        "pass", local_table("{bw......|........}", ruleset=REVERSI, seats=BY_HAND)
    )
    assert "White passes." in said


async def test_online_a_square_waits_for_its_turn_and_nothing_can_be_set_up() -> None:
    _, white = linked_tables(Position.start(REVERSI))
    assert "It is Black's turn" in await friendly("d3", white)
    black, _ = linked_tables(Position.start(LOA))
    said = await friendly("limit 3\nset a1 - black\nhelp", black)
    assert '"limit" is not a command' in said
    assert '"set" is not a command' in said
    assert "limit N" not in said


async def test_a_move_instead_of_the_answer_to_a_machines_draw_is_told_so() -> None:
    # One king each, and the position has come back twice.
    start = Position.from_text(CHECKERS, "B:WK32:BK1")
    table = local_table(start.text, ruleset=CHECKERS, bot=AlphaBetaBot(2), seats=MACHINE_FIRST)
    table.new(start, [Move("checkers", word) for word in ("1-6", "32-27", "6-1", "27-32") * 2])
    said = await friendly("6 1\n32 27", table)
    assert "Black offers a draw. Type accept or reject." in said
    assert said.count("Black offers a draw: type accept or reject before anything") == 2
    assert "It is Black's turn" not in said


@pytest.mark.parametrize("ruleset", ["ataxx/uai", LOA, REVERSI, CHECKERS])
async def test_every_game_has_hints_and_an_evaluation_with_the_line_expected(
    ruleset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # By positions alone: where a clock ends a search, the line may be one move.
    monkeypatch.setattr("ataxxd_clients.text.friendly.THOROUGH_SEARCH", Effort(40_000, 1_000_000))
    table = local_table(ruleset=ruleset, seats=BY_HAND)
    first, second = line_language(ruleset).names
    said = " ".join((await friendly("hint\neval", table)).split())
    worth = rf"(even|{first} [+]\d+[.]\d\d|{second} [+]\d+[.]\d\d)"
    told = rf"would play (\S+) [(]{worth}[)](?:, which [^;]+)?; it expects .+ to follow[.]"
    hint = re.search(told, said)
    line = re.search(rf"(?i:{worth}), at depth \d+; expected: ([^.]+)[.]", said)
    assert hint is not None, said
    assert line is not None, said
    words = line[2].split()
    assert (hint[1], hint[2].lower()) == (words[0], line[1].lower())
    # What is told can be typed again.
    played = local_table(ruleset=ruleset, seats=BY_HAND)
    await friendly("\n".join(words), played)
    assert len(played.moves) == len(words)
