"""The line language of Ataxx, as the course specification of 2022 has it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product

from ataxxd.rules import Move, Outcome, Position, RulesError
from ataxxd.rules.ataxx import with_block
from ataxxd.session.events import Moved
from ataxxd_clients.text.commands import Command, CommandContext, CommandError
from ataxxd_clients.text.language import LineLanguage

_MOVE = re.compile(r"-|[a-z][0-9]+-[a-z][0-9]+")
_COLUMNS = "abcdefg"
_DUMPED = str.maketrans("xo.#", "rb-X")


class AtaxxLanguage(LineLanguage):
    """Ataxx: ``* Red moves a7-b6.``, ``* Red wins.``, ``* Draw.``."""

    notation = "cs61b"

    def read_move(self, words: Sequence[str], position: Position) -> Move | None:
        """Read a move: ``a7-b6`` or ``-``, and nothing else."""
        if not _MOVE.fullmatch(words[0]):
            with suppress(RulesError):
                written = position.format_move(position.parse_move(words[0]), "cs61b")
                raise CommandError(
                    f'"{words[0]}" is not a command. As a move it is written {written} here.'
                )
            return None
        if len(words) > 1:
            raise CommandError(f'"{words[1]}" is one word too many after the move {words[0]}.')
        return position.parse_move(words[0])

    def move_line(self, event: Moved) -> str:
        """``* Red moves a7-b6.`` or ``* Red moves -.``."""
        return f"* {self.names[event.side]} moves {self.move_text(event)}."

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
        yield f"   {' '.join(_COLUMNS)}    {self.counts(position)}"

    def paths(self, move: Move, position: Position) -> list[list[str]]:
        """The squares to enter; for a clone, any piece next to the new one and then its square."""
        path = [*move.squares]
        if len(path) != 1:
            return [path]
        column, row = _COLUMNS.index(path[0][0]), int(path[0][1])
        sources = [
            f"{_COLUMNS[column + across]}{row + up}"
            for across, up in product((-1, 0, 1), repeat=2)
            if 0 <= column + across < 7
            and 1 <= row + up <= 7
            and position.rows[7 - row - up][column + across] == "xo"[position.turn]
        ]
        return [[source, *path] for source in sources]

    def echo(self, typed: str, move: Move) -> str | None:
        """Nothing, or for a clone that it does not matter beside which piece it was typed."""
        if super().echo(typed, move) is None:
            return None
        return f"{typed} is {move}: any piece beside it makes the same clone."

    target_signs: Mapping[str, str] = {"1": "grow onto", "2": "jump to"}

    def targets(self, square: str, position: Position) -> dict[str, str]:
        """Squares a piece can reach: ``1`` by a clone, one step away, ``2`` by a jump."""
        column, row = _COLUMNS.find(square[0]), int(square[1:])
        reached = {}
        for across, up in product(range(-2, 3), repeat=2):
            if 0 <= column + across < 7 and 1 <= row + up <= 7:
                target = f"{_COLUMNS[column + across]}{row + up}"
                with suppress(RulesError):
                    position.parse_move(f"{square}-{target}")
                    reached[target] = str(max(abs(across), abs(up)))
        if not reached:
            position.parse_move(f"{square}-{square}")  # raises the reason
        return reached

    def lesson(self) -> Iterator[str]:
        """How the game is played, for beginners."""
        yield f"{self.names[0]} and {self.names[1]} take turns. Whoever has more pieces at"
        yield "the end wins. Pieces next to where you land become yours."
        yield "  a7-b6  one step: a new piece grows on b6; or just b6"
        yield "  a7-c5  two steps: the piece leaves a7 for c5; or a7c5"
        yield "  a7     show where a7 can go; then c5 is enough"
        yield "  -      pass, when there is no other way"
        yield "It ends when nobody can move, after 25 jumps in a row,"
        yield "or when a side has no pieces: then it has lost."

    def move_help(self) -> Iterator[tuple[str, str]]:
        """How moves are typed."""
        yield "a7-b6", "One step makes a new piece; two steps are a jump."
        yield "-", "Pass; allowed only when you have no other choice."

    def commands(self, context: CommandContext) -> Iterable[Command]:
        """``block`` and ``clear``."""
        seats = ", ".join(
            f"{self.names[side]} {'an AI' if seat.value == 'auto' else 'manual'}"
            for side, seat in self.default_seats.items()
        )
        yield Command(
            "block", "Block square CR and its reflections.",
            lambda operands: place_blocks(context, operands[0]), ("CR",), example="c3", act="new",
        )  # fmt: skip
        yield Command(
            "clear", f"New game, players as at first: {seats}.",
            lambda _: context.begin(self.default_seats), act="new",
        )  # fmt: skip


def place_blocks(context: CommandContext, square: str) -> None:
    """Block a square and its reflections before the first move.

    Raises:
        CommandError: a move has been made, the game is over, or this is a network game.
        InvalidPositionError: there is no such square, or it or a reflection is not free.
    """
    game = context.require_offline("block")
    if game.moves:
        raise CommandError(
            "Blocks can be set only before the first move. Undo every move, or type new."
        )
    if game.outcome is not None and game.position.outcome is None:
        raise CommandError(
            "The game is over by resignation. Type undo or new before setting blocks."
        )
    game.new(with_block(game.position, square))
