"""What a session or a runtime tells, in the words of the control interface: sides, not roles."""

from collections.abc import Callable

from ataxxd.nicknames import player_name
from ataxxd.node import control
from ataxxd.node.control import Seat, TableEvent
from ataxxd.node.events import MayClaim, Named, RuntimeEvent
from ataxxd.node.names import NameBook
from ataxxd.node.presence import Presence
from ataxxd.node.talk import Talked
from ataxxd.rules import Side
from ataxxd.session.effects import (
    Asked,
    DrawOffered,
    DrawRejected,
    Ended,
    Played,
    Said,
    SetAside,
    TakenBack,
)
from ataxxd.session.ledger import Ledger
from ataxxd.session.roles import Role


def table_event(
    event: RuntimeEvent | None,
    ledger: Ledger,
    seat: Callable[[Side], Seat],
    names: NameBook | None = None,
) -> TableEvent | None:
    """The event for clients; None for what is not their business.

    Args:
        event: what happened.
        ledger: the game it happened in.
        seat: who fills a side's seat.
        names: the nicknames that are known here, if they are.
    """

    def side_of(role: Role) -> Side:
        side = ledger.side_of(role)
        assert side is not None  # nobody says or asks anything before the start
        return side

    match event:
        case Played(_, side, move, before, _, ply):
            return control.Moved(side, move, before, seat(side), ply)
        case Asked(role, what):
            return control.Asked(side_of(role), what)
        case TakenBack(_, moves) | SetAside(_, moves):
            return control.TakenBack(moves, agreed=isinstance(event, TakenBack))
        case Said(role, text):
            return control.Said(side_of(role), text)
        case Talked() | Named():
            return _of_a_node(event, ledger, names)
        case MayClaim(waited_ms):
            return control.MayClaim(waited_ms / 1000)
        case DrawOffered(role):
            return control.DrawAsked(side_of(role))
        case DrawRejected(role):
            return control.DrawRefused(side_of(role))
        case Ended(outcome):
            return control.Over(outcome)
        case Presence(text):
            return control.Notice(text)
        case _:
            return None


def _of_a_node(
    event: Talked | Named, ledger: Ledger, names: NameBook | None
) -> control.Overheard | control.Named | None:
    """What is told of a node by its name; None when it is of nobody who has a side."""
    shown = player_name(event.node) if names is None else names.shown(event.node)
    if isinstance(event, Talked):
        return control.Overheard(shown, event.text)
    role = ledger.role_of(event.node)
    side = None if role is None else ledger.side_of(role)
    return None if side is None else control.Named(side, shown)
