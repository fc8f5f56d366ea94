"""What commands say, on a terminal that is narrower than the sentence, and at a pipe."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.terminals import in_terminal

WIDTH = 40


@pytest.mark.gate
def test_an_error_is_folded_between_words_on_a_terminal_and_nowhere_else(tmp_path: Path) -> None:
    arguments = ["resume", "ourgame", "--home", str(tmp_path)]
    piped = subprocess.run(
        [sys.executable, "-m", "ataxxd", *arguments], capture_output=True, text=True, check=False
    ).stderr
    assert piped.count("\n") == 1
    assert len(piped) > WIDTH
    with in_terminal(arguments, size=(WIDTH, 24)) as terminal:
        assert terminal.wait() != 0
        lines = terminal.text.splitlines()
    assert len(lines) > 1
    assert " ".join(lines).split() == piped.split()
    # A path is one word; all else fits.
    assert all(len(line) <= WIDTH for line in lines if str(tmp_path) not in line)


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_a_board_is_drawn_again_when_its_terminal_is_made_narrower_and_wider(
    tmp_path: Path, term: str
) -> None:
    environment = {"ATAXXD_HOME": str(tmp_path), "TERM": term}
    with in_terminal(["play"], environment=environment) as terminal:
        at = terminal.read_until("Type a move")
        assert _remark(terminal.text) > WIDTH // 2, "beside the board"
        terminal.type(b"a7\r")
        at = terminal.read_until("jump", at)
        terminal.resize(WIDTH)
        terminal.read_until("Turn 1: Red", at)
        assert _remark(terminal.text[at:]) == 0, "below it"
        # What was half entered is still to be seen.
        assert "5  2  2  2" in terminal.text[at:]
        at = len(terminal.text)
        terminal.resize(80)
        terminal.read_until("Turn 1: Red", at)
        assert _remark(terminal.text[at:]) > WIDTH // 2
        terminal.type(b"\rquit\r")
        assert terminal.wait() == 0


def _remark(text: str) -> int:
    """The column of the remark on whose turn it is, in the last line that has it."""
    line = next(line for line in reversed(text.splitlines()) if "Turn 1: Red" in line)
    found = re.search("Turn 1: Red", line)
    assert found is not None
    return found.start()
