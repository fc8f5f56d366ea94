"""The terminal while a host waits for a guest: how to invite one, also as a picture to scan."""

from collections.abc import Sequence
from typing import ClassVar

import segno
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import RichLog, Static

from ataxxd.sanitize import sanitized
from ataxxd_clients.invitation import Invitation
from ataxxd_clients.tui.clean_app import CleanApp, Keys
from ataxxd_clients.tui.window import Title

# Light modules around the picture, which readers need; columns that words need beside it.
_QUIET, _WORDS = 2, 37
# Upper and lower half of a character: 1 is dark.
_HALVES = {(0, 0): "█", (0, 1): "▀", (1, 0): "▄", (1, 1): " "}


class WaitingWindow(CleanApp):
    """Shows an invitation until somebody comes or the person leaves.

    Args:
        invitation: to the game.
        ascii_only: use no signs beyond ASCII, and so show no picture.
    """

    CSS = """
    #page { height: 1fr; padding: 1 2 0 2; }
    #words { width: 1fr; height: 100%; padding: 0 1 0 0; }
    #words Static { margin: 0 0 1 0; }
    #waits, .command { text-style: bold; }
    #notes { height: 1fr; background: $background; scrollbar-size: 0 0; }
    #picture { display: none; width: auto; height: auto; color: white; background: black; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "copy", "Copy", key_display="c"),
        Binding("ctrl+q,ctrl+c,f10", "quit", "Withdraw", key_display="^Q", priority=True),
    ]

    def __init__(self, invitation: Invitation, *, ascii_only: bool) -> None:
        super().__init__()
        self._invitation = invitation
        self._ascii = ascii_only
        self._title = Title(self._steer)
        # A link lets in whoever has nothing installed.
        self._way = invitation.link or invitation.join
        self._lines = picture(self._way) if self._way and not ascii_only else ()

    def compose(self) -> ComposeResult:
        """The words, and the picture beside them."""
        invitation = self._invitation
        with Horizontal(id="page"):
            with Vertical(id="words"):
                # In an event it is known who will come, by themselves.
                guest = "a guest" if invitation.join else "your opponent"
                yield Static(f"Waiting for {guest}" + ("..." if self._ascii else " …"), id="waits")
                if invitation.link:
                    yield Static("Your friend opens in a browser:")
                    yield Static(sanitized(invitation.link), classes="command", markup=False)
                if invitation.join:
                    yield Static("Or types:" if invitation.link else "Your friend types:")
                    yield Static(sanitized(invitation.join), classes="command", markup=False)
                if invitation.terms:
                    yield Static(f"Terms: {sanitized(invitation.terms)}.", markup=False)
                yield Static(f"Others can watch: {sanitized(invitation.watch)}", markup=False)
                yield RichLog(id="notes", wrap=True, min_width=20, max_lines=100)
            yield Static(Content("\n".join(self._lines)), id="picture")
        yield Keys()

    def on_mount(self) -> None:
        """Tell a person who looks elsewhere what is awaited."""
        self.query_one(RichLog).can_focus = False
        self._title.keep()
        self._title.show("ataxxd: waiting for a guest")

    def on_unmount(self) -> None:
        """Leave the title as it was."""
        self._title.give_back()

    def on_resize(self) -> None:
        """Show the picture where all of it fits."""
        wide = len(self._lines[0]) if self._lines else 0
        room = self.size.width - _WORDS >= wide and self.size.height - 2 >= len(self._lines)
        self.query_one("#picture").display = bool(wide) and self._invitation.reaches and room

    def tell(self, text: str) -> None:
        """Show what happens meanwhile."""
        if self.is_running:
            self.query_one(RichLog).write(sanitized(text))

    def action_copy(self) -> None:
        """Hand the link, or else the command, to the terminal's clipboard."""
        if self._way:
            self.copy_to_clipboard(self._way)
            self.tell("Copied, if this terminal lets programs copy.")


def picture(text: str) -> Sequence[str]:
    """A QR code in half blocks, light on dark ground: two modules a character."""
    rows = [list(row) for row in segno.make(text, error="l").matrix_iter(border=_QUIET)]
    if len(rows) % 2:
        rows.append([0] * len(rows[0]))
    return [
        "".join(_HALVES[bool(upper), bool(lower)] for upper, lower in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    ]
