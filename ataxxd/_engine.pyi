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
from os import PathLike
from typing import final

from ataxxd.rules.values import Outcome, RulesetInfo, SearchResult, Side

__all__ = [
    "Engine",
    "Move",
    "Position",
    "check_tables",
    "make_tables",
    "rulesets",
    "use_tables",
]

@final
class Move:
    """A move of some game; it does not know which position it is meant for.

    Equal by game and canonical text. ``str(move)`` is the canonical text.

        >>> move = Move("checkers", "22x15x8")
        >>> move.from_square, move.to_square, move.squares
        ('22', '8', ('22', '15', '8'))
    """

    def __new__(cls, game: str, text: str) -> Move:
        """Reads the canonical text of a move; for text typed by people see `Position.parse_move`.

        Args:
            game: a game's name, such as ``ataxx``.
            text: the canonical text, such as ``g2``, ``a7a5`` or ``0000`` for Ataxx (UAI),
                ``b1-d3`` or ``-`` for Lines of Action, ``11-15`` or ``22x15x8`` for checkers,
                ``d3`` or ``--`` for reversi.

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

    @property
    def from_square(self) -> str | None:
        """The square that the piece leaves, such as ``a7``, or ``11`` in checkers.

        ``None`` for a new piece (a clone of Ataxx, a move of reversi) and for a pass. From where
        a clone grows makes no difference, so a move does not say it.
        """

    @property
    def to_square(self) -> str | None:
        """The square where the piece lands in the end; ``None`` for a pass."""

    @property
    def squares(self) -> tuple[str, ...]:
        """Every square that the piece stands on, from the first to the last; none for a pass.

        What a move takes depends on the position: see `Position.captures`.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getnewargs__(self) -> tuple[str, str]: ...

@final
class Position:
    """A position of some game under a ruleset, with all that the rules need to go on.

    Equal when ruleset and text are equal; the move number is part of the text. ``str(position)``
    draws the board; a notebook shows it as a picture.

        >>> position = Position.start("ataxx/cs61b-2022")
        >>> move = position.parse_move("a7-b6")
        >>> print(position.play(move))
         7  x . . . . . o
         6  . x . . . . .
         5  . . . . . . .
         4  . . . . . . .
         3  . . . . . . .
         2  . . . . . . .
         1  o . . . . . x
            a b c d e f g
        Blue (o) to move
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
        """Reads position text, such as the canonical text of any position.

        Ataxx: the FEN of UAI, ``x5o/7/7/7/7/7/o5x x 0 1``. The halfmove clock counts, under
        ``ataxx/cs61b-2022``, consecutive jumps.

        Lines of Action: rows from 8 down and the side to move, ``1xxxxxx1/o6o/…/1xxxxxx1 x``,
        and perhaps the moves made by both sides together and the number of them that makes a
        tie, ``… o 7 60``; without those it is 0 and 60. With ``set`` after them a position set
        up by hand, in which somebody would have won, is judged only after the next move.

        Checkers: the FEN of PDN, ``W:W18,K30:B7,8,K15``. Under ``checkers/acf`` there may
        follow ``:H4``, the plies since the last capture or man's move, and
        ``:M1-6,32-28,6-1,28-32``, the last of those moves, from which repetitions are known.

        Reversi: 64 characters ``X``, ``O`` or ``-`` (a1 to h1 first) and the side to move, or
        the laboratory's rows of ``w``, ``b`` and ``.`` between bars in ``{}`` (White to move)
        or ``[]`` (Black); an empty text is the start.

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
        """A 64-bit hash of all that may change what follows, the move number aside.

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

        ``x`` and ``o`` are pieces of the first and the second side, ``X`` and ``O`` their
        kings, ``.`` is empty, ``#`` a block, and a blank a square where no piece can stand.
        The top row is the last one of Ataxx and Lines of Action, row 1 of reversi, and
        the squares 1 to 4 of checkers.
        """

    @property
    def square_names(self) -> tuple[tuple[str | None, ...], ...]:
        """The name of each square, arranged as in `rows`; ``None`` where no piece can stand."""

    def captures(self, move: Move) -> tuple[str, ...]:
        """The squares whose pieces a legal move takes, or turns to its side; top row first.

            >>> position = Position("reversi/standard", "")
            >>> position.captures(position.parse_move("d3"))
            ('d4',)

        Raises:
            IllegalMoveError: the move is not legal here.
        """

    def parse_move(self, text: str) -> Move:
        """Reads a move as people type it, and accepts it only when it is legal here.

        Upper and lower case are the same. Ataxx takes ``g2``, ``a7a5``, ``a7-a5`` and
        ``a7-b6`` (a clone, from an own piece), and ``-`` or ``0000`` for a pass. Lines of
        Action takes ``b1-d3``, ``b1d3``, ``b1xd3``, and ``-`` or ``pass``. Checkers takes
        squares with ``-`` or ``x`` between them; every square of a jump has to be named,
        except under ``checkers/acf`` where one move alone fits. Reversi takes ``d3``,
        ``(3,2)`` (x and y from the top left), and ``--``, ``-``, ``pa``, ``pass``, ``skip``
        or ``(-1,-1)``.

        Raises:
            InvalidMoveError: the text is not a move at all.
            IllegalMoveError: the rules forbid it; the message says why and what is possible.
        """

    def format_move(self, move: Move, notation: str = "canonical") -> str:
        """The text of a legal move.

        Args:
            move: a move that is legal here.
            notation: ``canonical``, or one of the game's own. Ataxx: ``cs61b``, as in
                ``a7-b6`` and ``-``; a clone then names one of the pieces it may come from,
                always the same one. Lines of Action: ``cs61b``, the same as canonical, or
                ``pgn``, which writes a capture ``b1xd3``. Checkers: ``cs61b``, as in
                ``22-15-8``, or ``pdn``, which under ``checkers/acf`` writes ``22x8``, with
                the squares between only where another move would fit. Reversi:
                ``laboratory``, as in ``(3,2)`` and ``(-1,-1)``.

        Raises:
            IllegalMoveError: the move is not legal here.
            ValueError: the game has no such notation.
        """

    def reason(self, move: Move, mate_in: int | None = None) -> str | None:
        """What a legal move does, in a few words; ``None`` where that is little.

        It is read from the board, and true whether or not the move is the best one.

            >>> position = Position("reversi/standard", "")
            >>> position.reason(position.parse_move("d3"))
            'leaves White 3 moves instead of 4'

        Args:
            move: a move that is legal here.
            mate_in: the same as of a `SearchResult`: in how many moves the side to move wins by
                force, or, negative, loses.

        Raises:
            IllegalMoveError: the move is not legal here.
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

        Reversi counts as its published figures do: a finished game is one leaf, however
        many plies are left.

        The GIL is released meanwhile, and Ctrl-C ends the call.

        Raises:
            ValueError: the depth is negative.
        """

    def _repr_svg_(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getnewargs__(self) -> tuple[str, str]: ...

@final
class Engine:
    """A player for every game, with a table of what it has learnt.

    One search at a time; any thread may call any method.
    """

    def __new__(cls, hash_mb: int = 16, *, threads: int = 1) -> Engine:
        """An engine whose table takes about ``hash_mb`` mebibytes.

        The GIL is released while it is made.

        Args:
            hash_mb: from 1 to 65536.
            threads: that search at once, from 1 to 256; they share the table. With more than
                one, no two searches are the same, whatever their limits.

        Raises:
            MemoryError: there is no room for the table.
            ValueError: one of them is out of range.
        """

    @staticmethod
    def prepare(position: Position) -> None:
        """Unpacks what searches of the position's game need, once a process.

        Otherwise they do so themselves when they need it, on the clock of a move. It takes up
        to a third of a second, in checkers, and longer with tables of one's own. The GIL is
        released meanwhile.
        """

    @staticmethod
    def moves_to_go(position: Position) -> int:
        """For how many more moves of the side to move a clock has to last, at least 1.

        These are the moves that need time to think: in reversi, those until the rest of the game
        is solved, and a few more.
        """

    @staticmethod
    def parameters(game: str) -> tuple[tuple[str, int, int, int], ...]:
        """The numbers of the search that can be tuned in a game: name, value, least and most.

        Raises:
            ValueError: there is no such game.
        """

    def tune(self, tuning: dict[str, int]) -> None:
        """Searches from now on with these numbers, by their names, and all others as usual.

        Numbers that a game's search does not use change nothing there. What was learnt with
        others stays in the table until `clear`.

        Raises:
            RuntimeError: a search is running.
            ValueError: there is no such number, or it is out of its range.
        """

    def search(
        self,
        position: Position,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time_ms: int | None = None,
        aim_ms: int | None = None,
        cutoff_ms: int | None = None,
        seed: int = 0,
        temperature: int = 0,
        oversight: int = 0,
        nodes_per_ms: int | None = None,
        on_info: Callable[[SearchResult], object] | None = None,
    ) -> SearchResult:
        """Looks for the best move until a limit is reached or `stop` is called.

        The GIL is released meanwhile, and Ctrl-C ends the call. With one thread and the same
        engine history, the same limits in depth or nodes give the same result. A win that can
        be forced within four moves is found and played whatever ``depth``, ``nodes`` and
        ``seed`` say; proving that there is none takes a few milliseconds, rarely some
        hundreds and at most about two seconds, beyond what those limits allow. An only move is
        returned at once.

        Args:
            position: where the game goes on.
            depth: plies of the last iteration, at least 1.
            nodes: positions to visit; met exactly by one thread, while several go on until they
                notice, usually within some hundred.
            time_ms: milliseconds, of everything; a little of it is kept in reserve.
            aim_ms: about how many of ``time_ms`` the move deserves, where a clock has to last for
                others: it takes less where the best move is beyond doubt, and more where it is
                not. No limit by itself.
            cutoff_ms: milliseconds after which a search is ended whatever it does. No limit by
                itself, and unlike ``time_ms`` nothing depends on it before: a search that ends
                sooner gives the same result on every machine.
            seed: varies the choice among moves within 8 centipieces of each other, always
                in the same way; 0 takes the best.
            temperature: from 0 to 1000: lets the seed choose more freely. Each so many centipieces
                that a move is worth less make it less likely by a factor of e, and one worth four
                times as much less is never played. In reversi they count double.
            oversight: in how many turns of a hundred, chosen by the seed, the opponent's answers
                are overlooked: what a move takes at once decides then. Only moves and wins that
                can be forced within four moves are seen all the same.
            nodes_per_ms: counts time by positions, so many to a millisecond, and not by the
                machine's clock, ``elapsed_ms`` included: for trials of what depends on time. Proofs
                of short wins visit none, and so take no time.
            on_info: called with what is known after each iteration, from this thread;
                an exception that it raises ends the search.

        Raises:
            ValueError: no limit is given, one is out of range, or the game is over.
            RuntimeError: the engine is already searching in another thread.
        """

    def alphabeta(
        self, position: Position, depth: int, *, time_ms: int | None = None
    ) -> tuple[Move, int | None]:
        """Chooses a move by plain alpha-beta, the same one as minimax of this depth would.

        The second side maximises and the first minimises; every ply counts, passes included;
        of equal moves the first of `Position.legal_moves` is chosen. In reversi this is the
        reference player of the COMP24011 laboratory: a position is worth the laboratory's
        weights of White's squares minus those of Black's, whoever is to move and also when the
        game is over. In the other games it is worth what `search` thinks of it, in centipieces
        for the second side, and 30000 when that side has won.

        The GIL is released meanwhile, and Ctrl-C ends the call.

        Args:
            position: where the game goes on.
            depth: plies to look ahead, at least 1.
            time_ms: milliseconds after which the search is cut short.

        Returns:
            The move and its value. The value is ``None`` when the search was cut short, by
            `stop` or by ``time_ms``; the move is then the best so far.

        Raises:
            ValueError: the depth is less than 1, or the game is over.
            RuntimeError: the engine is already searching in another thread.
        """

    def stop(self) -> None:
        """Ends the search under way, if any, with the best move known; from any thread."""

    def clear(self) -> None:
        """Forgets everything learnt. The GIL is released meanwhile.

        Raises:
            RuntimeError: the engine is searching in another thread.
        """

def rulesets() -> tuple[RulesetInfo, ...]:
    """All rulesets of all games; the first one of a game is its default."""

def make_tables(
    file: PathLike[str],
    folder: PathLike[str],
    pieces: int,
    on_progress: Callable[[int, int, int, int, int], object],
) -> bool:
    """Makes endgame tables of checkers of boards with up to so many pieces, 2 to 5.

    Steps are kept in a folder until the file is whole, and not done again. The GIL is released
    meanwhile; Ctrl-C, or an exception of ``on_progress``, ends the call.

    Args:
        file: where to.
        folder: for the steps; removed in the end.
        pieces: of both sides.
        on_progress: called some times a second with how many pairs of materials are made, of how
            many; their boards, those of them that were made before, and all boards.

    Raises:
        OSError: a file cannot be written.
        ValueError: there are no tables of so many pieces.
    """

def check_tables(file: PathLike[str]) -> int:
    """How many pieces a file of tables goes up to; all of it is read.

    Raises:
        OSError: it cannot be read.
        ValueError: it is damaged, or of another version.
    """

def use_tables(file: PathLike[str]) -> int:
    """Has every search of this process use a file of tables, as soon as they are unpacked.

    The first ones that are given stay, and others after them are of no use.

    Returns:
        How many pieces the file goes up to.

    Raises:
        OSError: it cannot be read.
        ValueError: it is damaged, of another version, or of no more pieces than the program's own.
    """
