"""What one game adds to the line language that all games share.

A game has one file with a `LineLanguage`; `ataxxd_clients.text.session` does the rest.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from ataxxd.rules import Move, Outcome, Position, RulesError, Side, rulesets
from ataxxd.session.events import Moved, Seat
from ataxxd_clients.text.commands import Command, CommandContext, CommandError

_SQUARE = re.compile(r"[a-z][0-9]{1,2}")
_NUMBER = re.compile(r"[0-9]{1,2}")


def side_names(ruleset: str) -> tuple[str, str]:
    """What the first and the second side are called under a ruleset, such as Red and Blue."""
    return next(info.side_names for info in rulesets() if info.id == ruleset)


class LineLanguage(ABC):
    """The words of one game: its prompt, its messages, its boards and its own commands.

    Args:
        ruleset: the id of the ruleset played.
    """

    ignores_extra_operands = False
    """Whether operands too many are ignored instead of being an error."""

    squares_are_numbers = False
    """Whether squares are numbered from the top, only those that can be played on."""

    squares_are_moves = False
    """Whether a square alone is a move; elsewhere it asks where its piece can go."""

    tells_by_transcript = False
    """Whether a machine's game is told by its transcript, and the program ends with the game."""

    notation = "cs61b"
    """That of moves, as `Position.format_move` knows it."""

    default_seats: Mapping[Side, Seat] = {Side.FIRST: Seat.HUMAN, Side.SECOND: Seat.AUTO}
    """Who fills the seats when nothing else is asked for."""

    def __init__(self, ruleset: str) -> None:
        self.names = side_names(ruleset)

    def read_side(self, word: str) -> Side | None:
        """The side meant by a word in lower case; None when it is no side."""
        for side in Side:
            if word == self.names[side].lower():
                return side
        return None

    def new_start(self, position: Position) -> Position | None:  # noqa: ARG002
        """Where a new game begins after `position`; None for the ruleset's own start."""
        return None

    def commands(self, context: CommandContext) -> Iterable[Command]:  # noqa: ARG002
        """The commands that only this game has."""
        return ()

    def prompt(self, side: Side) -> str:
        """What a person on turn is asked with, on a terminal: ``Black: ``."""
        return f"{self.names[side]}: "

    @abstractmethod
    def read_move(self, words: Sequence[str], position: Position) -> Move | None:
        """The move written in words in lower case; None when they do not look like one.

        Raises:
            RulesError: they look like a move, but it is not a legal one; the message says why.
        """

    def move_line(self, event: Moved) -> str | None:
        """The message of a move made by the machine or by the other end; None for none."""
        return f"{self.names[event.side]}: {self.move_text(event)}"

    def move_text(self, event: Moved) -> str:
        """A move in the notation of this language."""
        return event.before.format_move(event.move, self.notation)

    def turn_text(self, position: Position, made: int) -> str:  # noqa: ARG002
        """Which turn it is, as a person at a board is told: ``Turn 3``.

        Args:
            position: the position.
            made: the moves made on this table.
        """
        return f"Turn {made + 1}"

    def word_line(self, ply: int, word: str) -> str | None:  # noqa: ARG002
        """The message of what the machine or the other end says instead of a move.

        Args:
            ply: the moves made before it.
            word: ``draw``, ``accept``, ``reject`` or ``resign``.

        Returns:
            None for none.
        """
        return None

    def report(
        self,
        side: Side,  # noqa: ARG002
        agent: str | None,  # noqa: ARG002
        move: str,  # noqa: ARG002
        seconds: float,  # noqa: ARG002
        error: str | None,  # noqa: ARG002
    ) -> str | None:
        """What is told on the error stream of a move made or tried; None for nothing.

        Args:
            side: who moved, or tried to.
            agent: who plays it, as `Game.agent` says; None over the network.
            move: the move in this language's notation, or as it was typed.
            seconds: what it took to choose it.
            error: why it is not legal; None when it is.
        """
        return None

    def illegal_lines(self, error: Exception) -> Iterable[str]:
        """What is told on the error stream of a move that is not legal."""
        return (f"Error: {error}",)

    def prompt_again(self, context: CommandContext) -> str | None:  # noqa: ARG002
        """What is said again after an illegal move, since a person has to answer it; or None."""
        return None

    def result_line(self, outcome: Outcome) -> str:
        """The message of the end of a game: ``Black wins.`` or ``Draw.``."""
        return "Draw." if outcome.winner is None else f"{self.names[outcome.winner]} wins."

    def counts(self, position: Position) -> str:
        """How many pieces both sides have: ``Black 12, White 9``."""
        first, second = position.counts
        return f"{self.names[0]} {first}, {self.names[1]} {second}"

    def final_board(self, position: Position) -> Iterable[str]:  # noqa: ARG002
        """What is printed of the board before the result, or when an unfinished game is left."""
        return ()

    @abstractmethod
    def dump(self, position: Position) -> Iterable[str]:
        """The board in the exact format that programs read."""

    @abstractmethod
    def board(self, position: Position) -> Iterable[str]:
        """The board for people, in words and signs that programs do not misread."""

    def paths(self, move: Move, position: Position) -> list[list[str]]:  # noqa: ARG002
        """The squares by which a person can enter a legal move on a board, one after another.

        Returns:
            One way or several; the only way of a pass has no squares.
        """
        return [[*move.squares]]

    def squares_in(self, text: str) -> list[str]:
        """The squares that a text names, in its order."""
        square = _NUMBER if self.squares_are_numbers else _SQUARE
        return square.findall(text)

    def echo(self, typed: str, move: Move) -> str | None:
        """What to say when a move is told by other squares than it was typed with; else None."""
        return None if self.squares_in(typed) == [*move.squares] else f"{typed} is {move}."

    target_signs: Mapping[str, str] = {}
    """The signs of `targets` and what they mean, such as ``jump to``; none where no piece moves."""

    def targets(self, square: str, position: Position) -> Mapping[str, str]:
        """Where the piece on a square may go, with a sign: ``x`` if it takes something, else ``+``.

        Raises:
            CommandError, RulesError: nothing can go from there; the message says why.
        """
        if not self.target_signs:
            return {}
        reached = {
            move.to_square: "x" if position.captures(move) else "+"
            for move in position.legal_moves
            if move.from_square == square and move.to_square is not None
        }
        if not reached:
            position.parse_move(f"{square}-{square}")  # its refusal says why
        return reached

    def reached_from(self, square: str, position: Position) -> Mapping[str, str]:
        """The same; what stands against it is a sentence of its own.

        Raises:
            CommandError: nothing can go from there; the message says why.
        """
        try:
            return self.targets(square, position)
        except RulesError as error:
            # It begins with the move from the square to itself, which nobody typed.
            text = str(error).partition(" is not legal: ")[2] or str(error)
            named = _SQUARE.match(text) is not None
            raise CommandError(text if named else text[0].upper() + text[1:]) from None

    def lesson(self) -> Iterable[str]:
        """How the game is played, for beginners, in lines of at most 60 characters."""
        return ()

    @abstractmethod
    def move_help(self) -> Iterable[tuple[str, str]]:
        """How moves are typed: pairs of an example and its meaning."""
