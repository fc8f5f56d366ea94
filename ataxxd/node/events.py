"""What a runtime tells its one listener, besides what happens in the game itself."""

from dataclasses import dataclass
from typing import TypeAlias

from ataxxd.session.effects import Event


@dataclass(frozen=True, slots=True)
class Offered:
    """The broker has our offer: guests can come."""


RuntimeEvent: TypeAlias = Event | Offered
