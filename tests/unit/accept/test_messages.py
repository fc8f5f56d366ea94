"""A line that begins with a star is a message of one game, or an error."""

import pytest

from ataxxd_clients.accept.program import (
    GAMES,
    MessageError,
    is_message,
    read_message,
)

ATAXX, LOA = GAMES


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("* Red moves a7-b6.", "a7-b6"),
        ("* Blue moves -.", "-"),
        ("  *  Red  moves g1-g3.", "g1-g3"),
    ],
)
def test_a_move_of_ataxx_is_read_in_the_form_that_is_typed(line: str, move: str) -> None:
    message = read_message(line)
    assert (message.move, message.forms) == (move, ATAXX)


def test_a_move_of_lines_of_action_is_read_in_the_form_that_is_typed() -> None:
    message = read_message("  * a2-c2")
    assert (message.move, message.forms) == ("a2-c2", LOA)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.game)
def test_every_result_is_read_with_and_without_a_blank_before_it(game: object) -> None:
    assert game in GAMES
    for forms in GAMES:
        for text in forms.results:
            for line in (text, f" {text}"):
                message = read_message(line)
                assert (message.text, message.move, message.forms) == (text, None, forms)


@pytest.mark.parametrize(
    "line",
    [
        "* Red moves a7-b6",
        "* red moves a7-b6.",
        "* Red passes.",
        "* Green wins.",
        "* Red moves a8-b6.",
        "* Draw",
        "* a2-c9",
        "* Black moves a2-c2.",
        "*",
        "*** welcome ***",
    ],
)
def test_whatever_else_begins_with_a_star_is_refused_and_quoted(line: str) -> None:
    with pytest.raises(MessageError, match="begins with") as caught:
        read_message(line)
    assert " ".join(line.removeprefix("*").split()) in str(caught.value)


def test_the_form_that_comes_nearest_is_shown() -> None:
    with pytest.raises(MessageError, match=r'such as "\* Red wins\."'):
        read_message("* Red wins")


def test_a_message_of_another_game_is_refused_once_the_game_is_known() -> None:
    with pytest.raises(MessageError, match=r"not a message of Ataxx; one is"):
        read_message("* a2-c2", (ATAXX,))


def test_only_a_star_after_nothing_but_blanks_makes_a_message() -> None:
    assert is_message("  * Draw.")
    assert not is_message("Fewer * stars")
    assert not is_message("===")
