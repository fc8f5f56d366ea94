"""The line languages that exist; `PlainLanguage` serves a game that has none of its own.

A game with one of its own adds a line here and a file.
"""

from collections.abc import Iterator, Sequence

from ataxxd.rules import InvalidMoveError, Move, Position
from ataxxd_clients.text.ataxx import AtaxxLanguage
from ataxxd_clients.text.checkers import CheckersLanguage
from ataxxd_clients.text.language import LineLanguage
from ataxxd_clients.text.loa import LoaLanguage
from ataxxd_clients.text.reversi import ReversiLanguage


class PlainLanguage(LineLanguage):
    """The line language of games that have none of their own."""

    def __init__(self, ruleset: str) -> None:
        super().__init__(ruleset)
        move = Position.start(ruleset).legal_moves[0]
        self._example = str(move)
        self.squares_are_moves = move.from_square is None
        self.squares_are_numbers = self._example[:1].isdigit()

    def read_move(self, words: Sequence[str], position: Position) -> Move | None:
        """Read a move: one word that the game reads as a move."""
        if len(words) > 1:
            return None
        try:
            return position.parse_move(words[0])
        except InvalidMoveError:
            return None

    def dump(self, position: Position) -> Iterator[str]:
        """The position text."""
        yield position.text

    def board(self, position: Position) -> Iterator[str]:
        """The rows as the game draws them, and the number of pieces."""
        for row in position.rows:
            yield " ".join(row)
        yield self.counts(position)

    def move_help(self) -> Iterator[tuple[str, str]]:
        """How moves are typed."""
        yield self._example, "Make a move."


_LANGUAGES: dict[str, type[LineLanguage]] = {
    "ataxx": AtaxxLanguage,
    "checkers": CheckersLanguage,
    "loa": LoaLanguage,
    "reversi": ReversiLanguage,
}


def line_language(ruleset: str) -> LineLanguage:
    """The line language of a ruleset's game; the plain one if it has none of its own."""
    return _LANGUAGES.get(ruleset.partition("/")[0], PlainLanguage)(ruleset)
