"""``ataxxd top`` on a full-screen terminal: the node's games, updated continuously."""

import asyncio
import time
from collections.abc import Callable
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import DataTable, Footer, Static

from ataxxd.errors import AtaxxdError
from ataxxd.sanitize import sanitized
from ataxxd.serve.status import HEADINGS, Status, game_rows, summary_lines


class TopScreen(App[None]):
    """Shows a running node; changes nothing."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "quit", "Quit")]
    CSS = """
    #node { height: auto; padding: 0 1 1 1; }
    DataTable { height: 1fr; }
    """

    def __init__(self, fetch_status: Callable[[], Status], every_s: float) -> None:
        """Begin with an empty screen.

        Args:
            fetch_status: returns the node's status; it may block, and its errors are shown.
            every_s: seconds between two requests.
        """
        super().__init__()
        self._fetch_status = fetch_status
        self._every_s = every_s

    def compose(self) -> ComposeResult:
        """The lines about the node, the table of games, and the keys."""
        yield Static(id="node", markup=False)
        yield DataTable[str](cursor_type="row", zebra_stripes=True)
        yield Footer()

    async def on_mount(self) -> None:
        """Begin to ask the node regularly."""
        self.query_one(DataTable).add_columns(*HEADINGS)
        await self.update_status()
        self.set_interval(self._every_s, self.update_status)

    async def update_status(self) -> None:
        """Ask the node for its status, and show it."""
        node = self.query_one("#node", Static)
        try:
            status = await asyncio.to_thread(self._fetch_status)
        except AtaxxdError as error:
            node.update(sanitized(str(error)))
            return
        node.update(sanitized("\n".join(summary_lines(status, time.time_ns() // 1_000_000))))
        table = self.query_one(DataTable)
        row = table.cursor_row
        table.clear()
        for cells in game_rows(status):
            table.add_row(*map(sanitized, cells))
        table.move_cursor(row=row)
