"""A game as every notation can tell it: start, moves, result, and who played.

A notation keeps what it has words for. `GameRecord` has what any of them may know.
"""

from dataclasses import dataclass
from functools import cached_property

from ataxxd._engine import Move, Position
from ataxxd.rules.values import Outcome, RulesError, Side, ruleset_info

RESIGNATION, AGREED, ADJUDICATION = "resignation", "draw-agreed", "adjudication"
"""Ends that no position shows; the last stands for a reason that the notation does not tell."""


class NotationError(RulesError):
    """The text is not a game in its notation.

    Attributes:
        line: the line of the error, from 1.
        column: the character in that line, from 1.
        why: what is wrong, without the place.
    """

    def __init__(self, line: int, column: int, why: str) -> None:
        super().__init__(f"line {line}, column {column}: {why}")
        self.line = line
        self.column = column
        self.why = why


class UnwritableError(RulesError):
    """The notation cannot express this game; the message names one that can."""


@dataclass(frozen=True)
class GameRecord:
    """A game, finished or not.

    Attributes:
        start: the position it began from.
        moves: the moves from there; each is legal in its position.
        outcome: how it ended; None while it goes on.
        refused: after how many moves a draw was offered and rejected, in order; a move must
            follow, so only an unfinished game can end with one.
        players: the names of the first and the second side.
        event: the name of the game or event.
        date: when it was played, such as ``2026.11.21``.

    Raises:
        IllegalMoveError: a move is not legal.
        ValueError: the outcome contradicts the board, or an offer of a draw is misplaced.
    """

    start: Position
    moves: tuple[Move, ...] = ()
    outcome: Outcome | None = None
    refused: tuple[int, ...] = ()
    players: tuple[str | None, str | None] = (None, None)
    event: str | None = None
    date: str | None = None

    def __post_init__(self) -> None:
        """Check that this is a game."""
        ended = self.position.outcome
        if ended is not None and ended != self.outcome:
            msg = f"On the board the game ended {ended.score} ({ended.termination})."
            raise ValueError(msg)
        most = len(self.moves) - (self.outcome is not None)
        if list(self.refused) != sorted({ply for ply in self.refused if 0 <= ply <= most}):
            msg = f"{self.refused} are not the plies of rejected draws in {len(self.moves)} moves."
            raise ValueError(msg)

    @cached_property
    def positions(self) -> tuple[Position, ...]:
        """The positions from the start on; one more than there are moves."""
        positions = [self.start]
        for move in self.moves:
            positions.append(positions[-1].play(move))
        return tuple(positions)

    @property
    def position(self) -> Position:
        """The last position."""
        return self.positions[-1]


def conclude(position: Position, score: str | None, termination: str | None) -> Outcome | None:
    """Determine how a game ended from its last position and score.

    Args:
        position: the last position.
        score: ``1-0``, ``0-1`` or ``1/2-1/2``; None if no score is given.
        termination: the reason, if it is given.

    Raises:
        ValueError: it contradicts the end of the game on the board.
    """
    ended = position.outcome
    if ended is not None:
        if score not in (None, ended.score):
            msg = f"the score is {score}, but on the board it is {ended.score} ({why(ended)})"
            raise ValueError(msg)
        return ended
    if score is None:
        return None
    winner = None if score == "1/2-1/2" else Side.FIRST if score == "1-0" else Side.SECOND
    if termination is None:
        if winner is None:
            agreed = ruleset_info(position.ruleset).draw_offers
            termination = AGREED if agreed else ADJUDICATION
        else:
            termination = ADJUDICATION if winner is position.turn else RESIGNATION
    return Outcome(termination, winner)


def why(outcome: Outcome) -> str:
    """The termination in words."""
    return outcome.termination.replace("-", " ")


def is_implied_by_score(position: Position, outcome: Outcome) -> bool:
    """Whether `conclude` would infer this outcome from its score alone."""
    return conclude(position, outcome.score, None) == outcome


class PlacedText:
    """Text that is read piece by piece.

    Args:
        text: the whole text.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def error(self, offset: int, why: str) -> NotationError:
        """The error for the text at `offset`."""
        before = self.text[:offset]
        line = before.count("\n") + 1
        return NotationError(line, offset - (before.rfind("\n") + 1) + 1, why)

    @property
    def end(self) -> int:
        """The offset after the last non-blank character."""
        return len(self.text.rstrip())


def shown(word: str) -> str:
    """A word of a file in quotes, shortened if it is very long."""
    return f'"{word}"' if len(word) <= 40 else f'"{word[:40]}…"'
