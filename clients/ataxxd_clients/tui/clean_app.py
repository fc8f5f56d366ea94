"""A full-screen app that restores the terminal when it ends, however it ends.

Bare `ataxxd` asks its first question with it, so it imports nothing of games.
"""

import asyncio
import os
import signal
import sys

from textual.app import App, ComposeResult
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

from ataxxd.errors import ExitCode
from ataxxd_clients.text.console import Terminal

# XTWINOPS: push the terminal's title on a stack, and pop it.
_KEEP, _OLD = "\x1b[22;2t", "\x1b[23;2t"


class CleanApp(App[int]):
    """An app that leaves the report of an error to its caller.

    Attributes:
        failure: the error that ended it; None for none.
    """

    TITLE = "ataxxd"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__()
        self.failure: Exception | None = None
        self._titled = ""

    def _fatal_error(self) -> None:
        """Leave without a page of local variables: the command line tells what happened."""
        self.failure = self._exception
        self._close_messages_no_wait()

    def _steer(self, sequence: str) -> None:
        """Send the terminal a sequence that Textual does not know."""
        if self._driver is not None and not self.is_headless:
            self._driver.write(sequence)

    def save_title(self) -> None:
        """Save the terminal's title for `restore_title`."""
        self._steer(_KEEP)

    def show_title(self, text: str) -> None:
        """Set the terminal's title."""
        if text != self._titled:
            self._steer(f"\x1b]2;{text}\x07")
        self._titled = text

    def restore_title(self) -> None:
        """Restore the terminal's title."""
        self._steer(_OLD)


async def run_window(app: CleanApp) -> int:
    """Show an app on the terminal until the person leaves it.

    It restores the terminal, even if it is cancelled or the terminal hangs up.

    Returns:
        The exit code.

    Raises:
        Exception: the error that ended the app or the game.
    """
    loop = asyncio.get_running_loop()
    running = asyncio.create_task(app.run_async(), name="terminal")

    def hang_up(*_: object) -> None:
        _release_lost_terminal()
        loop.call_soon_threadsafe(app.exit, ExitCode.INTERRUPTED)

    # Not a handler of the event loop, which would run too late.
    before = signal.signal(signal.SIGHUP, hang_up)
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        app.exit(ExitCode.INTERRUPTED)
        await running
        raise
    finally:
        signal.signal(signal.SIGHUP, before)
    if app.failure is not None:
        raise app.failure
    return app.return_value or ExitCode.OK


def _release_lost_terminal() -> None:
    """Send to nowhere what would be written to a terminal window that was closed.

    Otherwise the thread that writes would end, and the program would wait for it for ever.
    """
    if os.isatty(0):
        return
    # SIGCONT comes with the hang-up, and would start the UI again.
    signal.signal(signal.SIGCONT, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        if not os.isatty(descriptor):
            os.dup2(nowhere, descriptor)
    os.close(nowhere)


class Keys(Footer):
    """A footer that leaves out keys that do not fit."""

    def __init__(self) -> None:
        super().__init__(compact=True, show_command_palette=False)

    def compose(self) -> ComposeResult:
        """The keys from the left."""
        room = self.app.size.width
        for key in super().compose():
            if isinstance(key, FooterKey):
                room -= len(f"{key.key_display} {key.description} ")
                if room < -1:  # no blank has to follow the last one
                    return
            yield key

    def on_resize(self) -> None:
        """Fit the keys into the new width."""
        self.call_after_refresh(self.recompose)


def needs_ascii(*, asked: bool) -> bool:
    """Whether to use only ASCII: the person asks for it, or the terminal has no more."""
    return not Terminal.of(sys.stderr, ascii_only=asked).unicode
