"""Where the games of a match begin."""

from itertools import islice
from pathlib import Path

import pytest

from ataxxd.engines.match.openings import BALANCE_NODES, random_openings, read_openings
from ataxxd.errors import StorageError, UsageError
from ataxxd.rules import Engine, Position, rulesets


@pytest.mark.parametrize("ruleset", [info.id for info in rulesets()])
def test_a_seed_gives_the_same_openings_again_and_no_two_alike(ruleset: str) -> None:
    start = Position.start(ruleset)
    once = list(islice(random_openings(start, 4, 7), 30))
    assert once == list(islice(random_openings(start, 4, 7), 30))
    assert once != list(islice(random_openings(start, 4, 8), 30))
    assert len({opening.text for opening in once}) == 30
    assert all(opening.outcome is None for opening in once)


def test_openings_come_again_when_there_are_no_more() -> None:
    start = Position.start("reversi/standard")
    assert len({each.text for each in islice(random_openings(start, 1, 1), 6)}) == 4
    assert list(islice(random_openings(start, 0, 1), 2)) == [start, start]


def test_too_many_random_moves_leave_no_game() -> None:
    start = Position.start("reversi/standard")
    with pytest.raises(UsageError, match="Use fewer"):
        next(random_openings(start, 90, 1))


@pytest.mark.parametrize("ruleset", ["reversi/standard", "loa/cs61b"])
def test_balanced_openings_are_those_that_our_engine_scores_within_the_limit(ruleset: str) -> None:
    start = Position.start(ruleset)
    engine = Engine(1)

    def score(opening: Position) -> int:
        engine.clear()
        return abs(engine.search(opening, nodes=BALANCE_NODES).score)

    balanced = list(islice(random_openings(start, 8, 7, 150), 20))
    assert max(map(score, balanced)) <= 150
    assert max(map(score, islice(random_openings(start, 8, 7), 20))) > 150
    assert balanced == list(islice(random_openings(start, 8, 7, 150), 20))
    assert len({each.text for each in balanced}) == 20


def test_a_balance_that_no_opening_has_is_explained() -> None:
    start = Position.start("reversi/standard")
    with pytest.raises(UsageError, match="Use a larger --balanced"):
        next(random_openings(start, 1, 1, 0))


def test_balanced_openings_come_again_when_there_are_no_more() -> None:
    start = Position.start("reversi/standard")
    assert len({each.text for each in islice(random_openings(start, 1, 1, 6400), 6)}) == 4


def test_a_file_has_a_position_on_each_line(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    start = Position.start("ataxx/uai")
    file.write_text(f"# two\n\n{start.text}\nx5o/7/2-1-2/7/2-1-2/7/o5x x 0 1\n")
    openings = read_openings(file, "ataxx/uai")
    assert [each.ruleset for each in openings] == ["ataxx/uai"] * 2
    assert openings[0] == start


@pytest.mark.parametrize(
    ("text", "told"),
    [("", "has no position"), ("x5o x", "line 1: "), ("\n7/7/7/7/7/7/x6 o 0 1", "line 2: .*over")],
)
def test_a_file_that_is_none_is_explained(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "openings.txt"
    file.write_text(text)
    with pytest.raises(UsageError, match=told):
        read_openings(file, "ataxx/uai")
    with pytest.raises(StorageError, match=r"cannot be read: No such file or directory[.]$"):
        read_openings(tmp_path / "nowhere", "ataxx/uai")


def test_a_file_may_begin_with_a_mark_of_its_encoding_which_is_utf_8(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    start = Position.start("ataxx/uai")
    file.write_text(f"{start.text}\n", encoding="utf-8-sig")
    assert read_openings(file, "ataxx/uai") == [start]
    file.write_bytes(b"# \xff\n")
    with pytest.raises(UsageError, match="is not a text file: byte 2 is not UTF-8"):
        read_openings(file, "ataxx/uai")
