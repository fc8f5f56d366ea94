"""The terminal UI within tmux, in front of a shell that gets its terminal back."""

import os
import select
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ataxxd.rules import Position
from tests.time_limits import DEADLINE

# From the start to a board without blue pieces.
SHORT_GAME = ("g1-f2", "a1-c2", "f2-d3", "g7-e6", "d3-d5")


class Pane:
    """A shell in a pane of a tmux server of its own."""

    def __init__(self, folder: Path) -> None:
        """Start the server; its socket and whatever it writes lie in `folder`."""
        self._socket = folder / "tmux"
        inherited = {key: value for key, value in os.environ.items() if key not in {"TMUX", "ENV"}}
        self._environment = {
            **inherited,
            "LC_ALL": "C.UTF-8",
            "ATAXXD_HOME": str(folder / "home"),
        }
        self.ask("new-session", "-d", "-x", "80", "-y", "24", "sh")
        # Whatever is written there wakes us up; open for both, so that it never ends.
        news = folder / "news"
        os.mkfifo(news)
        self._news = os.open(news, os.O_RDWR | os.O_NONBLOCK)
        self.ask("pipe-pane", "-O", f"exec cat > {shlex.quote(str(news))}")

    def ask(self, *words: str) -> str:
        """Give tmux a command; what it answers."""
        return subprocess.run(
            ["tmux", "-u", "-S", str(self._socket), "-f", os.devnull, *words],
            check=True,
            capture_output=True,
            env=self._environment,
            text=True,
            timeout=DEADLINE,
        ).stdout

    @property
    def screen(self) -> str:
        """What the pane shows now."""
        return self.ask("capture-pane", "-p")

    def type(self, line: str) -> None:
        self.ask("send-keys", "-l", line)
        self.ask("send-keys", "Enter")

    def until(self, text: str) -> None:
        """Wait until the pane shows some text."""
        deadline = time.monotonic() + DEADLINE
        while text not in (screen := self.screen):
            assert time.monotonic() < deadline, f"{text!r} never came:\n{screen}"
            if select.select([self._news], [], [], 1)[0]:
                os.read(self._news, 1 << 16)

    def close(self) -> None:
        self.ask("kill-server")
        os.close(self._news)


@pytest.fixture
def pane(tmp_path: Path) -> Iterator[Pane]:
    if shutil.which("tmux") is None:
        if os.environ.get("CI"):
            pytest.fail("tmux is not installed, and CI must have it: make terminal")
        pytest.skip("tmux is not installed")
    running = Pane(tmp_path)
    try:
        yield running
    finally:
        running.close()


def test_a_whole_game_is_typed_and_the_shell_gets_its_terminal_back(
    pane: Pane, tmp_path: Path
) -> None:
    kept = [tmp_path / "before", tmp_path / "after"]
    pane.type("PS1='ready> '")
    pane.until("\nready>\n")
    pane.type(f"stty -g > {kept[0]}; echo begun")
    pane.until("\nbegun")
    pane.type(f"{shlex.quote(sys.executable)} -m ataxxd play --tui --player2 human")
    pane.until("F1 is help")
    position = Position.start("ataxx/cs61b-2022")
    for ply, move in enumerate(SHORT_GAME):
        pane.type(move)
        played = position.parse_move(move)
        pane.until(f"{('Red', 'Blue')[ply % 2]} plays {played}")
        position = position.play(played)
    pane.until("Red wins, 5 to 0")
    assert "begun" not in pane.screen
    pane.ask("send-keys", "C-q")
    # What was there before the game is there again, with the prompt below it.
    pane.until("\nready>\n")
    assert "\nbegun" in pane.screen
    assert "Red wins" not in pane.screen
    left_on = "#{alternate_on} #{mouse_any_flag} #{keypad_flag} #{cursor_flag}"
    assert pane.ask("display-message", "-p", left_on).split() == ["0", "0", "0", "1"]
    pane.type(f"stty -g > {kept[1]}; echo $? $((40 + 2))")
    pane.until("\n0 42\n")
    assert kept[1].read_text() == kept[0].read_text()
