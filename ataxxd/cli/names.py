"""The nicknames that a command shows, from the home of its node; nothing is made where none is."""

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path

from ataxxd.errors import StorageError
from ataxxd.node import names
from ataxxd.node.home import Home
from ataxxd.node.names import NameBook


@contextmanager
def known_names(home: Path | None = None) -> Iterator[NameBook]:
    """What this node knows, for a command that only looks it up."""
    try:
        path = Home(home).names
    except StorageError:
        path = None
    book = NameBook(path if path is not None and path.exists() else None)
    try:
        yield book
    finally:
        book.close()


def learnt_names(home: Path | None = None) -> AbstractAsyncContextManager[NameBook]:
    """The same for a command that learns more."""
    return names.known_names(Home(home))
