"""The line language of Ataxx, as the course specification of 2022 has it."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ataxxd.node.control import Moved
from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd_clients.text.commands import Command, CommandError
from ataxxd_clients.text.desk import Desk
from ataxxd_clients.text.language import LineLanguage

_MOVE = re.compile(r"-|[a-z][0-9]+-[a-z][0-9]+")
_SQUARE = re.compile(r"[a-g][1-7]")
_COLUMNS = "abcdefg"
_DUMPED = str.maketrans("xo.#", "rb-X")


class AtaxxLanguage(LineLanguage):
    """Ataxx: ``* Red moves a7-b6.``, ``* Red wins.``, ``* Draw.``."""

    def prompt(self, side: Side) -> str:
        """``Red: ``; only a terminal ever sees it, because it does not end in ``>``."""
        return f"{self.names[side]}: "

    def read_move(self, words: Sequence[str], position: Position) -> Move | None:
        """See `LineLanguage.read_move`: ``a7-b6`` or ``-``, and nothing else."""
        if not _MOVE.fullmatch(words[0]):
            return None
        if len(words) > 1:
            msg = f'"{words[1]}" is one word too many after the move {words[0]}.'
            raise CommandError(msg)
        return position.parse_move(words[0])

    def move_line(self, event: Moved) -> str:
        """``* Red moves a7-b6.`` or ``* Red moves -.``."""
        return f"* {self.names[event.side]} moves {event.before.format_move(event.move, 'cs61b')}."

    def result_line(self, outcome: Outcome) -> str:
        """``* Red wins.``, ``* Blue wins.`` or ``* Draw.``."""
        return "* Draw." if outcome.winner is None else f"* {self.names[outcome.winner]} wins."

    def dump(self, position: Position) -> Iterator[str]:
        """Rows with two leading blanks, row 7 first, between lines of ``===``."""
        yield "==="
        for row in position.rows:
            yield "  " + " ".join(row.translate(_DUMPED))
        yield "==="

    def board(self, position: Position) -> Iterator[str]:
        """The board with its coordinates and the number of pieces."""
        for number, row in zip(range(7, 0, -1), position.rows, strict=True):
            yield f"{number}  {' '.join(row.translate(_DUMPED))}"
        first, second = position.counts
        yield f"   {' '.join(_COLUMNS)}    {self.names[0]} {first}, {self.names[1]} {second}"

    def move_help(self) -> Iterator[tuple[str, str]]:
        """See `LineLanguage.move_help`."""
        yield "a7-b6", "Play from a7 to b6: one step makes a new piece, two steps are a jump."
        yield "-", "Pass; allowed only when you have no other choice."

    def commands(self, desk: Desk) -> Iterable[Command]:
        """``block`` and ``clear``."""

        def block(operands: Sequence[str]) -> None:
            place_blocks(desk, operands[0])

        def clear(_: Sequence[str]) -> None:
            desk.begin(self.default_seats)

        seats = ", ".join(
            f"{self.names[side]} {'an AI' if seat.value == 'auto' else 'manual'}"
            for side, seat in self.default_seats.items()
        )
        yield Command("block", "Block square CR and its reflections.", block, ("CR",))
        yield Command("clear", f"Like new, and put the players back: {seats}.", clear)


def reflections(square: str) -> tuple[str, ...]:
    """A square and its mirror images in the middle column, the middle row and both."""
    column, row = square[0], square[1]
    across = _COLUMNS[6 - _COLUMNS.index(column)]
    up = str(8 - int(row))
    return tuple(dict.fromkeys((square, across + row, column + up, across + up)))


def place_blocks(desk: Desk, square: str) -> None:
    """Block a square and its reflections before the first move.

    Raises:
        CommandError: the square is not on the board or not free, or a move has been made.
    """
    table = desk.editable("block")
    if not _SQUARE.fullmatch(square):
        msg = f'"{square}" is not a square; columns are a to g and rows 1 to 7, such as c4.'
        raise CommandError(msg)
    if table.moves:
        msg = "Blocks can be set only before the first move. Undo all moves, or type new."
        raise CommandError(msg)
    position = table.position
    if table.outcome is not None and position.outcome is None:
        msg = "The game is over. Type undo or new before setting blocks."
        raise CommandError(msg)
    rows = [list(row) for row in position.rows]
    for each in reflections(square):
        column, row = _COLUMNS.index(each[0]), 7 - int(each[1])
        if rows[row][column] != ".":
            what = "is a block already" if rows[row][column] == "#" else "holds a piece"
            which = "it" if each == square else f"its reflection {each}"
            msg = f"{square} cannot be blocked: {which} {what}. Nothing was blocked."
            raise CommandError(msg)
        rows[row][column] = "#"
    table.new(_with_rows(position, rows))


def _with_rows(position: Position, rows: Iterable[Iterable[str]]) -> Position:
    board = "/".join("".join(row).replace("#", "-") for row in rows)
    board = re.sub(r"\.+", lambda gap: str(len(gap.group())), board)
    rest = position.text.split(" ", 1)[1]
    return Position.from_text(position.ruleset, f"{board} {rest}")
