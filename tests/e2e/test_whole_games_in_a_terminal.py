"""Whole games against the machine at the terminal UI, typed in a real terminal."""

import random
import re
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.rules import Move, Position, Side
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.language import LineLanguage
from tests.e2e.terminals import TerminalProgram, in_terminal

GAMES = {
    "ataxx": "ataxx/cs61b-2022",
    "reversi": "reversi/standard",
    "checkers": "checkers/cs61b-2004",
    "loa": "loa/cs61b",
}


def said(position: Position, move: Move, language: LineLanguage) -> str:
    """How the terminal UI tells a move."""
    return f"{language.names[position.turn]} " + (f"plays {move}" if move.squares else "passes")


def answer(
    terminal: TerminalProgram, position: Position, language: LineLanguage, start: int
) -> tuple[Move, int]:
    """The machine's move, and where it was told; older lines may be drawn again before it."""
    at = start
    while True:
        at = terminal.read_until(f"{language.names[position.turn]} p", at)
        terminal.read_until(".", at)
        for move in position.legal_moves:
            found = re.compile(re.escape(said(position, move, language)) + r"[. ]")
            if (match := found.search(terminal.text, start)) is not None:
                return move, match.end()


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_typed_to_its_end(game: str, tmp_path: Path) -> None:
    language, position = line_language(GAMES[game]), Position.start(GAMES[game])
    choices = random.Random(3)
    words = ["play", "--tui", "--game", game, "--level", "1", "--seed", "1"]
    with in_terminal(words, environment={"ATAXXD_HOME": str(tmp_path)}) as terminal:
        at = terminal.read_until("F1 is help")
        while position.outcome is None:
            if position.turn is Side.FIRST:
                move = choices.choice(position.legal_moves)
                told = said(position, move, language)
                name = told.rpartition(" ")[2]
                terminal.type(f"{'-' if name == 'passes' else name}\r".encode())
                at = terminal.read_until(told, at)
            else:
                move, at = answer(terminal, position, language, at)
            position = position.play(move)
        terminal.read_until("Type new for another game")
        terminal.type(b"\x11")
        assert terminal.wait() == ExitCode.OK
        assert terminal.settings == terminal.before
