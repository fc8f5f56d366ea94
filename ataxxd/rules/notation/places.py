"""Text with places: offsets become lines and columns only when something is wrong."""

from ataxxd.rules.notation.game import NotationError


class PlacedText:
    """Text that is read piece by piece.

    Args:
        text: all of it.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def error(self, offset: int, why: str) -> NotationError:
        """The error for what stands at `offset`."""
        before = self.text[:offset]
        line = before.count("\n") + 1
        return NotationError(line, offset - (before.rfind("\n") + 1) + 1, why)

    @property
    def end(self) -> int:
        """The offset behind the last character that is no blank."""
        return len(self.text.rstrip())


def shown(word: str) -> str:
    """A word of a file in quotes, shortened where it would fill the screen."""
    return f'"{word}"' if len(word) <= 40 else f'"{word[:40]}…"'
