"""The line language of Lines of Action, as its course specification has it.

No line of its output except a prompt may contain ``>``, and none except a message ``*``.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.rules.loa import move_limit, moves_made, with_limit, with_square
from ataxxd.session.events import Moved
from ataxxd_clients.text.commands import Command, CommandContext, CommandError
from ataxxd_clients.text.language import LineLanguage

_MOVE = re.compile(r"-|pass|[a-z][0-9]+[-x]?[a-z][0-9]+")
_NUMBER = re.compile(r"[+-]?[0-9]+")
_LARGEST_LIMIT = (1 << 31) - 1  # twice it still fits in the text of a position
_DUMPED = str.maketrans("xo.", "bw-")


class LoaLanguage(LineLanguage):
    """Lines of Action: ``* a2-c2``, ``* White wins.``, ``* Tie game.``."""

    ignores_extra_operands = True

    def __init__(self, ruleset: str) -> None:
        super().__init__(ruleset)
        self._next_limit: int | None = None  # a limit that was set after the end of a game

    def prompt(self, side: Side) -> str:
        """``Black> ``."""
        return f"{self.names[side]}> "

    def read_move(self, words: Sequence[str], position: Position) -> Move | None:
        """Read a move: ``b1-d3`` or ``-``; further words are ignored."""
        return position.parse_move(words[0]) if _MOVE.fullmatch(words[0]) else None

    def move_line(self, event: Moved) -> str | None:
        """``* a2-c2``; a pass has no message, see `report`."""
        text = self.move_text(event)
        return None if text == "-" else f"* {text}"

    def report(
        self,
        side: Side,
        agent: str | None,  # noqa: ARG002
        move: str,
        seconds: float,  # noqa: ARG002
        error: str | None,
    ) -> str | None:
        """The sentence that a side had to pass; None for any other move."""
        return f"{self.names[side]} cannot move and passes." if move == "-" and not error else None

    def result_line(self, outcome: Outcome) -> str:
        """``* White wins.``, ``* Black wins.`` or ``* Tie game.``."""
        return "* Tie game." if outcome.winner is None else f"* {self.names[outcome.winner]} wins."

    def dump(self, position: Position) -> Iterator[str]:
        """Rows with four leading blanks, row 8 first, and the side to move."""
        yield "==="
        for row in position.rows:
            yield "    " + " ".join(row.translate(_DUMPED))
        yield f"Next move: {self.names[position.turn].lower()}"
        yield "==="

    def board(self, position: Position) -> Iterator[str]:
        """The board with its coordinates, the number of pieces, and of moves left."""
        for number, row in zip(range(8, 0, -1), position.rows, strict=True):
            yield f"{number}  {' '.join(row.translate(_DUMPED))}"
        yield "   a b c d e f g h"
        made, limit = moves_made(position), move_limit(position)
        yield f"{self.counts(position)}; turn {made} of {limit}"

    def turn_text(self, position: Position, made: int) -> str:  # noqa: ARG002
        """``Turn 53 of 60``: after the last the game is a tie."""
        return f"Turn {moves_made(position) + 1} of {move_limit(position)}"

    target_signs: Mapping[str, str] = {"+": "go to", "x": "take on"}

    def lesson(self) -> Iterator[str]:
        """How the game is played, for beginners."""
        yield f"{self.names[0]} and {self.names[1]} take turns. Whoever has all pieces in"
        yield "one group wins; corners touch too."
        yield "  b1-d3  move a piece along a row, a column or a diagonal:"
        yield "         exactly as many squares as pieces, of both sides,"
        yield "         stand on that line. You may pass over your own"
        yield "         pieces, not over the others, and take one."
        yield "  b1     show where b1 can go; then d3 is enough"
        yield "  -      pass, when there is no other way"
        yield "A move that joins both sides' pieces wins for its player."
        yield "After 60 moves in all the game is a tie."

    def move_help(self) -> Iterator[tuple[str, str]]:
        """How moves are typed."""
        yield "b1-d3", "Move as many squares as pieces stand on the line."
        yield "-", "Pass; allowed only when you have no other choice."

    def new_start(self, position: Position) -> Position:
        """The start of the game with the move limit that was set."""
        start, limit = Position.start(position.ruleset), move_limit(position)
        return self._limited(Position.from_text(start.ruleset, f"{start.text} 0 {limit}"))

    def commands(self, context: CommandContext) -> Iterable[Command]:
        """``set`` and ``limit``."""

        def put(operands: Sequence[str]) -> None:
            square, piece, turn = operands
            game = context.require_offline("set")
            content = None if piece == "-" else self._side(piece, "black, white or -")
            following = self._side(turn, "black or white")
            game.new(self._limited(with_square(game.position, square, content, following)))
            context.result_printed = False

        def limit(operands: Sequence[str]) -> None:
            each = limit_moves(context, operands[0])
            self._next_limit = None if context.game.outcome is None else each

        yield Command(
            "set", "Put P (black, white or -) on square CR; N is next.", put, ("CR", "P", "N"),
            example="c3 white black", act="new",
        )  # fmt: skip
        yield Command(
            "limit", "A tie after N moves of each side.", limit, ("N",), example="30", act="new"
        )

    def _limited(self, start: Position) -> Position:
        """The start of a game, with the move limit set after the game before it, if any."""
        each, self._next_limit = self._next_limit, None
        return start if each is None else with_limit(start, each)

    def _side(self, word: str, wanted: str) -> Side:
        side = self.read_side(word)
        if side is None:
            raise CommandError(
                f'"{word}" is not {wanted}. Type: set CR P N, such as set c3 white black'
            )
        return side


def limit_moves(context: CommandContext, word: str) -> int:
    """Set the move limit of the game that is being played; its moves stay.

    Returns:
        The number of moves of each side. If the game is over, the limit is for the next one.

    Raises:
        CommandError: that is no number, or too large a one, or this is a network game.
        InvalidPositionError: a side has made that many moves already.
    """
    game = context.require_offline("limit")
    if not _NUMBER.fullmatch(word) or int(word) > _LARGEST_LIMIT:
        raise CommandError(
            f'"{word}" is not a limit; it is the number of moves of each side, such as 30.'
        )
    each = int(word)
    with_limit(game.position, each)  # raises if it is too small
    if game.outcome is None:
        game.new(with_limit(game.start, each), game.moves)
    return each
