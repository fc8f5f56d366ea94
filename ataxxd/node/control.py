"""The control interface: all that clients know of a node.

`Game` is one game, and `ataxxd.session.events` what happens in it; `OpenGames` are the games of a
broker and what this node has open there.
"""

from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    # Whoever has a game only does not load all that can be open.
    from ataxxd.node.open_games import OpenGames  # noqa: TC004 - its name is listed only

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
    "OpenGames",
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
