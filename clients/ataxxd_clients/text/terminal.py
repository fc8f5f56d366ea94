"""What a terminal can show."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True, slots=True)
class Terminal:
    """What a terminal can show.

    Attributes:
        colour: whether to use colours.
        unicode: whether signs beyond ASCII can be written.
        cursor: whether the cursor can be moved.
        width: columns.
    """

    colour: bool = False
    unicode: bool = False
    cursor: bool = False
    width: int = 80

    @classmethod
    def of(
        cls,
        out: TextIO,
        environment: Mapping[str, str] = os.environ,
        *,
        ascii_only: bool = False,
    ) -> "Terminal":
        """What the terminal behind a stream can show; no colour where NO_COLOR is set.

        With `ascii_only` it shows no more than ASCII, whatever it could.
        """
        encoding = (getattr(out, "encoding", None) or "ascii").lower()
        able = out.isatty() and environment.get("TERM", "dumb") not in {"", "dumb"}
        try:
            width = os.get_terminal_size(out.fileno()).columns or 80
        except (OSError, ValueError):
            width = 80
        return cls(
            colour=able and not environment.get("NO_COLOR"),
            unicode=not ascii_only and encoding.replace("-", "").startswith("utf"),
            cursor=able,
            width=width,
        )

    def paint(self, text: str, code: str) -> str:
        """Text in a colour, given as the number of an SGR sequence such as ``31``."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text
