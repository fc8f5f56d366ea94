"""``ataxxd hub`` driven by a client of somebody else: the Hub client of pydraughts."""

import sys
import warnings
from pathlib import Path

from ataxxd.rules import Position
from ataxxd.rules.notation.engine_protocols import read_hub_move, write_hub_position

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from draughts.engine import HubEngine  # type: ignore[import-untyped]


def test_a_client_of_another_project_plays_a_game_with_it(tmp_path: Path) -> None:
    script = tmp_path / "engine"
    script.write_text(f"#!/bin/sh\nexec {sys.executable} -m ataxxd hub\n")
    script.chmod(0o755)
    engine = HubEngine([str(script)])
    try:
        assert engine.id["name"] == "ataxxd"
        assert engine.variants == {"english"}
        assert {"variant", "hash", "level", "seed"} <= engine.options
        engine.configure({"variant": "english", "hash": "2"})
        engine.init()
        engine.ping()
        start = position = Position.start("checkers/acf")
        said: list[str] = []
        for _ in range(30):
            if position.outcome is not None:
                break
            best, _ponder = engine.go(
                write_hub_position(start), moves=" ".join(said), nodes=200, inc=0.0
            )
            position = position.play(read_hub_move(position, best))
            said.append(best)
            assert engine.info["nodes"] <= 200
            assert engine.info["pv"]
        assert len(said) >= 20
        best, _ponder = engine.go(write_hub_position(start), my_time=1.0, inc=0.1, moves_left=9)
        assert Position.start("checkers/acf").is_legal(read_hub_move(start, best))
    finally:
        engine.kill_process()
