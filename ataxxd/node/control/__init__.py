"""The control interface: all that clients know of a node.

`ataxxd.node.control.table` is one board with two seats; `ataxxd.node.control.lounge` the
games of a broker and the tables that this node has opened there.
"""

from ataxxd.node.control.lounge import (
    KeptGame,
    ListedGame,
    Lounge,
    LoungeError,
    Progress,
    Stay,
    Terms,
)
from ataxxd.node.control.table import (
    Asked,
    Begun,
    DrawAsked,
    DrawRefused,
    EditableTable,
    MayClaim,
    Moved,
    Notice,
    OnlineTable,
    Over,
    Overheard,
    PeerTable,
    RematchAsked,
    Said,
    Seat,
    SignedTable,
    Table,
    TableEvent,
    TakenBack,
    TalkTable,
    acting_side,
)

__all__ = [
    "Asked",
    "Begun",
    "DrawAsked",
    "DrawRefused",
    "EditableTable",
    "KeptGame",
    "ListedGame",
    "Lounge",
    "LoungeError",
    "MayClaim",
    "Moved",
    "Notice",
    "OnlineTable",
    "Over",
    "Overheard",
    "PeerTable",
    "Progress",
    "RematchAsked",
    "Said",
    "Seat",
    "SignedTable",
    "Stay",
    "Table",
    "TableEvent",
    "TakenBack",
    "TalkTable",
    "Terms",
    "acting_side",
]
