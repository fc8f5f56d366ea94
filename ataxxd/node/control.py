"""The control interface: all that clients know of a node.

`Game` is one game, and `ataxxd.session.events` what happens in it; `ataxxd.node.open_games`
are the games of a broker and what this node has open there.
"""

from ataxxd.node.game import ACTS, Act, Game
from ataxxd.node.open_game import (
    FinishedGame,
    KeptGame,
    ListedChallenge,
    ListedGame,
    ListedPlayer,
    OpenGame,
    Progress,
    Proposal,
    RequestError,
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
    "RequestError",
    "Said",
    "Seat",
    "TableEvent",
    "TakenBack",
    "YourTurn",
]
