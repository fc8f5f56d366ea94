"""The engine of pages finds what the program's does: the same search, in WebAssembly."""

import gzip

import pytest

from ataxxd.engines import LOWEST_LEVEL
from ataxxd.engines.benchmark import TASKS
from ataxxd.engines.native import LEVELS, NativeBot
from ataxxd.rules import Engine, Position
from tests.interop.browser_peer import PEER, needs_browser_peer, searches

pytestmark = needs_browser_peer

# Of what a page sends compressed, at the most.
MAX_BYTES = 1_600_000


@pytest.mark.parametrize("game", TASKS)
def test_the_pages_engine_visits_the_same_positions_and_finds_the_same(game: str) -> None:
    task = TASKS[game]
    found = searches(
        [
            {"ruleset": task.ruleset, "position": text, "limits": {"nodes": 30_000, "seed": seed}}
            for seed, text in enumerate(task.positions)
        ]
    )
    for seed, (text, answer) in enumerate(zip(task.positions, found, strict=True)):
        position = Position.from_text(task.ruleset, text)
        native = Engine(16).search(position, nodes=30_000, seed=seed)
        line = [move.text for move in native.pv]
        expected = (
            native.move.text,
            native.score,
            native.mate_in,
            native.depth,
            native.nodes,
            line,
        )
        keys = ("move", "score", "mateIn", "depth", "nodes", "line")
        assert tuple(answer[key] for key in keys) == expected


@pytest.mark.parametrize("game", TASKS)
def test_the_pages_engine_errs_at_the_lowest_level_as_the_programs_does(game: str) -> None:
    task, level = TASKS[game], LEVELS[game][LOWEST_LEVEL]
    asked = [(text, seed) for text in task.positions for seed in range(1, 9)]
    limits = {"depth": level.depth, "nodes": level.nodes, "temperature": level.temperature}
    found = searches(
        [
            {
                "ruleset": task.ruleset,
                "position": text,
                "limits": {**limits, "oversight": level.oversight, "seed": seed},
            }
            for text, seed in asked
        ]
    )
    bot = NativeBot(LOWEST_LEVEL)
    for (text, seed), answer in zip(asked, found, strict=True):
        move = bot.choose(Position.from_text(task.ruleset, text), seed=seed)
        assert answer["move"] == move.text


@pytest.mark.parametrize("game", TASKS)
def test_the_engine_of_a_game_is_small_enough_to_be_loaded_over_a_phone(game: str) -> None:
    module = (PEER / "build" / f"search-{game}.wasm").read_bytes()
    assert len(gzip.compress(module)) <= MAX_BYTES
