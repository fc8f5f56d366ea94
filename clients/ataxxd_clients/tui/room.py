"""What is shown where a terminal has no room for a board."""

from textual.widget import Widget

LEAST = (60, 18)
"""The columns and lines that it takes to show a board and what belongs to it."""


# The names of the sizes are `ataxxd_clients.tui.window.Window`'s.
COVERING = """
Room { display: none; width: 100%; height: 100%; padding: 0 1; }
.-cramped > *, .-flat > * { display: none; }
.-cramped > Room, .-flat > Room { display: block; }
"""


class Room(Widget):
    """Covers a screen that is too small, and says what it takes."""

    def render(self) -> str:
        """What there is and what it takes."""
        columns, lines = self.app.size
        return (
            f"This terminal has {columns} columns and {lines} lines; a board needs {LEAST[0]} and "
            f"{LEAST[1]}. Make it larger, or its letters smaller: the game waits. Ctrl-Q quits. "
            "Without --tui games are played in text."
        )
