"""How a move is told to people: its name, and the squares to mark. The same in every client."""

from ataxxd.rules import Move


def move_name(move: Move) -> str:
    """A move in its canonical text, as every client, record and program writes it, or ``pass``."""
    return str(move) if move.squares else "pass"


def ends(move: Move) -> tuple[str, ...]:
    """The squares that a move left and reached, to mark them: two, one or none."""
    return tuple(each for each in (move.from_square, move.to_square) if each is not None)
