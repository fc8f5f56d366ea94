"""People, or harnesses, at a pipe who speak the line languages, knowing only the rules."""

import random
import re
from dataclasses import dataclass

from ataxxd.rules import Move, Position, Side
from tests.e2e.nodes import Running


@dataclass(frozen=True)
class Language:
    """What a speaker has to know of a game.

    Attributes:
        game: as ``--game`` names it.
        ruleset: what it is played by.
        notation: in which moves are typed.
        moved: matches the message of the other side's move; the last group is the move, and
            a group before it the number that a transcript gives it.
        results: the result lines by the score of records.
        opening: a position in mid-game to start from, and the same as the record has it.
        ending: a position from which few moves are left, whatever is played.
        init: a file in tests/data/endings with the moves up to such a position.
    """

    game: str
    ruleset: str
    notation: str
    moved: re.Pattern[str]
    results: dict[str, str]
    opening: tuple[str, str]
    ending: str
    init: str


ATAXX = Language(
    "ataxx",
    "ataxx/cs61b-2022",
    "cs61b",
    re.compile(r"\* (?:Red|Blue) moves (\S+)\."),
    {"1-0": "* Red wins.", "0-1": "* Blue wins.", "1/2-1/2": "* Draw."},
    ("x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1", "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1"),
    "oox1xxx/xxxxxxx/xxooxxx/xxooxxx/oo1oxxx/oooooox/oooooox o 0 97",
    "ataxx.pgn",
)
CHECKERS = Language(
    "checkers",
    "checkers/cs61b-2004",
    "cs61b",
    re.compile(r"([0-9]+)\. ([0-9]+(?:-[0-9]+)+)"),
    {"1-0": "1-0", "0-1": "0-1", "1/2-1/2": "1/2-1/2"},
    ("W:W18,K30:B7,8,15,25,26,27,K3", "W:W18,K30:BK3,7,8,15,25,26,27"),
    "B:WK1,14,15,19,29,30,31,32:B5,8,12",
    "checkers.txt",
)
LOA = Language(
    "loa",
    "loa/cs61b",
    "cs61b",
    re.compile(r"\* ([a-h][1-8]-[a-h][1-8])"),
    {"1-0": "* Black wins.", "0-1": "* White wins.", "1/2-1/2": "* Tie game."},
    (
        "2xxxxx1/o6o/o6o/o6o/o6o/oxo4o/7o/2xxxxx1 x 2 60",
        "2xxxxx1/o6o/o6o/o6o/o6o/oxo4o/7o/2xxxxx1 x 2 60",
    ),
    "o4x1o/3oo3/3o1x2/o4x2/o3x3/2x3oo/1x1x1x2/8 x 52 60",
    "loa.pgn",
)
REVERSI = Language(
    "reversi",
    "reversi/standard",
    "laboratory",
    re.compile(r"(?:Black|White): (\(-?\d,-?\d\))"),
    {"1-0": "Black wins.", "0-1": "White wins.", "1/2-1/2": "Draw."},
    (
        "{........|........|........|...wb...|...bbb..}",
        27 * "-" + "OX------" + 3 * "X" + 26 * "-" + " O",
    ),
    "XXXXXOOOOOOXXOXXOOOXOOX-OOOXOOXXO-OOXXOX-OOOOOXXOOOOXXOX--X-XOOO X",
    "reversi.f5d6",
)
LANGUAGES = (ATAXX, CHECKERS, LOA, REVERSI)


class Speaker:
    """Plays one side at random, knowing only the rules and what it was told.

    A draw that is offered is accepted.

    Attributes:
        position: the board as it follows from the moves.
    """

    def __init__(
        self, language: Language, side: Side, position: Position, seed: int, ply: int = 0
    ) -> None:
        self.position = position
        self._language = language
        self._side = side
        self._choices = random.Random(seed)
        self._ply = ply

    async def play(self, running: Running, plies: int = 1000) -> str | None:
        """Play at most `plies` own moves, then hear the answer to the last.

        Returns:
            The result line; None when the game goes on and it is this speaker's turn.
        """
        while True:
            if self.position.outcome is None and self.position.turn is self._side:
                if plies == 0:
                    return None
                plies -= 1
                move = self._choices.choice(self.position.legal_moves)
                await running.type(self.position.format_move(move, self._language.notation))
                self._play(move)
                continue
            line = await running.next_line()
            assert line is not None, running.report()
            if line in self._language.results.values():
                return line
            self._hear_line(line)
            if line.endswith(". draw"):
                await running.type("accept")

    def _hear_line(self, line: str) -> None:
        """Follow the other side's move; other words, and the board at the end, change nothing."""
        moved = self._language.moved.fullmatch(line)
        if moved is None:
            assert self.position.outcome is not None or line[-1].isalpha(), line
            return
        *number, text = moved.groups()
        assert number in ([], [str(self._ply // 2 + 1)])
        self._play(self.position.parse_move(text))

    def _play(self, move: Move) -> None:
        self.position = self.position.play(move)
        self._ply += 1
