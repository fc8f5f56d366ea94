"""A game that this process holds: it is in the journal, and its lock is ours."""

from dataclasses import dataclass

from ataxxd.node.home import Lock
from ataxxd.node.journal import StoredGame
from ataxxd.node.node import Node
from ataxxd.node.settings import Settings
from ataxxd.session.ledger import Ledger
from ataxxd.session.roles import Role
from ataxxd_protocol.messages import Offer


@dataclass(frozen=True, slots=True)
class HeldGame:
    """A game that nobody else plays for this node.

    Attributes:
        stored: the game in the journal.
        ledger: the game so far.
        settings: how it is played.
        lock: holds it; whoever plays it lets go of it in the end.
    """

    stored: StoredGame
    ledger: Ledger
    settings: Settings
    lock: Lock


def begin(node: Node, offer: Offer, role: Role, settings: Settings) -> HeldGame:
    """Add a game to the journal, as its host or a guest; nothing is sent yet.

    Raises:
        NameInUse: another process has it.
        StorageError: the journal cannot be written.
    """
    lock = node.home.lock(offer.digest, offer.name)
    try:
        stored = node.journal.begin(offer, role, settings.stored())
    except BaseException:
        lock.close()
        raise
    return HeldGame(stored, Ledger(offer), settings, lock)


def take_up(node: Node, stored: StoredGame) -> HeldGame:
    """Go on with a game of the journal.

    Raises:
        NameInUse: another process has it.
        StorageError: the journal does not hold together.
    """
    settings = Settings.restored(stored.settings)
    lock = node.home.lock(stored.offer.digest, stored.offer.name)
    try:
        # Read under the lock: another process may have written until a moment ago.
        ledger = node.journal.ledger(stored)
    except BaseException:
        lock.close()
        raise
    return HeldGame(stored, ledger, settings, lock)
