"""The curve of a game: how much of the bar belongs to the first side, move by move."""

from collections.abc import Sequence

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from ataxxd_clients.tui.pieces import SIGN, PieceSet

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_WIDEST = 3


def columns(points: int, width: int) -> list[int]:
    """Which point each column of a graph shows: every one where there is room."""
    if points <= 0 or width <= 0:
        return []
    if points <= width:
        each = min(width // points, _WIDEST)
        return [point for point in range(points) for _ in range(each)]
    return [column * (points - 1) // max(width - 1, 1) for column in range(width)]


def column_of(share: float | None, height: int, *, ascii_only: bool) -> str:
    """One column from the top, a character a line; blanks where nothing is known."""
    if share is None:
        return " " * height
    if ascii_only:
        full = round(share * height)
        return "." * (height - full) + "#" * full
    eighths = round(share * height * 8)
    return "".join(
        _EIGHTHS[min(max(eighths - 8 * below, 0), 8)] for below in range(height - 1, -1, -1)
    )


class Graph(Widget):
    """A curve with a mark below the position that is looked at; a click looks at another."""

    class Looked(Message):
        """A position was chosen: the one after so many moves."""

        def __init__(self, ply: int) -> None:
            super().__init__()
            self.ply = ply

    def __init__(self) -> None:
        super().__init__(id="graph")
        self._shares: Sequence[float | None] = ()
        self._ply = 0
        self._set: PieceSet | None = None
        self._ascii = False

    def show(
        self, shares: Sequence[float | None], ply: int, pieces: PieceSet, *, ascii_only: bool
    ) -> None:
        """Show a game.

        Args:
            shares: the first side's after 0, 1, 2, … moves; None where it is not known.
            ply: which of them is looked at.
            pieces: the colours of the sides.
            ascii_only: use no signs beyond ASCII.
        """
        self._shares, self._ply, self._set, self._ascii = shares, ply, pieces, ascii_only
        self.refresh()

    def render(self) -> Content:
        """The curve, and the mark in the line below it."""
        if self._set is None:
            return Content("")
        height = max(self.size.height - 1, 1)
        shown = columns(len(self._shares), self.size.width)
        drawn = [column_of(self._shares[at], height, ascii_only=self._ascii) for at in shown]
        first, second = self._set.pieces
        known, unknown = f"{first} on {second}", f"{self._set.faint} on {self._set.grounds[0]}"
        parts: list[str | tuple[str, str]] = []
        for line in range(height):
            for at, column in zip(shown, drawn, strict=True):
                style = unknown if self._shares[at] is None else known
                parts.append((column[line], style))
            parts.append("\n")
        sign = "^" if self._ascii else "▲"
        parts.append(("".join(sign if at == self._ply else " " for at in shown), f"bold {SIGN}"))
        return Content.assemble(*parts)

    def on_click(self, event: events.Click) -> None:
        """Choose the position under the mouse."""
        shown = columns(len(self._shares), self.size.width)
        if 0 <= event.x < len(shown):
            self.post_message(self.Looked(shown[event.x]))
