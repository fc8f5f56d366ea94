"""Lists for people: columns that stand below each other, and fit into the terminal."""

import shutil
import sys
import textwrap
from collections.abc import Sequence

Rows = Sequence[Sequence[str]]


def columns(*ways: Rows) -> list[str]:
    """The lines of a list.

    Args:
        ways: the rows, as long as they should be; then shorter ones, for terminals in which those
            before do not fit. In the last, long lines go on below, between two words.
    """
    if not sys.stdout.isatty():
        return _aligned(ways[0])
    return fitted(ways, shutil.get_terminal_size().columns)


def fitted(ways: Sequence[Rows], width: int) -> list[str]:
    """As `columns`, for a terminal of so many columns."""
    lines: list[str] = []
    for rows in ways:
        lines = _aligned(rows)
        if all(len(line) <= width for line in lines):
            return lines
    # A word that is longer than all of a line is left whole: an id that is cut names nobody.
    wrapper = textwrap.TextWrapper(
        width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return [part for line in lines for part in wrapper.wrap(line)]


def _aligned(rows: Rows) -> list[str]:
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width
        ).rstrip()
        for row in rows
    ]
