"""The line language of Clobber: moves ``a1-b1``, told as ``Black a1xb1``."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ataxxd.rules import Move, Outcome, Position
from ataxxd.session.events import Moved
from ataxxd_clients.text.commands import Command, CommandContext
from ataxxd_clients.text.language import LineLanguage

_MOVE = re.compile(r"[a-z][0-9]+[-x]?[a-z][0-9]+")
_SIGNS = str.maketrans("xo.", "bw.")


class ClobberLanguage(LineLanguage):
    """Clobber: ``Black a1xb1``, ``Black wins by the last move.``."""

    target_signs: Mapping[str, str] = {"x": "take on"}

    def read_move(self, words: Sequence[str], position: Position) -> Move | None:
        """See `LineLanguage.read_move`: ``a1-b1``, ``a1xb1`` or ``a1b1``."""
        if len(words) > 1 or not _MOVE.fullmatch(words[0]):
            return None
        return position.parse_move(words[0])

    def move_line(self, event: Moved) -> str:
        """``Black a1xb1``: every move takes."""
        return f"{self.names[event.side]} {'x'.join(event.move.squares)}"

    def result_line(self, outcome: Outcome) -> str:
        """``Black wins by the last move.``; what else ends a game is told as in other games."""
        if outcome.termination != "no-moves" or outcome.winner is None:
            return super().result_line(outcome)
        return f"{self.names[outcome.winner]} wins by the last move."

    def dump(self, position: Position) -> Iterator[str]:
        """The position text."""
        yield position.text

    def board(self, position: Position) -> Iterator[str]:
        """The board with its coordinates, and the number of pieces."""
        for number, row in zip(range(5, 0, -1), position.rows, strict=True):
            yield f"{number}  {' '.join(row.translate(_SIGNS))}"
        yield "   a b c d e f"
        yield self.counts(position)

    def commands(self, context: CommandContext) -> Iterable[Command]:
        """``moves``."""

        def moves(_: Sequence[str]) -> None:
            legal = context.game.position.legal_moves
            context.output.print_line(
                "Legal: " + (" ".join(map(str, legal)) or "none, the game is over")
            )

        yield Command("moves", "List the legal moves.", moves)

    def lesson(self) -> Iterator[str]:
        """See `LineLanguage.lesson`."""
        yield f"{self.names[0]} and {self.names[1]} take turns. Whoever makes the last"
        yield "move wins."
        yield "  a1-b1  take the piece on b1 with the one on a1: it must"
        yield "         stand next to it, in its row or column"
        yield "  a1     show what a1 can take; then b1 is enough"

    def move_help(self) -> Iterator[tuple[str, str]]:
        """See `LineLanguage.move_help`."""
        yield "a1-b1", "Take the piece on b1, which stands beside a1."
