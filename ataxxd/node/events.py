"""What a runtime tells its one listener, besides what happens in the game itself."""

from dataclasses import dataclass
from typing import TypeAlias

from ataxxd.node.presence import Presence
from ataxxd.node.talk import Talked
from ataxxd.session.effects import Event
from ataxxd.session.ledger import Ledger
from ataxxd_protocol.messages import Offer


@dataclass(frozen=True, slots=True)
class Offered:
    """The broker has our offer: guests can come."""


@dataclass(frozen=True, slots=True)
class MayClaim:
    """The opponent has not answered for longer than the offer's grace."""

    waited_ms: int


@dataclass(frozen=True, slots=True)
class Named:
    """It is known, or known anew, what a node calls itself."""

    node: str
    name: str


@dataclass(frozen=True, slots=True)
class Followed:
    """A rematch has begun; what comes next is of it.

    Attributes:
        ended: the game before it.
        offer: of the new game.
    """

    ended: Ledger
    offer: Offer


RuntimeEvent: TypeAlias = Event | Presence | Offered | MayClaim | Talked | Named | Followed
