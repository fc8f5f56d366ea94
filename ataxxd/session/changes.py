"""What became known when a ledger took a message in; for players and spectators alike."""

from ataxxd.session.effects import (
    Closed,
    DrawOffered,
    DrawRejected,
    Ended,
    Event,
    Played,
    SetAside,
    Started,
    TakenBack,
)
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import standing_of
from ataxxd.session.roles import Role
from ataxxd.session.state import Phase
from ataxxd_protocol.messages import AnyLogMessage, Draw, DrawAnswer, Move, Start, Takeback


def changes(before: Ledger, ledger: Ledger, role: Role, message: AnyLogMessage) -> list[Event]:
    """The events that `message` of `role` made of the ledger `before`."""
    events: list[Event] = []
    if isinstance(message, Start) and ledger.host_side is not None:
        events.append(Started(message.guest, ledger.host_side))
    elif isinstance(message, Move) and len(ledger.moves) > len(before.moves):
        move, position = ledger.moves[-1], before.position
        events.append(Played(role, position.turn, move, position, message.elapsed_ms, message.ply))
    elif isinstance(message, Draw) and ledger.phase is Phase.ASKED:
        events.append(DrawOffered(role))
    elif isinstance(message, DrawAnswer) and ledger.phase is Phase.PLAYING:
        events.append(DrawRejected(role))
    elif len(ledger.moves) < len(before.moves):
        undone = before.moves[len(ledger.moves) :]
        kind = TakenBack if isinstance(message, Takeback) else SetAside
        events.append(kind(role, undone))
    if ledger.outcome is not None and ledger.outcome != before.outcome:
        events.append(Ended(ledger.outcome, ledger.fault))
    if ledger.phase is Phase.CLOSED:
        events.append(Closed(standing_of(ledger)))
    return events
