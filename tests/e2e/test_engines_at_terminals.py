"""``--auto`` on a terminal: the board and a sentence a move, or what ``--line`` asks for."""

import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from tests.brokers import Mosquitto
from tests.docs.pages import ROOT
from tests.e2e.speakers import CHECKERS, LANGUAGES, REVERSI, Language
from tests.e2e.terminals import TerminalProgram, in_terminal

SILENT = ROOT / "tests" / "rogue_engine.py"


class Engines:
    """Two nodes whose engines play each other at terminals."""

    def __init__(self, stack: ExitStack, folder: Path, broker: str) -> None:
        self._stack, self._folder, self._broker = stack, folder, broker

    def open(self, name: str, *words: str) -> TerminalProgram:
        environment = {"ATAXXD_HOME": str(self._folder / name), "ATAXXD_BROKER": self._broker}
        return self._stack.enter_context(in_terminal(words, environment=environment))

    def play(self, language: Language, *words: str) -> list[str]:
        """What the host's and the guest's terminal show of a game from near its end."""
        place = ("--game", language.game, "--position", language.ending)
        host = self.open("host", "host", "ourgame", "--auto", "--level", "1", *place, *words)
        host.read_until("Waiting for a guest")
        guest = self.open("guest", "join", "ourgame", "--auto", "--level", "1", *words)
        # Both are read: a program whose terminal is full waits, and hears nothing meanwhile.
        with ThreadPoolExecutor() as readers:
            assert {*readers.map(TerminalProgram.wait, (guest, host))} == {ExitCode.OK}
        return [each.text.replace("\r\n", "\n") for each in (host, guest)]


@pytest.fixture
def engines(mosquitto: Mosquitto, tmp_path: Path) -> Iterator[Engines]:
    with ExitStack() as stack:
        yield Engines(stack, tmp_path, mosquitto.url)


@pytest.mark.parametrize(
    "words",
    [
        ("play", "--player2"),
        ("play", "--tui", "--player2"),
        ("host", "ourgame", "--player"),
        ("match", "auto"),
    ],
)
def test_an_engine_that_never_greets_is_told_and_left_by_one_key(
    engines: Engines, words: tuple[str, ...]
) -> None:
    program = engines.open("host", *words, f"engine:{sys.executable} {SILENT} silent")
    program.read_until("The engine rogue_engine.py has not answered yet. Waiting for it until")
    program.read_until("Ctrl-C stops.")
    program.type(b"\x03")
    assert program.wait() == ExitCode.INTERRUPTED
    assert "Waiting for a guest" not in program.text


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.game)
def test_each_move_of_a_network_game_is_a_sentence_and_a_board(
    engines: Engines, language: Language, tmp_path: Path
) -> None:
    told = engines.play(language, "--transcript", str(tmp_path / "game.json"))
    first, second = ("Red", "Blue") if language.game == "ataxx" else ("Black", "White")
    for text, ours in zip(told, (first, second), strict=True):
        lines = text.splitlines()
        begun = lines.index(f"The engine plays {ours} for you. Leave with Ctrl-C.")
        moves = [line for line in lines if " plays " in line][1:]
        boards = [line for line in lines if line.endswith("the computer")]
        # A first move that came before the first board is on that board.
        shown = [line for line in lines if line in moves or line in boards]
        early = shown[1:3] == moves[:2]
        assert len(boards) == len(moves) + (0 if early else 1)
        assert not any(each in text for each in ("* ", "valid", "boardState", "[Event", "Type "))
        over = next(at for at, line in enumerate(lines) if re.search("wins|^A draw: ", line))
        assert begun < over
        if ours == first:
            assert any(f" has joined. You play {ours}." in line for line in lines[:begun])
        # The end is told once.
        assert " ".join(lines[over + 1 :]) == (
            f"Both players have signed this result. The record is in {tmp_path / 'game.json'}."
        )


@pytest.mark.parametrize("option", ["--line", "--text"])
def test_the_line_language_is_there_where_it_is_asked_for(engines: Engines, option: str) -> None:
    for text in engines.play(REVERSI, option):
        assert "no error\n" in text
        assert "Current boardState: " in text
        assert " plays " not in text
        assert "The record" not in text


def test_two_machines_offline_are_looked_at_like_any_game(tmp_path: Path) -> None:
    words = ["play", "--player1", "auto", "--level", "1", "--game", "checkers"]
    words += ["--position", CHECKERS.ending]
    with in_terminal(words, environment={"ATAXXD_HOME": str(tmp_path)}) as terminal:
        terminal.read_until("Black plays ")
        terminal.read_until("wins: ")
        terminal.read_until("Game over:")
        terminal.type(b"quit\n")
        assert terminal.wait() == ExitCode.OK
        assert "[Event" not in terminal.text
    with in_terminal([*words, "--line"], environment={"ATAXXD_HOME": str(tmp_path)}) as terminal:
        assert terminal.wait() == ExitCode.OK
        assert " plays " not in terminal.text


def test_what_is_piped_on_stays_the_line_language(tmp_path: Path) -> None:
    """A terminal at the input alone makes nobody friendly."""
    out = tmp_path / "out"
    shell = f'"{sys.executable}" -m ataxxd play --player1 auto --level 1 --game checkers > "{out}"'
    environment = {"ATAXXD_HOME": str(tmp_path)}
    with in_terminal(["-c", shell], program=["/bin/sh"], environment=environment) as terminal:
        assert terminal.wait() == ExitCode.OK
    assert out.read_text().startswith("1. ")
    assert out.read_text().splitlines()[-1] in {"1-0", "0-1", "1/2-1/2"}
