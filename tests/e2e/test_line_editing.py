"""Lines are typed with an editor on a terminal that can show one, and plainly elsewhere."""

import signal
import stat
from contextlib import ExitStack
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from tests.brokers import Mosquitto
from tests.e2e.terminals import TerminalProgram, in_terminal

UP, TAB, ESCAPE, CTRL_A, CTRL_C, CTRL_D = b"\x1b[A", b"\t", b"\x1b", b"\x01", b"\x03", b"\x04"
BACKSPACE = b"\x7f"
BY_HAND = ("play", "--player2", "human")


def leave(terminal: TerminalProgram) -> None:
    terminal.type(b"quit\r")
    assert terminal.wait() == ExitCode.OK
    assert terminal.settings == terminal.before


def test_a_line_is_mended_completed_and_given_up(tmp_path: Path) -> None:
    with in_terminal(BY_HAND, environment={"ATAXXD_HOME": str(tmp_path)}) as terminal:
        terminal.read_until("or help.")
        terminal.type(b"7-b6" + CTRL_A + b"a\r")
        at = terminal.read_until("Red plays b6.")
        at = terminal.read_until("Blue:", at)
        terminal.type(b"he" + TAB + b"\r")
        at = terminal.read_until("Commands: help", at)
        terminal.type(b"a1\r")
        at = terminal.read_until("a1-", terminal.read_until("jump to", at))
        terminal.type(b"c" + TAB)
        at = terminal.read_until("a1-c", terminal.read_until("c3", at))
        terminal.type(BACKSPACE + BACKSPACE)  # what was typed, and then what was begun
        at = terminal.read_until("Blue:", at)
        terminal.type(b"a1\r")
        at = terminal.read_until("a1-", terminal.read_until("jump to", at))
        terminal.type(ESCAPE)
        at = terminal.read_until("Blue:", at)
        terminal.type(b"c1\r")
        terminal.read_until("c1 is empty. Blue can move from a1 g7.", at)
        terminal.type(b"a1\rb1\r")
        terminal.read_until("Blue plays b1.")
        leave(terminal)


def test_what_was_typed_comes_back_in_the_next_game_of_its_kind(tmp_path: Path) -> None:
    environment = {"ATAXXD_HOME": str(tmp_path)}
    with in_terminal(BY_HAND, environment=environment) as terminal:
        terminal.read_until("or help.")
        terminal.type(b"a7-b6\r")
        terminal.read_until("Blue:", terminal.read_until("Red plays b6."))
        leave(terminal)
    with in_terminal(BY_HAND, environment=environment) as terminal:
        terminal.read_until("or help.")
        terminal.type(UP + UP + b"\r")
        terminal.read_until("Red plays b6.")
        leave(terminal)
    (kept,) = (tmp_path / "typed").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    with in_terminal([*BY_HAND, "--game", "loa"], environment=environment) as terminal:
        terminal.read_until("or help.")
        terminal.type(UP + b"quit\r")
        assert terminal.wait() == ExitCode.OK


def test_lines_that_are_pasted_are_obeyed_one_after_the_other(tmp_path: Path) -> None:
    with in_terminal(BY_HAND, environment={"ATAXXD_HOME": str(tmp_path)}) as terminal:
        terminal.read_until("or help.")
        terminal.type(b"\x1b[200~a7-b6\na1-b1\ng1-f1\x1b[201~\r")
        for move in ("Red plays b6.", "Blue plays b1.", "Red plays f1."):
            terminal.read_until(move)
        leave(terminal)


def test_what_is_said_meanwhile_leaves_the_line_whole(mosquitto: Mosquitto, tmp_path: Path) -> None:
    with ExitStack() as stack:

        def open_(name: str, *words: str) -> TerminalProgram:
            environment = {"ATAXXD_HOME": str(tmp_path / name), "ATAXXD_BROKER": mosquitto.url}
            return stack.enter_context(in_terminal(words, environment=environment))

        host = open_("host", "host", "ourgame")
        host.read_until("Waiting for a guest")
        guest = open_("guest", "join", "ourgame")
        for each in (host, guest):
            each.read_until("or help.")
        at = host.read_until("Red:")
        host.type(b"a7-")
        at = host.read_until("a7-", at)
        guest.type(b"say Hello\r")
        # Above the line, which is written again as it was.
        host.read_until("[Blue: Hello]\r\nRed: a7-", at)
        host.type(b"b6\r")
        guest.read_until("Red plays b6.")
        for each in (host, guest):
            leave(each)


def test_who_talks_while_looking_on_loses_neither_a_line_nor_what_was_said(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    with ExitStack() as stack:

        def open_(name: str, *words: str) -> TerminalProgram:
            environment = {"ATAXXD_HOME": str(tmp_path / name), "ATAXXD_BROKER": mosquitto.url}
            return stack.enter_context(in_terminal(words, environment=environment))

        host = open_("host", "host", "ourgame")
        host.read_until("Waiting for a guest")
        guest = open_("guest", "join", "ourgame")
        guest.read_until("or help.")
        looking, other = (open_(name, "watch", "ourgame", "--talk") for name in ("ana", "ben"))
        for each in (looking, other):
            each.read_until("Say:", each.read_until("Red is "))
        looking.type(b"A fine mov")
        at = looking.read_until("A fine mov")
        host.read_until("or help.")
        host.type(b"a7-b6\r")
        # Below the board, the line is written again as it was.
        looking.read_until("Say: A fine mov", looking.read_until("1. Red played b6.", at))
        looking.type(b"e\r")
        other.read_until("): A fine move")
        # And a board wipes nothing away.
        guest.read_until("Red plays b6.")
        guest.type(b"a1-a2\r")
        other.read_until("2. Blue played a2.")
        assert b"\x1b[2J" not in other.output.partition(b"A fine move")[2]
        for each in (looking, other):
            each.type(CTRL_C)
            assert each.wait() == ExitCode.INTERRUPTED
            assert each.settings == each.before


@pytest.mark.parametrize("words", [BY_HAND, ("host", "ourgame")], ids=["offline", "waiting"])
def test_ctrl_c_stops_and_leaves_the_terminal_as_it_was(
    words: tuple[str, ...], mosquitto: Mosquitto, tmp_path: Path
) -> None:
    environment = {"ATAXXD_HOME": str(tmp_path), "ATAXXD_BROKER": mosquitto.url}
    with in_terminal(words, environment=environment) as terminal:
        terminal.read_until("Red:" if words is BY_HAND else "Waiting for a guest")
        terminal.type(CTRL_C)
        assert terminal.wait() == ExitCode.INTERRUPTED
        assert terminal.settings == terminal.before


def test_ctrl_d_ends_and_a_signal_does_and_a_closed_window(tmp_path: Path) -> None:
    environment = {"ATAXXD_HOME": str(tmp_path)}
    with in_terminal(BY_HAND, environment=environment) as terminal:
        terminal.read_until("Red:")
        terminal.type(CTRL_D)
        assert terminal.wait() == ExitCode.OK
        assert terminal.settings == terminal.before
    with in_terminal(BY_HAND, environment=environment) as terminal:
        terminal.read_until("Red:")
        terminal.signal(signal.SIGINT)
        assert terminal.wait() == ExitCode.INTERRUPTED
        assert terminal.settings == terminal.before
    with in_terminal(BY_HAND, environment=environment) as terminal:
        terminal.read_until("Red:")
        terminal.hang_up()


def test_a_terminal_that_cannot_be_steered_has_plain_lines(tmp_path: Path) -> None:
    environment = {"ATAXXD_HOME": str(tmp_path), "TERM": "dumb"}
    with in_terminal(BY_HAND, environment=environment) as terminal:
        terminal.read_until("Red: ")
        terminal.type(b"a7\n")
        terminal.read_until("Red: a7-")
        terminal.type(b"b6\n")
        terminal.read_until("Red plays b6.")
        leave(terminal)
        assert b"\x1b" not in terminal.output


def test_the_line_language_keeps_its_prompts(tmp_path: Path) -> None:
    for game, prompt in (("ataxx", "Red: "), ("loa", "Black> ")):
        words = [*BY_HAND, "--line", "--game", game]
        with in_terminal(words, environment={"ATAXXD_HOME": str(tmp_path)}) as terminal:
            terminal.read_until(prompt)
            leave(terminal)
            assert b"\x1b" not in terminal.output
