"""The terminal UI in a real terminal: it starts, plays, and leaves everything as it was."""

import signal
import subprocess
import sys

import pytest

from ataxxd.errors import ExitCode
from tests.e2e.terminals import TerminalProgram, in_terminal
from tests.time_limits import DEADLINE

PLAY = ["play", "--tui", "--level", "1", "--seed", "1"]
LEAVES_BEHIND = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l", b"\x1b[?1003l")
FAULTY = """
from ataxxd.__main__ import main
from ataxxd_clients.tui.board import BoardView
draw = BoardView.render
def render(self):
    if self._scene.position == self.app.game.start:
        return draw(self)
    raise RuntimeError("a fault made for the test")
BoardView.render = render
main()
"""


def begin(terminal: TerminalProgram) -> None:
    terminal.read_until("F1 is help")
    terminal.type(b"a7-b6\r")
    terminal.read_until("Red plays b6.")


def assert_restored(terminal: TerminalProgram) -> None:
    assert terminal.settings == terminal.before
    switched_on = terminal.output.rfind(b"\x1b[?1049h")
    assert switched_on >= 0
    for sequence in LEAVES_BEHIND:
        assert terminal.output.rfind(sequence) > switched_on, sequence


@pytest.mark.gate("size1")
@pytest.mark.parametrize("size", [(60, 18), (80, 24), (120, 40)])
def test_a_move_is_made_and_the_terminal_is_left_as_it_was(size: tuple[int, int]) -> None:
    with in_terminal(PLAY, size=size) as terminal:
        begin(terminal)
        terminal.read_until("Blue plays")
        terminal.type(b"\x11")
        assert terminal.wait() == ExitCode.OK
        assert_restored(terminal)
        assert b"\x1b]2;ataxxd: Red to move\x07" in terminal.output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was(number: signal.Signals) -> None:
    with in_terminal(PLAY) as terminal:
        begin(terminal)
        terminal.signal(number)
        assert terminal.wait() == ExitCode.INTERRUPTED
        assert_restored(terminal)


def test_a_fault_leaves_the_terminal_as_it_was_and_is_told_in_a_line() -> None:
    with in_terminal(PLAY, program=(sys.executable, "-c", FAULTY)) as terminal:
        terminal.read_until("F1 is help")
        terminal.type(b"a7-b6\r")
        assert terminal.wait() == ExitCode.FAILURE
        assert_restored(terminal)
        assert "internal error: RuntimeError: a fault made for the test" in terminal.text
        assert "Traceback" not in terminal.text


def test_a_closed_window_ends_the_program() -> None:
    with in_terminal(PLAY) as terminal:
        begin(terminal)
        assert terminal.hang_up() in (ExitCode.INTERRUPTED, ExitCode.FAILURE)


def test_without_a_terminal_it_says_so() -> None:
    asked = subprocess.run(
        [sys.executable, "-m", "ataxxd", *PLAY],
        check=False,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=DEADLINE,
    )
    assert asked.returncode == ExitCode.USAGE
    assert "must lead to one" in asked.stderr
