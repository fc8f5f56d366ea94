"""Reading and writing Ataxx positions."""

import pytest

from ataxxd.rules import InvalidMoveError, InvalidPositionError, Move, Position, UnknownRulesetError

COURSE = "ataxx/cs61b-2022"
UAI = "ataxx/uai"


@pytest.mark.parametrize("ruleset", [COURSE, UAI])
@pytest.mark.parametrize(
    "text",
    [
        "x5o/7/7/7/7/7/o5x x 0 1",
        "x5o/7/2-1-2/7/2-1-2/7/o5x o 25 30",
        "7/7/7/7/7/7/7 x 0 4294967295",
        "xoxoxox/-------/1x1o1-1/3x3/6o/o6/xxxxxxx o 3 17",
    ],
)
def test_canonical_text_reads_back_to_itself(text: str, ruleset: str) -> None:
    assert Position.from_text(ruleset, text).text == text


def test_split_runs_of_empty_squares_are_joined_in_canonical_text() -> None:
    assert Position.from_text(UAI, "x1211o/7/7/7/7/7/o5x x 00 01").text == (
        "x5o/7/7/7/7/7/o5x x 0 1"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has 4 fields with one blank between them"),
        ("x5o/7/7/7/7/7/o5x x 0", "has 3."),
        ("x5o/7/7/7/7/7/o5x  x 0 1", "has 5."),
        ("x5o/7/7/7/7/7/o5x x 0 1 ", "has 5."),
        ("x5o/7/7/7/7/o5x x 0 1", "7 ranks with / between them, rank 7 first"),
        ("x5o/7/7/7/7/7/7/o5x x 0 1", '"x5o/7/7/7/7/7/7/o5x" has 8.'),
        ("x5o/7/2-q-2/7/7/7/o5x x 0 1", "Rank 5, column d: 'q' stands where x, o, - (a block)"),
        ("x5o/7/7/7/7/7/o5X x 0 1", "Rank 1, column g: 'X' stands where"),
        ("x5o/7/7/0/7/7/o5x x 0 1", "Rank 4, column a: '0' stands where"),
        ("x5o/7/7/8/7/7/o5x x 0 1", "Rank 4, column a: '8' stands where"),
        ("x5o/6/7/7/7/7/o5x x 0 1", 'Rank 6 ("6") has only 6 squares; every rank has 7, a to g.'),
        ("x5o//7/7/7/7/o5x x 0 1", 'Rank 6 ("") has only 0 squares'),
        ("x5o/7/7/7/7/7/o5xx x 0 1", 'Rank 1 ("o5xx") has more than 7 squares'),
        ("x5o/7/7/7/7/7/77777 x 0 1", 'Rank 1 ("77777") has more than 7 squares'),
        ("x5o/7/7/7/7/7/o5x w 0 1", 'The side to move is x or o, not "w".'),
        (
            "x5o/7/7/7/7/7/o5x x -1 1",
            'from 0 to 25, where ataxx/cs61b-2022 ends the game; not "-1"',
        ),
        (
            "x5o/7/7/7/7/7/o5x x 26 1",
            'from 0 to 25, where ataxx/cs61b-2022 ends the game; not "26"',
        ),
        ("x5o/7/7/7/7/7/o5x x +1 1", 'not "+1"'),
        ("x5o/7/7/7/7/7/o5x x \u0661 1", 'not "\u0661"'),
        ("x5o/7/7/7/7/7/o5x x 0 0", 'The move number is a whole number from 1, not "0".'),
        ("x5o/7/7/7/7/7/o5x x 0 4294967296", 'not "4294967296"'),
        ("x5o/7/7/7/7/7/o5x x 0 ", 'not ""'),
    ],
)
def test_faulty_text_is_refused_with_the_place_of_the_fault(text: str, message: str) -> None:
    with pytest.raises(InvalidPositionError) as caught:
        Position.from_text(COURSE, text)
    assert message in str(caught.value)


def test_each_ruleset_has_its_own_clock_limit() -> None:
    text = "x5o/7/7/7/7/7/o5x x {} 1"
    assert Position.from_text(UAI, text.format(100)).outcome is not None
    with pytest.raises(InvalidPositionError, match="from 0 to 100"):
        Position.from_text(UAI, text.format(101))


@pytest.mark.parametrize("ruleset", ["", "ataxx", "ataxx/CS61B-2022", "go/japanese"])
def test_an_unknown_ruleset_is_refused_with_those_that_exist(ruleset: str) -> None:
    for make in (Position.start, lambda r: Position.from_text(r, "x5o/7/7/7/7/7/o5x x 0 1")):
        with pytest.raises(UnknownRulesetError) as caught:
            make(ruleset)
        assert f'no ruleset "{ruleset}"' in str(caught.value)
        assert "ataxx/cs61b-2022, ataxx/uai" in str(caught.value)


@pytest.mark.parametrize("text", ["G2", "a7-a5", "a7b6", "a7d4", "-", " g2", "g2 ", "h1", "g8"])
def test_a_bare_move_is_read_from_canonical_text_alone(text: str) -> None:
    with pytest.raises(InvalidMoveError, match="is not the canonical text of a move"):
        Move("ataxx", text)


def test_a_move_of_an_unknown_game_is_refused() -> None:
    with pytest.raises(UnknownRulesetError, match='no game "chess"; there are ataxx'):
        Move("chess", "e2e4")
