"""The line language of reversi, after the COMP24011 laboratory.

The laboratory defines no commands but texts: of positions, of moves and of the report on
each move. The commands are those that all games share.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence

from ataxxd.rules import Move, Position, Side
from ataxxd.rules.reversi import laboratory_text
from ataxxd_clients.text.commands import Command, CommandContext, CommandError
from ataxxd_clients.text.language import LineLanguage

_MOVE = re.compile(r"[a-z][0-9]|\(?-?[0-9]+,-?[0-9]+\)?|--?|pa|pass|skip")
_PASSES = {"-", "--", "pa", "pass", "skip", "(-1,-1)", "-1,-1"}
_SQUARE = re.compile(r"([a-h])([1-8])")
_BARE = re.compile(r"[0-9]+,[0-9]+")
# What the laboratory's classes call themselves.
_AGENTS = {"human": "Human", "first": "First", "random": "Random", "alphabeta": "AlphaBeta"}
_OTHER_AGENT = "Engine"
# How often the laboratory's program looks whether a move has been chosen.
_STEP_S = 0.2
_SIGNS = str.maketrans("xo.", "bw.")


class ReversiLanguage(LineLanguage):
    """Reversi: moves ``(3,2)`` or ``d3``, states ``{...|...}`` and scores for White."""

    squares_are_moves = True
    notation = "laboratory"

    def read_move(self, words: Sequence[str], position: Position) -> Move | None:
        """Read a move: ``(3,2)``, ``d3``, ``skip``; blanks do not matter."""
        text = "".join(words)
        if not _MOVE.fullmatch(text):
            return None
        # Blanks are allowed only within coordinates; nothing may follow a square or a pass.
        if len(words) > 1 and "," not in text:
            raise CommandError(f'"{words[1]}" is one word too many after the move {words[0]}.')
        # Errors name the move by its coordinates, as the report on the move does.
        return position.parse_move(_coordinates(text))

    def report(
        self, side: Side, agent: str | None, move: str, seconds: float, error: str | None
    ) -> str:
        """``Human: Move (3,2), valid, 0.2 secs, no error``, as the laboratory's console has it."""
        who = self.names[side] if agent is None else _agent_name(agent)
        valid, why = "valid", "no error"
        if error is not None:
            # The error begins with the move, which the report already has.
            valid, why = "invalid", f"error: {error.partition(' is not legal: ')[2] or error}"
        return f"{who}: Move {_coordinates(move)}, {valid}, {_in_steps(seconds):.1f} secs, {why}"

    def dump(self, position: Position) -> Iterator[str]:
        """The state as the laboratory writes and reads it, and the score."""
        black, white = position.counts
        yield f"Current boardState: {laboratory_text(position)}"
        yield f"Current boardScore: {white - black}"

    def final_board(self, position: Position) -> Iterable[str]:
        """State and score, as the laboratory's program prints them when it is closed."""
        return self.dump(position)

    def board(self, position: Position) -> Iterator[str]:
        """The board with both kinds of coordinates, and the number of pieces."""
        yield "     0 1 2 3 4 5 6 7"
        yield "     a b c d e f g h"
        for number, row in enumerate(position.rows):
            yield f"{number} {number + 1}  {' '.join(row.translate(_SIGNS))}"
        yield f"     {self.counts(position)}"

    def echo(self, typed: str, move: Move) -> str | None:
        """Which square was meant by the laboratory's coordinates."""
        same = super().echo(typed, move) is None
        return None if same else f"{typed} is {move}: x and y count from 0 at the top left."

    def lesson(self) -> Iterator[str]:
        """How the game is played, for beginners."""
        yield f"{self.names[0]} and {self.names[1]} take turns. Whoever has more pieces when"
        yield "nobody can move wins. A new piece must enclose others in"
        yield "a straight line, with one of yours at the far end: all that"
        yield "are enclosed become yours."
        yield "  d3     put a piece on d3; (3,2) is the same square"
        yield "  moves  list the squares you can choose"
        yield "  skip   skip your turn, when there is no other way"

    def move_help(self) -> Iterator[tuple[str, str]]:
        """How moves are typed."""
        yield "d3", "Put a piece on a square; columns a to h, row 1 is the top one."
        yield "(3,2)", "The same: x and y from the top left, 0 to 7."
        yield "skip", "Skip your turn, also (-1,-1); only when you have no other choice."

    def commands(self, context: CommandContext) -> Iterable[Command]:
        """``moves``."""

        def moves(_: Sequence[str]) -> None:
            position = context.game.position
            legal = (position.format_move(move, "laboratory") for move in position.legal_moves)
            context.output.print_line("Legal: " + (" ".join(legal) or "none, the game is over"))

        yield Command("moves", "List the legal moves, x first, then y.", moves)


def _agent_name(agent: str) -> str:
    """``AlphaBeta(8)`` for ``alphabeta:8``; a seed is not part of the name."""
    kind, _, argument = agent.partition(":")
    depth = f"({argument})" if kind == "alphabeta" else ""
    return f"{_AGENTS.get(kind, _OTHER_AGENT)}{depth}"


def _coordinates(move: str) -> str:
    """A typed move, by its coordinates if it is a square or a pass."""
    move = "".join(move.split())
    if move in _PASSES:
        return "(-1,-1)"
    if _BARE.fullmatch(move):
        return f"({move})"
    square = _SQUARE.fullmatch(move)
    return move if square is None else f"({ord(square[1]) - ord('a')},{int(square[2]) - 1})"


def _in_steps(seconds: float) -> float:
    """Seconds as the laboratory measures them: whole steps, and never less than one."""
    return _STEP_S * max(1, math.ceil(seconds / _STEP_S))
