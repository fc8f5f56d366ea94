"""Whole games are played exactly as they were written down."""

import pytest

from ataxxd.rules import Position, rulesets
from tests.playthroughs import FOLDER, SEEDS, path_of, playthrough

GAMES = [(info.id, seed) for info in rulesets() for seed in SEEDS]


@pytest.mark.parametrize(("ruleset", "seed"), GAMES)
def test_a_game_is_played_as_it_was_written_down(ruleset: str, seed: int) -> None:
    written = path_of(ruleset, seed).read_text(encoding="utf-8")
    assert playthrough(ruleset, seed) == written, "meant? Run `python -m tests.playthroughs`."


@pytest.mark.parametrize(("ruleset", "seed"), GAMES)
def test_the_moves_of_a_file_lead_through_its_positions(ruleset: str, seed: int) -> None:
    position = Position.start(ruleset)
    ply = 0
    for line in path_of(ruleset, seed).read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(": ")
        if name.isdigit():
            assert (int(name), value) == (ply, position.text)
        elif name == "plays":
            canonical, *others = value.split()
            for text in others[:1]:
                assert position.parse_move(text).text == canonical
            position = position.play(position.parse_move(canonical))
            ply += 1
    assert position.outcome is not None


def test_every_file_belongs_to_a_game() -> None:
    assert set(FOLDER.iterdir()) == {path_of(*game) for game in GAMES}
