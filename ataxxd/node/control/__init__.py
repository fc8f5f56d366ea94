"""The control interface: all that clients know of a node.

`ataxxd.node.control.game` is one game, and `ataxxd.session.events` what happens in it;
`ataxxd.node.control.lounge` the games of a broker and what this node has open there.
"""

from ataxxd.node.control.game import ACTS, Act, Game
from ataxxd.node.control.lounge import (
    FinishedGame,
    KeptGame,
    ListedChallenge,
    ListedGame,
    ListedPlayer,
    Lounge,
    LoungeError,
    OpenGame,
    Progress,
    Proposal,
)
from ataxxd.session.acts import Request
from ataxxd.session.events import (
    Asked,
    Begun,
    DrawAsked,
    DrawRefused,
    GameEvent,
    MayClaim,
    Moved,
    Named,
    Notice,
    Over,
    Overheard,
    RematchAsked,
    Said,
    Seat,
    TableEvent,
    TakenBack,
    YourTurn,
)

__all__ = [
    "ACTS",
    "Act",
    "Asked",
    "Begun",
    "DrawAsked",
    "DrawRefused",
    "FinishedGame",
    "Game",
    "GameEvent",
    "KeptGame",
    "ListedChallenge",
    "ListedGame",
    "ListedPlayer",
    "Lounge",
    "LoungeError",
    "MayClaim",
    "Moved",
    "Named",
    "Notice",
    "OpenGame",
    "Over",
    "Overheard",
    "Progress",
    "Proposal",
    "RematchAsked",
    "Request",
    "Said",
    "Seat",
    "TableEvent",
    "TakenBack",
    "YourTurn",
]
