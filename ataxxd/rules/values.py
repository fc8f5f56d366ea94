"""The plain values of the rules: who plays, how a game ended, what a search found, what is wrong.

    RulesError (ValueError)
    ├── InvalidMoveError        the text is not a move at all
    ├── IllegalMoveError        a move, but the rules forbid it here
    ├── InvalidPositionError    the text is not a position
    └── UnknownRulesetError     no ruleset or game of that name

The native module makes these values and compares nothing with them, so that ``is``, ``match``,
hashing and pickling work as everywhere in Python. It raises these errors; their messages name
squares and say what would be possible. How a game ended is said in a sentence, the same one
wherever it is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from ataxxd._engine import Move, Position, rulesets


class RulesError(ValueError):
    """Base class of all errors about the rules."""


class InvalidMoveError(RulesError):
    """The text is not a move of this game; the message shows what a move looks like."""


class IllegalMoveError(RulesError):
    """The rules forbid this move here; the message says why and what is possible."""


class InvalidPositionError(RulesError):
    """The text is not a position of this game; the message names the place."""


class UnknownRulesetError(RulesError):
    """No ruleset or game has this name; the message lists those that exist."""


class Side(IntEnum):
    """A player by the order of moving: ``FIRST`` makes the first move, whatever its colour."""

    FIRST = 0
    SECOND = 1

    def __str__(self) -> str:
        """``first`` or ``second``, as options have it."""
        return self.name.lower()

    def __format__(self, spec: str) -> str:
        """As text, in an f-string too."""
        return format(str(self), spec)

    @property
    def opponent(self) -> Side:
        """The other side."""
        return Side.SECOND if self is Side.FIRST else Side.FIRST


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: who won, and why. ``str`` gives both, such as ``1-0 (no-moves)``.

    Attributes:
        termination: the reason: ``no-moves`` or ``no-pieces``; in Ataxx ``jump-limit`` or
            ``halfmove-limit``; in Lines of Action ``connected`` or ``move-limit``; in
            checkers ``repetition`` or ``forty-moves``. Players add others, such as
            ``resignation``; ``aborted`` is an end without a result.
        winner: the side that won; ``None`` for a draw, or no result.
    """

    termination: str
    winner: Side | None

    @property
    def score(self) -> str:
        """The score as records write it: ``1-0`` (first wins), ``0-1``, ``1/2-1/2`` or ``*``."""
        if self.winner is None:
            return "*" if self.termination == "aborted" else "1/2-1/2"
        return "1-0" if self.winner is Side.FIRST else "0-1"

    def __str__(self) -> str:
        """The score and the reason, such as ``1-0 (no-moves)``."""
        return f"{self.score} ({self.termination})"


@dataclass(frozen=True, slots=True)
class RulesetInfo:
    """A set of rules, which offers and records name by its id.

    Attributes:
        id: ``game/variant``, such as ``ataxx/cs61b-2022``.
        game: the part of the id before the slash.
        title: one line for menus.
        side_names: the names of the first and the second side.
        description: what distinguishes this ruleset, in a sentence or two.
    """

    id: str
    game: str
    title: str
    side_names: tuple[str, str]
    description: str

    @property
    def draw_offers(self) -> bool:
        """Whether the players may agree on a draw; of our games, only in checkers."""
        return self.game == "checkers"

    @property
    def most_pieces_win(self) -> bool:
        """Whether the side with more pieces at the end wins."""
        return self.game in ("ataxx", "reversi")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search, final or so far.

    Attributes:
        move: the best move.
        score: hundredths of a piece for the side to move; beyond the range of evaluations if the
            game is decided.
        mate_in: moves of the winning side until the game is won (positive) or lost
            (negative) with best play; ``None`` if that is not known.
        depth: plies of the last finished iteration; 0 if none was finished.
        nodes: positions searched.
        elapsed_ms: time spent, in milliseconds.
        pv: the expected moves of both sides, ``move`` first.
        margin: by how many pieces the side to move wins (negative: loses) with best play, with
            empty squares counted for the winner; ``None`` if it is not proved. Only reversi
            proves it, near the end.
    """

    move: Move
    score: int
    mate_in: int | None
    depth: int
    nodes: int
    elapsed_ms: int
    pv: tuple[Move, ...]
    margin: int | None = None


_ELSEWHERE = {
    "othello": "reversi",
    "draughts": "checkers",
    "lines-of-action": "loa",
    "lines of action": "loa",
    "infection": "ataxx",
}


@cache
def ruleset_info(ruleset: str) -> RulesetInfo:
    """The description of a ruleset.

    Raises:
        UnknownRulesetError: there is none with this id; the text lists those that exist.
    """
    for info in rulesets():
        if info.id == ruleset:
            return info
    known = ", ".join(info.id for info in rulesets())
    msg = f"There is no ruleset {ruleset!r}; this node knows {known}."
    if (game := find_game_by_other_name(ruleset)) is not None:
        msg += f" {ruleset} is called {game} here."
    raise UnknownRulesetError(msg)


def find_game_by_other_name(name: str) -> str | None:
    """Which of our games has this name elsewhere: ``othello`` is ``reversi``."""
    return _ELSEWHERE.get(name.lower())


def ruleset_named(name: str) -> RulesetInfo:
    """The ruleset with an id, or the usual one of a game: ``reversi`` is ``reversi/standard``.

    Raises:
        UnknownRulesetError: there is none; the text lists those that exist.
    """
    for info in rulesets():
        if info.game == name:
            return info
    return ruleset_info(name)


BY_PIECES = {
    "no-moves": "nobody can move",
    "no-pieces": "{loser} has no pieces left",
    "jump-limit": "25 jumps in a row",
}
"""Why a game ended that more pieces have won; the score is told with it."""
ENDING_REASONS = {
    "no-moves": "{loser} cannot move",
    "no-pieces": "{loser} has no pieces left",
    "halfmove-limit": "too long without a new piece",
    "connected": "all pieces in one group",
    "move-limit": "the limit of moves is reached",
    "repetition": "the same position came back",
    "forty-moves": "40 moves without a capture or a man's move",
    "draw-agreed": "both agreed",
    "resignation": "{loser} resigned",
    "abandoned": "{loser} did not answer",
    "aborted": "the game was aborted",
    "illegal-move": "{loser} made an illegal move",
    "desync": "{loser} sent a wrong position",
    "double-dealing": "{loser} signed two versions of one message",
    "protocol-violation": "{loser} broke the rules of the protocol",
}
"""Why any other game ended, by its termination."""


def ending_text(outcome: Outcome, position: Position, own: Side | None = None) -> str:
    """Say how a game ended, such as ``Red wins, 30 to 19: nobody can move.``.

    Args:
        outcome: the end.
        position: the last position; its pieces are counted in the text if they decided.
        own: the reader's side, if the opponent is elsewhere; None otherwise.
    """
    info = ruleset_info(position.ruleset)
    names, winner = info.side_names, outcome.winner
    loser = "" if winner is None else names[winner.opponent]
    if outcome.termination == "time" and winner is not None:
        if winner is own:
            return "Your opponent's time ran out: you win."
        return f"{'You' if own is not None else loser} lost on time."
    by_pieces = info.most_pieces_win and outcome.termination in BY_PIECES
    why = (BY_PIECES if by_pieces else ENDING_REASONS).get(outcome.termination, outcome.termination)
    if winner is not None:
        head = f"{names[winner]} wins"
    else:
        head = "No result" if outcome.score == "*" else "A draw"
    if by_pieces:
        more, fewer = reversed(position.counts) if winner is Side.SECOND else position.counts
        head += f", {more} to {fewer}"
    return f"{head}: {why.format(loser=loser)}."
