"""The line language of checkers, as the old program of CS 61B (fall 2004) has it.

Players type their own moves and read those of the other side with the number that a
transcript gives them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.session.events import Moved
from ataxxd_clients.text.commands import Action, Command, CommandContext
from ataxxd_clients.text.language import LineLanguage

_MOVE = re.compile(r"[0-9]+(?:[-x][0-9]+)*[-x]?")
_SHOWN = str.maketrans("xXoO.", "bBwW ")


class CheckersLanguage(LineLanguage):
    """Checkers: ``11-15``, ``18-11-2``, answers ``1. 24-20``, the score at the end."""

    squares_are_numbers = True
    tells_by_transcript = True
    notation = "cs61b"

    def read_move(self, words: Sequence[str], position: Position) -> Move | None:
        """Read a move: every square of a jump, joined by ``-`` or ``x``."""
        if len(words) > 1 or not _MOVE.fullmatch(words[0]):
            return None
        return position.parse_move(words[0])

    def move_line(self, event: Moved) -> str:
        """``1. 24-20``, numbered as in a transcript."""
        return f"{(event.ply - 1) // 2 + 1}. {self.move_text(event)}"

    def word_line(self, ply: int, word: str) -> str:
        """``3. reject``."""
        return f"{ply // 2 + 1}. {word}"

    def illegal_lines(self, error: Exception) -> Iterator[str]:
        """``Error: illegal move``, as the specification's example has it, and then why."""
        yield "Error: illegal move"
        yield str(error)

    def prompt_again(self, context: CommandContext) -> str | None:
        """The move that White is to answer: in the specification's example it is White's prompt."""
        return context.last_line if context.game.acting_side is Side.SECOND else None

    def result_line(self, outcome: Outcome) -> str:
        """The score alone: ``1-0`` when Black wins, ``0-1`` or ``1/2-1/2``."""
        return outcome.score

    def dump(self, position: Position) -> Iterator[str]:
        """The board as the specification draws it: kings are capitals."""
        for row in position.rows:
            yield "|" + "|".join(row.translate(_SHOWN)) + "|"

    def board(self, position: Position) -> Iterator[str]:
        """The board of the specification, with the number of each row's first square."""
        for number, line in enumerate(self.dump(position)):
            yield f"{line}  {4 * number + 1}-{4 * number + 4}"
        yield self.counts(position)

    def echo(self, typed: str, move: Move) -> str | None:
        """Which capture is meant if squares between were left out, as some rulesets allow."""
        same = super().echo(typed, move) is None
        return None if same else f"{typed} is {move}, the only capture that fits."

    target_signs: Mapping[str, str] = {"+": "go to", "x": "jump to"}

    def lesson(self) -> Iterator[str]:
        """How the game is played, for beginners."""
        yield f"{self.names[0]} and {self.names[1]} take turns on the dark squares, numbered 1"
        yield "to 32. Whoever cannot move loses."
        yield "  11-15    one step, diagonally forward; kings also back"
        yield "  18-11-2  two jumps over pieces next to yours, which you"
        yield "           take; name every square where you land; or 18x11x2"
        yield "  11       show where the piece can go; then 15 is enough"
        yield "Whoever can jump must jump, and go on while it is possible."
        yield "A piece that ends its move on the last row becomes a king."
        yield "  draw     offer a draw; your opponent answers accept or reject"
        yield "  resign   give the game up"

    def move_help(self) -> Iterator[tuple[str, str]]:
        """How moves are typed."""
        yield "11-15", "Move from square 11 to 15; squares are numbered from the top."
        yield "18-11-2", "Jump twice; every square on the way must be named."

    def commands(self, context: CommandContext) -> Iterable[Command]:
        """``b``, ``draw``, ``accept`` and ``reject``."""

        def show(_: Sequence[str]) -> None:
            for line in self.dump(context.game.position):
                context.output.print_line(line)
            if (last := self.prompt_again(context)) is not None:
                context.output.print_line(last)

        def answer(*, accept: bool) -> Action:
            return lambda _: context.game.answer_draw(accept=accept)

        yield Command("b", "Show the board.", show)
        yield Command(
            "draw",
            "Offer a draw instead of a move.",
            lambda _: context.game.offer_draw(),
            act="offer_draw",
        )
        for word, summary, accept in (
            ("accept", "Accept the draw that is offered.", True),
            ("reject", "Reject it; your opponent must move.", False),
        ):
            yield Command(word, summary, answer(accept=accept), act="answer_draw")
