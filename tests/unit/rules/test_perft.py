"""Counts of move sequences against published figures."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ataxxd.rules import Position

FILES = Path(__file__).parents[2] / "data" / "perft"

# The largest count that every run checks: well under a second at the slowest game's speed.
# Of each file the largest lines are left out, of Ataxx one.
NODE_LIMIT = 60_000_000
ATAXX_NODE_LIMIT = 142_000_000


def cases(game: str, ruleset: str, node_limit: int = NODE_LIMIT) -> Iterator[object]:
    for line in (FILES / f"{game}.perft").read_text().splitlines():
        if not line.startswith("#"):
            text, *counts = (field.strip() for field in line.split(";"))
            for count in counts:
                depth, nodes = count.removeprefix("D").split()
                if int(nodes) <= node_limit:
                    yield pytest.param(
                        ruleset, text, int(depth), int(nodes), id=f"{text.split()[0]}-D{depth}"
                    )


@pytest.mark.parametrize(
    ("ruleset", "text", "depth", "nodes"),
    [
        *cases("ataxx", "ataxx/uai", ATAXX_NODE_LIMIT),
        *cases("loa", "loa/cs61b"),
        *cases("checkers", "checkers/cs61b-2004"),
        *cases("checkers", "checkers/acf"),
        *cases("reversi", "reversi/standard"),
    ],
)
def test_perft_gives_the_published_count(ruleset: str, text: str, depth: int, nodes: int) -> None:
    assert Position.from_text(ruleset, text).perft(depth) == nodes


@pytest.mark.parametrize("ruleset", ["ataxx/cs61b-2022", "ataxx/uai"])
def test_perft_of_the_start_to_depth_six_is_the_same_under_both_rulesets(ruleset: str) -> None:
    assert Position.start(ruleset).perft(6) == 141_865_520


def test_perft_equals_the_number_of_lines_played_out() -> None:
    def lines(position: Position, depth: int) -> int:
        if depth == 0:
            return 1
        return sum(lines(position.play(move), depth - 1) for move in position.legal_moves)

    for text in (
        "x5o/7/2-1-2/7/2-1-2/7/o5x x 23 30",
        "7/7/7/7/ooooooo/ooooooo/xxxxxxx x 24 1",
        "ooooooo/ooooo1o/ooooooo/ooooooo/xxxxxxo/xxxxxxo/xxxxx1o x 0 1",
        "7/7/7/2x1o2/7/7/7 x 0 1",
    ):
        position = Position.from_text("ataxx/cs61b-2022", text)
        for depth in range(4):
            assert position.perft(depth) == lines(position, depth)


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="-1 is too small; the least is 0"):
        Position.start("ataxx/uai").perft(-1)
    with pytest.raises(ValueError, match="is too large"):
        Position.start("ataxx/uai").perft(2**40)
