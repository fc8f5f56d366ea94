"""What is told to people: on standard error, so that standard output stays the line language."""

import sys


def say(text: str) -> None:
    """Tell the person at the terminal something."""
    print(text, file=sys.stderr, flush=True)
