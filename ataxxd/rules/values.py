"""The plain values of the rules: who plays, how a game ended, what a search found.

The native module makes these and compares nothing with them, so that ``is``,
``match``, hashing and pickling work as everywhere in Python. This module knows
nothing of any game.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from ataxxd._engine import Move, rulesets
from ataxxd.rules.errors import UnknownRulesetError


class Side(IntEnum):
    """A player: who moves first in the game, not a colour."""

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
    """The end of a game: *why* is separate from *who*. ``str`` gives both, ``1-0 (no-moves)``.

    Attributes:
        termination: why: ``no-moves`` or ``no-pieces``; in Ataxx ``jump-limit`` or
            ``halfmove-limit``; in Lines of Action ``connected`` or ``move-limit``; in
            checkers ``repetition`` or ``forty-moves``. Players add reasons of their own, such
            as ``resignation``; ``aborted`` is an end without a result.
        winner: who won; ``None`` is a draw, or no result.
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
    """A set of rules that an offer and a record name by its id.

    Attributes:
        id: ``game/variant``, such as ``ataxx/cs61b-2022``.
        game: the part of the id before the slash.
        title: one line for menus.
        side_names: what the first and the second side are called.
        description: what sets this ruleset apart, in a sentence or two.
    """

    id: str
    game: str
    title: str
    side_names: tuple[str, str]
    description: str

    @property
    def draw_offers(self) -> bool:
        """Whether the players may agree on a draw (of our games, only in checkers)."""
        return self.game == "checkers"

    @property
    def most_pieces_win(self) -> bool:
        """Whether the side with more pieces at the end wins; elsewhere nobody counts them."""
        return self.game in ("ataxx", "reversi")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found, or knows so far.

    Attributes:
        move: the best move.
        score: centipieces for the side to move; beyond every evaluation when the
            game is decided.
        mate_in: moves of the winning side until the game is won (positive) or lost
            (negative) with best play; ``None`` when that is not known.
        depth: plies of the last finished iteration; 0 when none was finished.
        nodes: positions visited.
        elapsed_ms: time spent, in milliseconds.
        pv: the expected moves of both sides, ``move`` first.
        margin: by how many pieces the side to move wins (negative: loses) with best play, the
            empty squares counted for the winner; ``None`` when that is not proved. Only reversi
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
    """What is known of a ruleset.

    Raises:
        UnknownRulesetError: there is none of this id; lists what there is.
    """
    for info in rulesets():
        if info.id == ruleset:
            return info
    known = ", ".join(info.id for info in rulesets())
    msg = f"There is no ruleset {ruleset!r}; this node knows {known}."
    if (game := game_elsewhere(ruleset)) is not None:
        msg += f" {ruleset} is called {game} here."
    raise UnknownRulesetError(msg)


def game_elsewhere(name: str) -> str | None:
    """Which of our games has this name elsewhere: ``othello`` is ``reversi``."""
    return _ELSEWHERE.get(name.lower())


def ruleset_named(name: str) -> RulesetInfo:
    """The ruleset of an id, or the usual one of a game: ``reversi`` is ``reversi/standard``.

    Raises:
        UnknownRulesetError: there is none; lists what there is.
    """
    for info in rulesets():
        if info.game == name:
            return info
    return ruleset_info(name)
