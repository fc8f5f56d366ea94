"""What a marked program is asked, and how its answers are read."""

import pytest

from ataxxd.engines.laboratory import (
    RULESET,
    ProgramError,
    ReferencePlayer,
    answer,
    board_eval_question,
    choose_move_question,
    read_move,
    read_value,
)
from ataxxd.rules import Position

START = Position.start(RULESET)
STATE = "[........|........|........|...wb...|...bw...|........|........|........]"


def reply(question: str) -> str:
    return answer(question, ReferencePlayer().choose_move)


def test_questions_are_a_word_a_depth_and_a_state() -> None:
    assert board_eval_question(START) == f"boardEval {STATE}"
    assert choose_move_question(START, 8) == f"chooseMove 8 {STATE}"


def test_the_reference_answers_in_one_line() -> None:
    assert reply(board_eval_question(START)) == "0"
    assert reply(choose_move_question(START, 4)) == "(2,3)"
    assert reply("chooseMove 3 {bw}") == "(-1,-1)"


@pytest.mark.parametrize(
    "question",
    ["", "boardEval", "chooseMove 3", "chooseMove {bw}", "chooseMove 0 {bw}", "boardeval {bw}",
     "boardEval {bq}", "chooseMove 3 {b.w}", f"chooseMove 100 {STATE}"],
)  # fmt: skip
def test_what_is_no_question_is_answered_by_an_error(question: str) -> None:
    assert reply(question).startswith("error: ")


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("chooseMove 0 {bw}", "ask chooseMove DEPTH STATE, where DEPTH is 1 to 99;"),
        ("choosemove 3", "ask chooseMove DEPTH STATE, where DEPTH is 1 to 99;"),
        ("boardEval", "ask boardEval STATE;"),
        ("eval {bw}", "'eval' is not a question; ask boardEval STATE or chooseMove DEPTH STATE"),
    ],
)
def test_an_error_names_the_form_of_the_question_that_was_asked(question: str, form: str) -> None:
    assert reply(question).startswith(f"error: {form}")


@pytest.mark.parametrize("line", ["(2,3)", " ( 2, 3 )", "2,3", "c4", "C4"])
def test_a_move_is_read_in_every_notation(line: str) -> None:
    assert read_move(line, START).text == "c4"


@pytest.mark.parametrize("line", ["(-1,-1)", "skip", "--"])
def test_a_skip_is_a_move_where_there_is_no_other(line: str) -> None:
    assert read_move(line, Position.from_text(RULESET, "{bw}")).text == "--"
    with pytest.raises(ProgramError, match="not legal") as raised:
        read_move(line, START)
    assert raised.value.in_step


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("(0,0)", r"not legal: a piece on \(0,0\) would bracket no piece"),
        ("(9,9)", "not legal"),
        ("null", "not a move such as"),
        ("12", "not a move such as"),
        ("error: java.lang.NullPointerException", "NullPointerException"),
    ],
)
def test_what_is_no_legal_move_is_quoted(line: str, why: str) -> None:
    with pytest.raises(ProgramError, match=why) as raised:
        read_move(line, START)
    assert line in str(raised.value)


@pytest.mark.parametrize("line", ["-12", "+12", "0", " 7 "])
def test_a_value_is_a_whole_number(line: str) -> None:
    assert read_value(line) == int(line)


@pytest.mark.parametrize("line", ["", "1.5", "(2,3)", "1" * 5000, "٣", "error: no weights"])
def test_what_is_no_whole_number_is_quoted_and_cut(line: str) -> None:
    with pytest.raises(ProgramError) as raised:
        read_value(line)
    assert len(str(raised.value)) < 120
