"""The title of the terminal's window, which tells a person who looks elsewhere whose turn it is."""

from collections.abc import Callable

# XTWINOPS: the terminal's title put on a stack, and taken from it.
_KEEP, _OLD = "\x1b[22;2t", "\x1b[23;2t"


class Title:
    """A title that is given back in the end.

    Args:
        write: sends to the terminal what Textual has no word for.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._shown = ""

    def keep(self) -> None:
        """Let the terminal remember the title it has."""
        self._write(_KEEP)

    def show(self, text: str) -> None:
        """Show another title."""
        if text != self._shown:
            self._write(f"\x1b]2;{text}\x07")
        self._shown = text

    def give_back(self) -> None:
        """Let the terminal show the title that it had before."""
        self._write(_OLD)
