"""People, or harnesses, at a pipe who speak the line languages of the games after Ataxx."""

import random
import re
from dataclasses import dataclass

from ataxxd.rules import Position, Side
from tests.e2e.nodes import Running


@dataclass(frozen=True)
class Language:
    """What a speaker has to know of a game.

    Attributes:
        game: as ``--game`` names it.
        ruleset: what it is played by.
        notation: in which moves are typed.
        moved: matches the message of the other side's move; the group is the move.
        results: the result lines by the score of records.
        opening: a position in mid-game to start from, and the same as the record has it.
    """

    game: str
    ruleset: str
    notation: str
    moved: re.Pattern[str]
    results: dict[str, str]
    opening: tuple[str, str]


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
)
REVERSI = Language(
    "reversi",
    "reversi/standard",
    "laboratory",
    re.compile(r"(?:Black|White): (\(-?\d,-?\d\))"),
    {"1-0": "Black wins.", "0-1": "White wins.", "1/2-1/2": "Draw."},
    (
        "{........|........|........|...wb...|...bbb..}",
        "---------------------------OX------XXX-------------------------- O",
    ),
)
LANGUAGES = (LOA, REVERSI)


class Speaker:
    """Plays one side at random, knowing only the rules and what it was told.

    Attributes:
        position: the board as it follows from the moves.
    """

    def __init__(self, language: Language, side: Side, position: Position, seed: int) -> None:
        self.position = position
        self._language = language
        self._side = side
        self._choices = random.Random(seed)

    async def play(self, running: Running, plies: int = 1000) -> str | None:
        """Play at most `plies` own moves, then hear the answer to the last.

        Returns:
            The result line; None when the game goes on and it is this speaker's turn.
        """
        while self.position.outcome is None:
            if self.position.turn is self._side:
                if plies == 0:
                    return None
                plies -= 1
                move = self._choices.choice(self.position.legal_moves)
                await running.type(self.position.format_move(move, self._language.notation))
                self.position = self.position.play(move)
            else:
                line = await running.next_line()
                moved = self._language.moved.fullmatch(line or running.report())
                assert moved is not None, f"{line}\n{running.report()}"
                self.position = self.position.play(self.position.parse_move(moved[1]))
        while (line := await running.next_line()) is not None:
            if line in self._language.results.values():
                return line
        raise AssertionError(f"no result\n{running.report()}")
