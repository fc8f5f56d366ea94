"""What a runtime tells its one listener, besides what happens in the game itself."""

from dataclasses import dataclass
from typing import TypeAlias

from ataxxd.node.presence import Presence
from ataxxd.node.talk import Talked
from ataxxd.session.effects import Event


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


RuntimeEvent: TypeAlias = Event | Presence | Offered | MayClaim | Talked | Named
