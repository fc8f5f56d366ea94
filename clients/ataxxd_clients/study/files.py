"""Where the games that are studied come from, and where they go."""

from typing import Protocol

from ataxxd.rules.notation.game import GameRecord


class GameFiles(Protocol):
    """Games as files; every notation that the program reads, and its signed records."""

    def read(self, data: bytes, name: str, form: str | None) -> GameRecord:
        """The game that a file holds.

        Args:
            data: all of it.
            name: the file's; its suffix tells the notation.
            form: the notation by name, whatever the suffix says.

        Raises:
            AtaxxdError: it holds none; says where it goes wrong.
        """
        ...

    def open(self, path: str, form: str | None) -> GameRecord:
        """The game in a file of this machine.

        Raises:
            AtaxxdError: it cannot be read, or holds none.
        """
        ...

    def player(self, name: str) -> str:
        """A player of a game as people read it: of a node's id also what it calls itself."""
        ...

    def save(self, path: str, content: bytes, *, replace: bool) -> None:
        """Write a file of this machine, whole or not at all.

        Args:
            path: the file.
            content: all of it.
            replace: whether a file that is there may go.

        Raises:
            AtaxxdError: it cannot be written, or is there already.
        """
        ...
