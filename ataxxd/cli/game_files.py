"""The games that a study reads and writes: the `GameFiles` of `ataxxd_clients.study`."""

import re
from pathlib import Path

from ataxxd.cli.names import known_names
from ataxxd.cli.notations import chosen_format, game_in, read_game
from ataxxd.errors import UsageError
from ataxxd.node.home import write_atomically
from ataxxd.rules.notation.game import GameRecord
from ataxxd_protocol.fields import NODE_PATTERN


class LocalGameFiles:
    """Games in files of every notation, and signed records.

    Args:
        ruleset: what a game is judged by where its file does not tell.
        home: of the node whose known nicknames are shown; the usual one when None.
    """

    def __init__(self, ruleset: str | None = None, home: Path | None = None) -> None:
        self._ruleset = ruleset
        self._home = home

    def read(self, data: bytes, name: str, form: str | None) -> GameRecord:
        """The game in the content of a file."""
        found = chosen_format(Path(name), form, "the notation")
        return game_in(data, name, found, self._ruleset)

    def open(self, path: str, form: str | None) -> GameRecord:
        """The game in a file on this machine."""
        file = Path(path).expanduser()
        if path == "-":
            raise UsageError("- is standard input, which is the keyboard now. Name a file.")
        return read_game(file, chosen_format(file, form, f"open {path}"), self._ruleset)

    def player(self, name: str) -> str:
        """A player as people read it: an id with the nickname known for it."""
        if not re.fullmatch(NODE_PATTERN, name):
            return name
        with known_names(self._home) as names:
            return names.shown(name)

    def save(self, path: str, content: bytes, *, replace: bool) -> None:
        """Write a file on this machine, whole or not at all."""
        file = Path(path).expanduser()
        if file.exists() and not replace:
            raise UsageError(f"{path} is there already. Choose another name, or: replace {path}")
        write_atomically(file, content)
