"""This node: the home it lives in, its key and its journal."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from ataxxd.node.home import Home
from ataxxd.node.identity import load_identity
from ataxxd.node.journal import Journal
from ataxxd_protocol import SigningKey, Topics

TOPICS = Topics()
"""Where games are."""


@dataclass(frozen=True, slots=True)
class Node:
    """This node: its home, key and journal."""

    home: Home
    key: SigningKey
    journal: Journal


@asynccontextmanager
async def opened_node(path: Path | None) -> AsyncIterator[Node]:
    """The node of a home folder, its journal open.

    Raises:
        StorageError: key or journal cannot be used.
    """
    home = Home(path)
    journal = Journal(home.journal)
    try:
        yield Node(home, load_identity(home.identity), journal)
    finally:
        journal.close()
