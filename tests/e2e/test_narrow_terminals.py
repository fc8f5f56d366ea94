"""What commands say, on a terminal that is narrower than the sentence, and at a pipe."""

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
