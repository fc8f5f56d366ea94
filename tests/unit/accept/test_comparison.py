"""Outputs are compared as the course's tester compares them, and the first difference is named."""

import pytest

from ataxxd_clients.accept import compare

BOARD = ["===", "  r - b", "==="]


def test_equal_outputs_do_not_differ() -> None:
    assert compare(BOARD, BOARD) is None
    assert compare([], []) is None


def test_comments_trailing_blanks_and_blank_lines_of_either_side_do_not_count() -> None:
    standard = ["# Three squares.", "===", "  r - b  # the row", "", "=== ", "  "]
    assert compare([*BOARD, ""], standard) is None


def test_blanks_before_a_message_do_not_count() -> None:
    assert compare(["* Red wins."], [" * Red wins."]) is None


def test_blanks_before_a_row_count() -> None:
    difference = compare(["===", " r - b", "==="], BOARD)
    assert difference is not None
    assert (difference.line, difference.expected, difference.printed) == (2, "  r - b", " r - b")
    assert str(difference) == 'expected "  r - b", printed " r - b"'


def test_the_line_named_is_that_of_the_file_with_its_comments() -> None:
    difference = compare(["* Draw."], ["# What Blue hopes for:", "", "* Blue wins."])
    assert difference is not None
    assert difference.line == 3


def test_what_is_missing_is_said() -> None:
    difference = compare(BOARD, [*BOARD, "* Draw."])
    assert difference is not None
    assert str(difference) == '"* Draw." is missing'
    assert difference.line == 4


def test_what_is_too_much_is_said() -> None:
    difference = compare([*BOARD, "* Draw."], BOARD)
    assert difference is not None
    assert str(difference) == '"* Draw." was not expected'
    assert difference.line == 4


@pytest.mark.parametrize("word", ["-  r - b", "+  - - b"])
def test_the_diff_shows_expected_and_printed_lines(word: str) -> None:
    difference = compare(["===", "  - - b", "==="], BOARD)
    assert difference is not None
    assert word in difference.diff
