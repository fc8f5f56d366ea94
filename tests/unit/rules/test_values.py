"""Positions, moves and the values around them behave as values."""

import ast
import copy
import doctest
import pickle
import pkgutil
from pathlib import Path

import pytest

import ataxxd.rules
from ataxxd.rules import IllegalMoveError, Move, Outcome, Position, RulesError, Side, rulesets

START = "x5o/7/7/7/7/7/o5x x 0 1"


@pytest.mark.parametrize("ruleset", [info.id for info in rulesets()])
def test_positions_and_moves_survive_pickling_and_copying(ruleset: str) -> None:
    position = Position.start(ruleset)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        for value in (position, *position.legal_moves, Side.SECOND, Outcome("no-moves", None)):
            again = pickle.loads(pickle.dumps(value, protocol))
            assert again == value
            assert hash(again) == hash(value)
    assert copy.deepcopy(position) == position == copy.copy(position)


def test_errors_survive_pickling() -> None:
    with pytest.raises(IllegalMoveError) as caught:
        Position.start("ataxx/uai").parse_move("a7-d4")
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, IllegalMoveError)
    assert str(again) == str(caught.value)


def test_every_refusal_is_a_value_error() -> None:
    assert issubclass(RulesError, ValueError)
    for name in ataxxd.rules.__all__:
        thing = getattr(ataxxd.rules, name)
        if isinstance(thing, type) and issubclass(thing, Exception):
            assert issubclass(thing, RulesError)


def test_the_public_names_are_those_listed() -> None:
    public = {name for name in vars(ataxxd.rules) if name[0].isalpha()}
    modules = {module.name for module in pkgutil.iter_modules(ataxxd.rules.__path__)}
    assert public - modules == set(ataxxd.rules.__all__)


def test_repr_is_the_constructor_call() -> None:
    position = Position.start("ataxx/uai")
    move = position.parse_move("a7a5")
    assert repr(position) == f"Position('ataxx/uai', '{START}')"
    assert repr(move) == "Move('ataxx', 'a7a5')"
    assert eval(repr(position)) == position
    assert eval(repr(move)) == move


def test_a_side_is_written_as_options_write_it() -> None:
    assert [str(side) for side in Side] == ["first", "second"]
    assert f"{Side.FIRST:6}|{Side.SECOND}" == "first |second"


@pytest.mark.parametrize("method", ["play", "is_legal", "captures", "format_move"])
def test_text_in_place_of_a_move_is_refused_by_naming_parse_move(method: str) -> None:
    position = Position.start("ataxx/uai")
    with pytest.raises(TypeError, match=r"make one with position\.parse_move\('a7-b6'\)"):
        getattr(position, method)("a7-b6")
    with pytest.raises(TypeError, match="A Move is needed, not int"):
        getattr(position, method)(5)


def test_positions_are_equal_by_text_and_ruleset() -> None:
    one = Position.start("ataxx/uai")
    assert one == Position.from_text("ataxx/uai", START)
    assert hash(one) == hash(Position.from_text("ataxx/uai", START))
    assert one != Position.start("ataxx/cs61b-2022")
    assert one != Position.from_text("ataxx/uai", START[:-1] + "2")
    assert one != Position.from_text("ataxx/uai", START.replace("x 0", "x 1"))
    assert one != START


def test_moves_are_equal_by_game_and_text_wherever_they_come_from() -> None:
    start = Position.start("ataxx/uai")
    assert start.parse_move("a7-b6") == Move("ataxx", "b6") == start.parse_move("B6")
    assert len({start.parse_move("a7-b6"), Move("ataxx", "b6")}) == 1
    assert Move("ataxx", "b6") != Move("ataxx", "a6")


def test_playing_leaves_the_position_as_it_was() -> None:
    start = Position.start("ataxx/uai")
    start.play(start.legal_moves[0])
    assert start.text == START


def test_positions_and_moves_cannot_be_changed() -> None:
    position = Position.start("ataxx/uai")
    for value, name in ((position, "turn"), (position, "new"), (position.legal_moves[0], "text")):
        with pytest.raises(AttributeError):
            setattr(value, name, None)


def test_sides_and_winners_can_be_compared_by_identity() -> None:
    start = Position.start("ataxx/uai")
    assert start.turn is Side.FIRST
    assert start.turn.opponent is Side.SECOND
    assert start.turn.opponent.opponent is Side.FIRST
    assert int(Side.FIRST) == 0


def test_the_key_ignores_the_move_number_and_nothing_else() -> None:
    def key(text: str, ruleset: str = "ataxx/uai") -> int:
        return Position.from_text(ruleset, text).key

    assert key(START) == key(START[:-1] + "7")
    others = {
        key(START),
        key(START, "ataxx/cs61b-2022"),
        key(START.replace("x 0", "o 0")),
        key(START.replace("x 0", "x 1")),
        key(START.replace("/7/o5x", "/6-/o5x")),
        key(START.replace("x5o", "6o")),
    }
    assert len(others) == 6
    assert all(0 <= other < 2**64 for other in others)


def test_rulesets_are_described() -> None:
    infos = rulesets()
    # Records name them for ever; a new game comes beside them.
    assert {info.id for info in infos} >= {
        "ataxx/cs61b-2022",
        "ataxx/uai",
        "loa/cs61b",
        "checkers/cs61b-2004",
        "checkers/acf",
        "reversi/standard",
    }
    for info in infos:
        assert info.game == info.id.partition("/")[0]
        assert info.title
        assert len(info.side_names) == 2
        assert info.description.endswith(".")
        assert Position.start(info.id).ruleset == info.id
        assert Position.start(info.id).game == info.game


def test_the_example_of_the_documentation_runs() -> None:
    stub = Path(ataxxd.rules.__file__).parents[1] / "_engine.pyi"
    text = ast.get_docstring(ast.parse(stub.read_text()))
    assert text is not None
    example = doctest.DocTestParser().get_doctest(text, {}, "_engine.pyi", str(stub), 0)
    results = doctest.DocTestRunner().run(example)
    assert (results.attempted, results.failed) == (4, 0)
