"""``ataxxd uai`` driven by a client of somebody else: the one of python-ataxx."""

import sys
from pathlib import Path
from typing import Any

import ataxx  # type: ignore[import-untyped]
import ataxx.uai  # type: ignore[import-untyped]
import pytest


# What the client does, and not what is tested.
@pytest.mark.filterwarnings("ignore:line buffering:RuntimeWarning")
def test_a_client_of_another_project_plays_a_game_with_it(tmp_path: Path) -> None:
    script = tmp_path / "engine"
    script.write_text(f"#!/bin/sh\nexec {sys.executable} -m ataxxd uai\n")
    script.chmod(0o755)
    engine: Any = ataxx.uai.Engine(str(script))
    try:
        engine.uai()
        assert engine.name.startswith("ataxxd ")
        engine.setoption("Hash", 2)
        engine.isready()
        engine.uainewgame()
        board = ataxx.Board()
        for limits in (
            {"nodes": 200},
            {"depth": 3},
            {"movetime": 10},
            {"times": (1000, 1000, 10, 10)},
        ) * 10:
            if board.gameover():
                break
            engine.position(board.get_fen())
            best, _ponder = engine.go(**limits)
            move = ataxx.Move.from_san(best)
            assert board.is_legal(move)
            board.makemove(move)
    finally:
        client: Any = engine.client
        client.send_line("quit")
        assert client.process.wait(30) == 0
        # Its own `quit` closes the pipe under its reading thread.
        client.stop.set()
        client.listener.join(30)
        client.process.stdin.close()
        client.process.stdout.close()
