"""This program's search behind the protocols by which other programs ask engines for moves.

    uai       UAI, for Ataxx
    nboard    NBoard 2, for reversi
    hub       Hub 2, for checkers

Each is a conversation over standard input and output that ends with the input. This module has what
they share: lines in, lines out, and the engine's options.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import TextIO

from ataxxd.engines.search_thread import SearchRequest, SearchThread
from ataxxd.engines.tablebases import largest_table_mb
from ataxxd.rules import Position
from ataxxd.rules.limits import Limits

# Enough for a game of some thousand moves on one line; no command is longer.
LONGEST_LINE = 1 << 16
MAX_HASH_MB = 65_536
MAX_THREADS = 256
# More than any search needs. Larger numbers do not fit the engine, nor larger times a wait.
DEEPEST = 1000
LONGEST_MS = 10**9
LARGEST = 2**53
# The limits of a move whose own cannot be read: a program that sent some expects an end.
DEFAULT_LIMITS = Limits(time_ms=1000)


class NoMoveError(ValueError):
    """There is no move to search for; the asking program must be told so."""


class EngineServer(ABC):
    """One conversation with a program that asks for moves.

    Args:
        say: prints a line at once; called from two threads, and must not fail.
        levels: the limits of each level, by game; without a level, the engine plays at full
            strength.
        version: the version of this program.
    """

    _ruleset: str
    _options: tuple[str, ...] = ()
    """Their names, as the protocol shows them."""

    def __init__(
        self,
        write_line: Callable[[str], None],
        levels: Mapping[str, Mapping[int, Limits]],
        version: str,
    ) -> None:
        self._write_line = write_line
        self._levels = levels[self._ruleset.partition("/")[0]]
        self._version = version
        self._level = 0
        self._seed = 0
        self._search = SearchThread()
        self._position: Position | None = Position.start(self._ruleset)
        """The position to search next; None if the last one sent was refused."""

    def serve(self, stream: TextIO) -> None:
        """Execute the lines of a stream until it ends or a line says so.

        A search that is still running then is stopped, and its answer is given.
        """
        try:
            for line in _lines(stream):
                words = line.split()
                if not words:
                    continue
                if words[0] == "quit":
                    return
                try:
                    self._execute(words, line)
                except ValueError as error:
                    self._report_error(str(error))
        finally:
            self._stop()

    @abstractmethod
    def _execute(self, words: list[str], line: str) -> None:
        """Do what a line says.

        Args:
            words: the words of the line, at least one.
            line: the whole line.

        Raises:
            ValueError: it cannot be done; the message says why.
        """

    @abstractmethod
    def _report_error(self, why: str) -> None:
        """Say that a line could not be executed."""

    def _stop(self) -> None:
        """Stop the search, so that it answers at once."""
        self._search.stop()

    def _require_position(self) -> Position:
        """The position to search.

        Raises:
            NoMoveError: the position is not known, or the game is over there.
            ValueError: another search has not been answered yet.
        """
        if self._search.busy:
            raise ValueError("A search is under way. Stop it first.")
        if self._position is None:
            raise NoMoveError(
                "The position is not known, for the last one was refused. Send another."
            )
        if self._position.outcome is not None:
            raise NoMoveError("The game is over in this position; there is no move to find.")
        return self._position

    def _start_search(self, question: SearchRequest) -> None:
        """Begin a search at the level that is set."""
        if self._level:
            limits = question.limits.within(self._levels[self._level])
        else:
            limits = question.limits
        self._search.start(
            SearchRequest(
                question.position,
                limits,
                question.on_info,
                question.on_answer,
                holds_answer=question.holds_answer,
                seed=self._seed,
                clears_table=self._level > 0,
                on_found=question.on_found,
            )
        )

    def _set_option(self, name: str, value: str) -> None:
        """Set an option that every protocol has.

        Raises:
            ValueError: there is no such option, or it takes no such value.
        """
        match name.lower():
            case "hash":
                self._search.resize(hash_mb=number(value, name, 1, MAX_HASH_MB))
            case "threads":
                self._search.resize(threads=number(value, name, 1, MAX_THREADS))
            case "level":
                self._level = number(value, name, 0, max(self._levels))
            case "seed":
                self._seed = number(value, name, 0, 2**64 - 1)
            case _:
                *most, last = self._options
                named = name or "without a name"
                raise ValueError(
                    f"There is no option {named}; options are {', '.join(most)} and {last}."
                )


def max_hash_mb() -> int:
    """The largest table to ask for, as options show it."""
    return min(largest_table_mb() or MAX_HASH_MB, MAX_HASH_MB)


def number(text: str, name: str, least: int, most: int) -> int:
    """Read an integer.

    Raises:
        ValueError: it is not an integer, or not from `least` to `most`.
    """
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if not least <= value <= most:
        raise ValueError(
            f"{name} takes a whole number from {least} to {most}, not {text or 'nothing'}."
        )
    return value


def _lines(stream: TextIO) -> Iterator[str]:
    """The lines of a stream; only the beginning of one that is too long."""
    skipping = False
    while piece := stream.readline(LONGEST_LINE):
        if not skipping:
            yield piece.rstrip("\r\n")
        skipping = not piece.endswith("\n")
