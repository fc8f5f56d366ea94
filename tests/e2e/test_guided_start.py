"""``ataxxd`` alone on a terminal asks what to do, says which command does it, and runs that."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from tests.brokers import Mosquitto
from tests.e2e.terminals import TerminalProgram, in_terminal
from tests.time_limits import DEADLINE

QUIT = b"\x11"


def answer(terminal: TerminalProgram, question: str, keys: str, start: int = 0) -> int:
    end = terminal.read_until(question, start)
    terminal.type(keys.encode())
    return end


@pytest.mark.gate("size1")
@pytest.mark.parametrize("size", [(60, 18), (80, 24), (120, 40)])
def test_a_game_against_the_machine_is_begun_by_a_few_keys(
    size: tuple[int, int], tmp_path: Path
) -> None:
    with in_terminal([], size=size, environment={"ATAXXD_HOME": str(tmp_path)}) as terminal:
        answer(terminal, "What would you like to do?", "\r")
        answer(terminal, "Which game?", "\x1b")
        at = answer(terminal, "What would you like to do?", "1", len(terminal.text))
        at = answer(terminal, "Which game?", "2", at)
        answer(terminal, "Which side do you take?", "1", at)
        answer(terminal, "How strong", "2\r", at)
        terminal.read_until("Next time: ataxxd play --game reversi --level 2 --tui")
        terminal.read_until("F1 is help")
        terminal.type(b"d3\r")
        terminal.read_until("White plays")
        terminal.type(QUIT)
        assert terminal.wait() == ExitCode.OK
        assert terminal.settings == terminal.before


def test_where_there_is_no_full_screen_the_same_is_asked_in_text(tmp_path: Path) -> None:
    environment = {"TERM": "dumb", "ATAXXD_HOME": str(tmp_path)}
    with in_terminal([], environment=environment) as terminal:
        answer(terminal, "Enter alone: 1\r\n>", "1\n")
        at = answer(terminal, "Which game?", "9\n")
        at = answer(terminal, "none of the answers", "ataxx\n", at)
        answer(terminal, "Which side", "2\n", at)
        answer(terminal, "How strong", "1\n", at)
        terminal.read_until("Next time: ataxxd play --white --level 1\r\n")
        terminal.read_until("Red plays")
        terminal.type(b"quit\n")
        assert terminal.wait() == ExitCode.OK
        assert b"\x1b" not in terminal.output


def test_whoever_leaves_gets_the_terminal_back(tmp_path: Path) -> None:
    for key, code in ((QUIT, ExitCode.OK), (b"6", ExitCode.OK)):
        with in_terminal([], environment={"ATAXXD_HOME": str(tmp_path)}) as terminal:
            terminal.read_until("What would you like to do?")
            terminal.type(key)
            assert terminal.wait() == code
            assert terminal.settings == terminal.before
            assert b"\x1b[?1049l" in terminal.output


def test_away_from_a_terminal_there_is_the_help_page() -> None:
    asked = subprocess.run(
        [sys.executable, "-m", "ataxxd"],
        check=False,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=DEADLINE,
    )
    assert "ataxxd host ourgame" in asked.stdout + asked.stderr
    assert "What would you like" not in asked.stdout


def test_one_hosts_and_another_finds_the_game_in_the_list(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    with ExitStack() as stack:

        def begin(name: str) -> TerminalProgram:
            environment = {"ATAXXD_HOME": str(tmp_path / name), "ATAXXD_BROKER": mosquitto.url}
            return stack.enter_context(in_terminal([], environment=environment))

        host, guest = begin("host"), begin("guest")
        answer(host, "What would you like to do?", "2")
        for question, keys in (
            ("What should the game be called?", "-teatime\r"),
            ("is not a name for a game", "\x15teatime\r"),
            ("Which game?", "1"),
            ("Which side do you take?", "2"),
            ("How long may each of you think?", "5m\r"),
            ("Who may join?", "\r"),
            ("Where do you meet?", "\r"),
            ("What should others call you?", "Ana\r"),
        ):
            answer(host, question, keys)
        host.read_until("Next time: ataxxd host teatime --color second --clock 5m --tui")
        host.read_until("Waiting for a guest")
        answer(guest, "What would you like to do?", "3")
        answer(guest, "teatime: ataxx/cs61b-2022, host ana (", "\r")
        answer(guest, "What should others call you?", "\r")
        guest.read_until("Next time: ataxxd join 'teatime#")
        for each in (host, guest):
            each.read_until("F1 is help")
        guest.type(b"a7-b6\r")
        host.read_until("Red plays b6.")
        for each in (guest, host):
            each.type(QUIT)
            assert each.wait() == ExitCode.OK
        again = begin("guest")
        answer(again, "continue an unfinished game", "5")
        answer(again, "teatime: ataxx/cs61b-2022, against ana (", "\r")
        again.read_until("Next time: ataxxd resume teatime")
        again.read_until("F1 is help")
        again.type(QUIT)
        assert again.wait() == ExitCode.OK
