"""The lines that Clobber adds to the project's lists, as docs/how-to/add-a-game.md says."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Entry:
    """Lines for one place of one file.

    Attributes:
        file: the file, from the root of the source tree.
        beside: a line that the file has once.
        lines: what is added below it.
        above: whether they are added above it instead.
    """

    file: str
    beside: str
    lines: tuple[str, ...]
    above: bool = False

    def add(self, root: Path) -> None:
        """Add them to the file in a source tree.

        Raises:
            ValueError: the file has changed, and `beside` is not there once.
        """
        path = root / self.file
        lines = path.read_text().splitlines()
        if lines.count(self.beside) != 1:
            msg = f"{self.file} no longer has this line once: {self.beside}"
            raise ValueError(msg)
        at = lines.index(self.beside) + (not self.above)
        path.write_text("\n".join([*lines[:at], *self.lines, *lines[at:], ""]))


_REGISTRY = "engine/rules/src/registry.rs"
_LANGUAGES = "clients/ataxxd_clients/text/games.py"
_PIECES = "clients/ataxxd_clients/web/static/pieces.js"

RULES = (
    Entry(
        _REGISTRY,
        "    Loa(loa::Loa),",
        ("    /// Clobber.", "    Clobber(clobber::Clobber),"),
    ),
    Entry("engine/rules/src/lib.rs", "pub mod checkers;", ("pub mod clobber;",)),
    Entry("engine/search/src/lib.rs", "pub mod checkers;", ("mod clobber;",)),
)
LANGUAGE = (
    Entry(
        _LANGUAGES,
        "from ataxxd_clients.text.checkers import CheckersLanguage",
        ("from ataxxd_clients.text.clobber import ClobberLanguage",),
    ),
    Entry(
        _LANGUAGES,
        '    "checkers": CheckersLanguage,',
        ('    "clobber": ClobberLanguage,',),
    ),
)
PIECES = (
    Entry(
        _PIECES,
        'import * as checkers from "./pieces/checkers.js";',
        ('import * as clobber from "./pieces/clobber.js";',),
    ),
    Entry(_PIECES, "  checkers,", ("  clobber,",)),
    Entry(
        "clients/ataxxd_clients/web/static/board.css",
        'body:not([data-game="ataxx"]) :is(.board, .score) {',
        (
            '[data-game="clobber"] .board {',
            "  --frame: #33294a;",
            "  --label: #cfc3e6;",
            "  --cell: #7f6bb0;",
            "  --cell-dark: #7160a0;",
            "  --grid: #57487f;",
            "}",
            "",
        ),
        above=True,
    ),
)
LISTS = (*RULES, *LANGUAGE, *PIECES)
