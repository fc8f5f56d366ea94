"""Moves and lines of moves as people write them in the game's own notation."""

from collections.abc import Iterable, Iterator

from ataxxd.node.control import Moved, Seat
from ataxxd.rules import Move, Position
from ataxxd_clients.text.language import LineLanguage


def move_name(move: Move, before: Position, language: LineLanguage) -> str:
    """A move, such as ``a7-b6``; a pass is ``pass``."""
    event = Moved(before.turn, move, before, Seat.HUMAN, 1)
    return language.move_name(event) or "pass"


def line_names(moves: Iterable[Move], start: Position, language: LineLanguage) -> Iterator[str]:
    """The moves of a line, one after another.

    Raises:
        IllegalMoveError: one of them is not legal.
    """
    position = start
    for move in moves:
        yield move_name(move, position, language)
        position = position.play(move)
