"""The line of keys at the bottom: as many of them as fit in whole."""

from textual.app import ComposeResult
from textual.widgets import Footer
from textual.widgets._footer import FooterKey


class Keys(Footer):
    """A footer that leaves out what it would have to cut."""

    def __init__(self) -> None:
        super().__init__(compact=True, show_command_palette=False)

    def compose(self) -> ComposeResult:
        """The keys from the left."""
        room = self.app.size.width
        for key in super().compose():
            if isinstance(key, FooterKey):
                room -= len(f"{key.key_display} {key.description} ")
                if room < -1:  # the blank after the last one is none
                    return
            yield key

    def on_resize(self) -> None:
        """Fit them into the new width."""
        self.call_after_refresh(self.recompose)
