"""The rules of the games and the search, compiled from ``engine/``.

Import these names from ``ataxxd.rules``. Positions and moves are immutable values:
hashable, comparable, picklable, and safe to share between threads.

    >>> from ataxxd.rules import Position
    >>> position = Position.start("ataxx/cs61b-2022")
    >>> move = position.parse_move("g1-f2")
    >>> position.play(move).text
    'x5o/7/7/7/7/5x1/o5x o 0 1'
"""

# ruff: noqa: PYI021 -- the stub is the documentation of a native module

from collections.abc import Callable
from typing import final

from ataxxd.rules.values import Outcome, RulesetInfo, SearchResult, Side

__all__ = ["Engine", "Move", "Position", "rulesets"]

@final
class Move:
    """A move of some game; which position it is meant for, it does not know.

    Equal by game and canonical text. ``str(move)`` is the canonical text.
    """

    def __new__(cls, game: str, text: str) -> Move:
        """Reads the canonical text of a move; for text typed by people see `Position.parse_move`.

        Args:
            game: a game's name, such as ``ataxx``.
            text: the canonical text, such as ``g2``, ``a7a5`` or ``0000`` (UAI).

        Raises:
            UnknownRulesetError: there is no such game.
            InvalidMoveError: the text is not the canonical text of a move.
        """

    @property
    def game(self) -> str:
        """The game's name, such as ``ataxx``."""

    @property
    def text(self) -> str:
        """The canonical text, as the wire and the records have it."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getnewargs__(self) -> tuple[str, str]: ...

@final
class Position:
    """A position of some game under a ruleset, with all that the rules need to go on.

    Equal when ruleset and text are equal; the move number is part of the text.
    """

    def __new__(cls, ruleset: str, text: str) -> Position:
        """Reads position text; the same as `from_text`."""

    @staticmethod
    def start(ruleset: str) -> Position:
        """The start position of a ruleset.

        Raises:
            UnknownRulesetError: there is no such ruleset.
        """

    @staticmethod
    def from_text(ruleset: str, text: str) -> Position:
        """Reads position text: for Ataxx the FEN of UAI, such as ``x5o/7/7/7/7/7/o5x x 0 1``.

        The halfmove clock counts, under ``ataxx/cs61b-2022``, consecutive jumps.

        Raises:
            UnknownRulesetError: there is no such ruleset.
            InvalidPositionError: the text is not a position; the message names the place.
        """

    @property
    def ruleset(self) -> str:
        """The ruleset's id, such as ``ataxx/cs61b-2022``."""

    @property
    def game(self) -> str:
        """The game's name, such as ``ataxx``."""

    @property
    def text(self) -> str:
        """The canonical position text; `from_text` makes an equal position of it."""

    @property
    def turn(self) -> Side:
        """The side to move, also when the game is over."""

    @property
    def key(self) -> int:
        """A 64-bit Zobrist hash of all that may change what follows, the move number aside.

        For tables in memory; it may differ between versions of this program.
        """

    @property
    def legal_moves(self) -> tuple[Move, ...]:
        """All legal moves in a fixed order; none once the game is over."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; ``None`` while it goes on."""

    @property
    def counts(self) -> tuple[int, int]:
        """The number of pieces of `Side.FIRST` and of `Side.SECOND`."""

    @property
    def rows(self) -> tuple[str, ...]:
        """The board, top row first, one character a square.

        ``x`` and ``o`` are pieces of the first and the second side, ``.`` is empty and
        ``#`` a block.
        """

    def parse_move(self, text: str) -> Move:
        """Reads a move as people type it, and accepts it only when it is legal here.

        Ataxx takes ``g2``, ``a7a5``, ``a7-a5`` and ``a7-b6`` (a clone, from an own piece),
        and ``-`` or ``0000`` for a pass, in upper or lower case.

        Raises:
            InvalidMoveError: the text is not a move at all.
            IllegalMoveError: the rules forbid it; the message says why and what is possible.
        """

    def format_move(self, move: Move, notation: str = "canonical") -> str:
        """The text of a legal move.

        Args:
            move: a move that is legal here.
            notation: ``canonical``, or for Ataxx ``cs61b``: ``a7-b6`` and ``-``. A clone
                then names one of the pieces it may come from, always the same one.

        Raises:
            IllegalMoveError: the move is not legal here.
            ValueError: the game has no such notation.
        """

    def is_legal(self, move: Move) -> bool:
        """Whether the rules allow the move here; false for a move of another game."""

    def play(self, move: Move) -> Position:
        """The position after a move; this one stays as it is.

        Raises:
            IllegalMoveError: the move is not legal here; the message says why.
        """

    def perft(self, depth: int) -> int:
        """Counts the move sequences of exactly ``depth`` plies; a finished game has none.

        The GIL is released meanwhile, and Ctrl-C ends the call.

        Raises:
            OverflowError: the depth is negative.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getnewargs__(self) -> tuple[str, str]: ...

@final
class Engine:
    """A player for every game, with a table of what it has learnt.

    One search at a time; any thread may call any method.
    """

    def __new__(cls, hash_mb: int = 16) -> Engine:
        """An engine whose table takes about ``hash_mb`` mebibytes.

        Raises:
            ValueError: the size is not from 1 to 65536.
        """

    def search(
        self,
        position: Position,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time_ms: int | None = None,
        seed: int = 0,
        on_info: Callable[[SearchResult], object] | None = None,
    ) -> SearchResult:
        """Looks for the best move until a limit is reached or `stop` is called.

        The GIL is released meanwhile, and Ctrl-C ends the call. With the same engine
        history, the same limits in depth or nodes give the same result. A win that can
        be forced within four moves is found and played whatever ``depth``, ``nodes`` and
        ``seed`` say; proving that there is none takes a few milliseconds, rarely some
        tens, beyond what those limits allow. An only move is returned at once.

        Args:
            position: where the game goes on.
            depth: plies of the last iteration, at least 1.
            nodes: positions to visit; met exactly.
            time_ms: milliseconds, of everything; a little of it is kept in reserve.
            seed: varies the choice among moves within 8 centipieces of each other, always
                in the same way; 0 takes the best.
            on_info: called with what is known after each iteration, from this thread;
                an exception that it raises ends the search.

        Raises:
            ValueError: no limit is given, or the game is over.
            RuntimeError: the engine is already searching in another thread.
        """

    def stop(self) -> None:
        """Ends the search under way, if any, with the best move known; from any thread."""

    def clear(self) -> None:
        """Forgets everything learnt.

        Raises:
            RuntimeError: the engine is searching in another thread.
        """

def rulesets() -> tuple[RulesetInfo, ...]:
    """All rulesets of all games; the first one of a game is its default."""
