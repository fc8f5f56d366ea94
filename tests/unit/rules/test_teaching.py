"""What somebody meets who explores the rules at Python's prompt or in a notebook."""

import inspect
import random
from xml.etree import ElementTree as ET

import pytest

from ataxxd.rules import Engine, IllegalMoveError, Move, Position, rulesets
from ataxxd.rules.values import ending_text

RULESETS = [info.id for info in rulesets()]


@pytest.mark.parametrize("kind", [Position, Move, Engine])
def test_help_teaches_every_public_member(kind: type) -> None:
    assert (inspect.getdoc(kind) or "").count("\n") > 3
    silent = [
        name
        for name, member in vars(kind).items()
        if not name.startswith("_") and not (inspect.getdoc(member) or "").strip()
    ]
    assert not silent


def test_help_says_what_a_call_takes_and_raises() -> None:
    said = inspect.getdoc(Position.play) or ""
    assert said.startswith("The position after a move")
    assert "IllegalMoveError: the move is not legal here" in said
    assert "hash_mb: from 1 to 65536" in (inspect.getdoc(Engine) or "")


def test_print_draws_the_board_and_says_whose_turn_it_is() -> None:
    start = Position.start("ataxx/cs61b-2022")
    assert str(start.play(start.parse_move("a7-b6"))).splitlines() == [
        " 7  x . . . . . o",
        " 6  . x . . . . .",
        " 5  . . . . . . .",
        " 4  . . . . . . .",
        " 3  . . . . . . .",
        " 2  . . . . . . .",
        " 1  o . . . . . x",
        "    a b c d e f g",
        "Blue (o) to move",
    ]
    checkers = str(Position("checkers/acf", "W:W18,K30:B7,8,K15")).splitlines()
    assert checkers[1] == " 5  .   .   x   x"
    assert checkers[-1] == "White (o) to move"
    assert str(Position.start("reversi/standard")).splitlines()[0].startswith(" 1  ")


@pytest.mark.parametrize("ruleset", RULESETS)
def test_print_says_how_a_game_ended(ruleset: str) -> None:
    position = Position.start(ruleset)
    chance = random.Random(7)
    while position.outcome is None:
        position = position.play(chance.choice(position.legal_moves))
    last = str(position).splitlines()[-1]
    assert last == ending_text(position.outcome, position)


def test_the_end_is_told_in_words() -> None:
    blocked = Position("ataxx/uai", "ooooooo/ooooooo/ooooooo/ooooooo/xxxxxxx/xxxxxxx/xxxxxxx x 0 1")
    assert str(blocked).splitlines()[-1] == "White wins, 28 to 21: nobody can move."
    assert str(blocked.outcome) == "0-1 (no-moves)"


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_notebook_shows_a_picture_of_every_piece(ruleset: str) -> None:
    position = Position.start(ruleset)
    drawn = ET.fromstring(position._repr_svg_())
    pieces = drawn.findall("{http://www.w3.org/2000/svg}g[@transform]")
    assert len(pieces) >= sum(position.counts)


def test_moves_name_their_squares() -> None:
    clone, jump = Move("ataxx", "b6"), Move("ataxx", "a7a5")
    assert (clone.from_square, clone.to_square, clone.squares) == (None, "b6", ("b6",))
    assert (jump.from_square, jump.to_square) == ("a7", "a5")
    assert Move("ataxx", "0000").squares == ()
    assert Move("loa", "b1-d3").squares == ("b1", "d3")
    assert Move("checkers", "22x15x8").squares == ("22", "15", "8")
    assert Move("reversi", "d3").from_square is None
    assert Move("reversi", "--").to_square is None


def test_captures_are_what_is_taken_or_turned() -> None:
    ataxx = Position("ataxx/uai", "7/7/7/2o1x2/2o4/7/7 x 0 1")
    assert ataxx.captures(ataxx.parse_move("d4")) == ("c4", "c3")
    loa = Position("loa/cs61b", "8/8/8/8/8/o1x5/3xx3/6o1 x 4 60 set")
    assert loa.captures(loa.parse_move("c3-a3")) == ("a3",)
    assert loa.captures(loa.parse_move("d2-d3")) == ()
    checkers = Position("checkers/cs61b-2004", "W:W18,K30:B7,8,K15")
    assert checkers.captures(checkers.parse_move("18-11-4")) == ("8", "15")
    reversi = Position.start("reversi/standard")
    assert reversi.captures(reversi.parse_move("d3")) == ("d4",)
    with pytest.raises(IllegalMoveError):
        reversi.captures(Move("reversi", "a1"))
