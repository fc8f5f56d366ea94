"""Where a session speaks: lines on stdout, everything else on stderr, flushed at once."""

import contextlib
import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import TextIO, TypeAlias

from ataxxd.sanitize import sanitized

Offers: TypeAlias = Callable[[str], Iterable[str]]
"""Whole lines that what was typed so far may become."""


def nothing_offered(typed: str) -> Iterable[str]:  # noqa: ARG001
    """No lines: an `Offers`."""
    return ()


class OutputClosedError(Exception):
    """Nobody reads the output any more; the program ends without a word."""


class Output:
    """Standard output for the language itself, standard error for people.

    Every line is flushed: programs at the other end of a pipe wait for it.
    """

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._out = out
        self._err = err

    def say(self, text: str = "") -> None:
        """Print a line.

        Raises:
            OutputClosedError: the reader is gone.
        """
        self._write(text + "\n")

    def prompt(self, text: str, offers: Offers = nothing_offered) -> None:  # noqa: ARG002
        """Print the start of a line and leave the cursor behind it.

        Args:
            text: the start.
            offers: how the line may go on, for an output that can show it.

        Raises:
            OutputClosedError: the reader is gone.
        """
        self._write(text)

    def leave_prompt(self) -> None:
        """Go to a new line below a prompt that nobody has answered yet.

        Raises:
            OutputClosedError: the reader is gone.
        """
        self._write("\n")

    def ring(self) -> None:
        """Call the person at the terminal.

        Raises:
            OutputClosedError: the reader is gone.
        """
        self._write("\a")

    def aside(self) -> AbstractContextManager[None]:
        """Within it others may write to the same terminal."""
        return contextlib.nullcontext()

    def tell(self, text: str) -> None:
        """Print a line on standard error; where that is closed, nobody wants to know."""
        with contextlib.suppress(OSError, ValueError):
            self._err.write(sanitized(text) + "\n")
            self._err.flush()

    def _write(self, text: str) -> None:
        try:
            self._out.write(text)
            self._out.flush()
        except (BrokenPipeError, ConnectionResetError):
            self._discard_the_rest()
            raise OutputClosedError from None

    def _discard_the_rest(self) -> None:
        """Give what is still buffered a place to go, or Python complains of it at exit."""
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._out.fileno())
            os.close(nowhere)
