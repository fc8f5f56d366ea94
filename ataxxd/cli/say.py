"""What is told to people: on standard error, so that standard output stays the line language."""

import sys
from contextlib import suppress


def say(text: str) -> None:
    """Tell the person at the terminal something."""
    # Whoever closed standard error does not want to know.
    with suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)
